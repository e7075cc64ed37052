/* Starting a sandboxed program.
 *
 *   supervisor ──▶ outer ──▶ init ──▶ program
 *                            (pid 1 of its own processes)
 *
 * With namespaces there are two between the supervisor and the program: outer is the child that the
 * supervisor sees and ends as the program ended; init makes the program an ordinary process (a pid
 * 1 does not die from signals), and everything the program started is gone when it goes. Each dies
 * with the one before it. Without namespaces the child is the program. Both outer and init are
 * copies of the node that only wait; they are outside the program's sandbox and not dumpable, so it
 * cannot look into them.
 *
 * Only system calls are made here (sandbox.h). */
#include "platform/linux/sandbox/sandbox.h"

#include "platform/linux/cgroup/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_SHIFT = 16, MAX_CAPABILITY = 63, MAX_DESCRIPTORS = 65536 };

struct start {
    const struct os_spawn_opts *opts;
    int report_fd;        /* takes a failure; closed by a successful exec */
    volatile int *status; /* shared page: how the program ended, as waitpid says it; -1: not yet */
};

const char *os_sandbox_failure(int *errnum) {
    static const char *const names[OS_STEP_COUNT] = {
        [OS_STEP_NAMESPACES] = "namespaces",
        [OS_STEP_MOUNTS] = "mounts",
        [OS_STEP_LIMITS] = "limits",
        [OS_STEP_CAPABILITIES] = "capabilities",
        [OS_STEP_LANDLOCK] = "Landlock",
        [OS_STEP_SECCOMP] = "seccomp",
    };
    int step = *errnum >> STEP_SHIFT;
    *errnum &= (1 << STEP_SHIFT) - 1;
    return step > OS_STEP_EXEC && step < OS_STEP_COUNT ? names[step] : NULL;
}

static _Noreturn void give_up(const struct start *s, enum os_sandbox_step step, int errnum) {
    int code = errnum | (int)step << STEP_SHIFT;
    ssize_t n = write(s->report_fd, &code, sizeof(code));
    _exit(n == sizeof(code) ? 127 : 126);
}

static void close_between(unsigned first, unsigned last) {
    if (first > last) {
        return;
    }
    if (syscall(SYS_close_range, first, last, 0) != 0) {
        for (unsigned fd = first; fd <= last && fd < MAX_DESCRIPTORS; fd++) {
            close((int)fd);
        }
    }
}

/* Also for root: nothing of the system's is left, set-user-id programs included. Without privileges
 * the bounding set cannot be changed and need not be. */
static int drop_capabilities(void) {
    for (int cap = 0; cap <= MAX_CAPABILITY; cap++) {
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0) {
            break;
        }
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    prctl(PR_SET_SECUREBITS,
            SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED,
            0, 0, 0);
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[2] = { { 0 } };
    return syscall(SYS_capset, &head, none) == 0 ? 0 : errno;
}

static void enter_sandbox(const struct start *s, const struct os_sandbox_built *c) {
    struct rlimit no_core = { 0, 0 };
    int rc = setrlimit(RLIMIT_CORE, &no_core) == 0 ? 0 : errno;
    if (rc) {
        give_up(s, OS_STEP_LIMITS, rc);
    }
    rc = drop_capabilities();
    if (rc || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        give_up(s, OS_STEP_CAPABILITIES, rc ? rc : errno);
    }
    rc = c->landlock.abi > 0 ? os_landlock_enter(&c->landlock) : 0;
    if (rc) {
        give_up(s, OS_STEP_LANDLOCK, rc);
    }
    rc = c->filter ? os_seccomp_enter(c->filter) : 0;
    if (rc) {
        give_up(s, OS_STEP_SECCOMP, rc);
    }
}

static _Noreturn void become_program(const struct start *s) {
    const struct os_sandbox_built *c = s->opts->sandbox;
    setsid();
    if (s->opts->tty && ioctl(0, TIOCSCTTY, 0) != 0) {
        give_up(s, OS_STEP_EXEC, errno);
    }
    if (s->opts->cwd && chdir(s->opts->cwd) != 0) {
        give_up(s, OS_STEP_EXEC, errno);
    }
    int rc = os_limits_enter(&c->limits, c->namespaces);
    if (rc) {
        give_up(s, OS_STEP_LIMITS, rc);
    }
    if (c->is_on) {
        enter_sandbox(s, c);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(s->opts->path, (char *const *)(uintptr_t)s->opts->argv,
            (char *const *)(uintptr_t)s->opts->env);
    give_up(s, OS_STEP_EXEC, errno);
}

static pid_t fork_again(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    return _Fork();
#else
    return fork();
#endif
}

/* Waits for the program and buries whoever else was left to it. */
static _Noreturn void be_init(const struct start *s, pid_t program) {
    close_between(0, ~0u);
    for (;;) {
        int status;
        pid_t got = waitpid(-1, &status, 0);
        if (got == program) {
            *s->status = status;
            _exit(0);
        }
        if (got < 0 && errno != EINTR) {
            _exit(1);
        }
    }
}

static _Noreturn void start_init(const struct start *s, int alive_fd) {
    /* Set too late for an outer one that is already dead, whose end of the pipe is closed then. */
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    struct pollfd alive = { .fd = alive_fd, .events = POLLIN };
    if (poll(&alive, 1, 0) != 0) {
        _exit(1);
    }
    close(alive_fd);
    int rc = os_mounts_enter(&s->opts->sandbox->mounts);
    if (rc) {
        give_up(s, OS_STEP_MOUNTS, rc);
    }
    os_own_words_wipe(&s->opts->sandbox->words); /* the program sees us as process 1 */
    pid_t program = fork_again();
    if (program == 0) {
        become_program(s);
    }
    if (program < 0) {
        give_up(s, OS_STEP_NAMESPACES, errno);
    }
    be_init(s, program);
}

/* Ends the way the program ended. */
static _Noreturn void be_outer(const struct start *s, pid_t init) {
    int status;
    pid_t got;
    do {
        got = waitpid(init, &status, 0);
    } while (got < 0 && errno == EINTR);
    if (*s->status == -1) { /* killed, with all its processes */
        raise(SIGKILL);
    }
    status = *s->status;
    if (WIFSIGNALED(status)) {
        sigset_t none;
        sigemptyset(&none);
        raise(WTERMSIG(status)); /* pending until now */
        sigprocmask(SIG_SETMASK, &none, NULL);
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static _Noreturn void start_outer(struct start *s) {
    struct rlimit no_core = { 0, 0 };
    setrlimit(RLIMIT_CORE, &no_core); /* we may have to end by SIGSEGV */
    int alive[2];
    int *page = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || pipe2(alive, O_CLOEXEC) != 0) {
        give_up(s, OS_STEP_NAMESPACES, errno);
    }
    *page = -1;
    s->status = page;
    int rc = os_namespaces_enter(s->opts->sandbox);
    if (rc) {
        give_up(s, OS_STEP_NAMESPACES, rc);
    }
    pid_t init = fork_again();
    if (init == 0) {
        close(alive[1]);
        start_init(s, alive[0]);
    }
    if (init < 0) {
        give_up(s, OS_STEP_NAMESPACES, errno);
    }
    /* Ours now are the pipe's end and nothing else: the program's output ends with the program. */
    close_between(0, (unsigned)alive[1] - 1);
    close_between((unsigned)alive[1] + 1, ~0u);
    be_outer(s, init);
}

_Noreturn void os_sandbox_become(const struct os_spawn_opts *opts, int report_fd) {
    struct start s = { .opts = opts, .report_fd = report_fd };
    const struct os_sandbox_built *c = opts->sandbox;
    int rc = c->cgroup ? os_cgroup_enter(c->cgroup) : c->cgroup_errno;
    if (rc) {
        give_up(&s, OS_STEP_LIMITS, rc);
    }
    if (opts->sandbox->namespaces) {
        start_outer(&s);
    }
    become_program(&s);
}
