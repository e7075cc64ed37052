#include "platform/linux/process/supervisor.h"

#include "platform/linux/cgroup/cgroup.h"
#include "platform/linux/process/habits.h"
#include "platform/linux/process/job.h"
#include "platform/linux/process/meter.h"
#include "platform/linux/process/process.h"
#include "platform/linux/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    STATUS_FD = 3,
    CONTROL_FD = 4,
    EXEC_FD = 5,
    METER_MS = 500,
    MAX_DELAY_MS = 1000, /* between two looks at a tree that does not die */
    REPORT_AFTER_MS =
            2000 /* something hangs in the kernel: do not keep the caller waiting for it */
};

struct supervisor {
    pid_t program;
    int wait_status;
    bool has_ended, has_reported;
    struct os_limits limits;
    const char *cgroup;  /* NULL: none */
    int64_t meter_at_ms; /* when it is read next */
    enum os_limit over;
    bool outlives; /* what the program leaves behind may outlive the node */
};

static void close_from(unsigned first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) {
        return;
    }
#endif
    long max = sysconf(_SC_OPEN_MAX);
    for (long fd = first; fd < (max > 0 && max < 65536 ? max : 65536); fd++) {
        close((int)fd);
    }
}

/* The program's descriptors go to 0…2, ours to 3 and 4 (the child's to 5), and all others (among
 * them the control sockets of other runs, which would keep those from noticing our node's death)
 * are closed. */
static void arrange_descriptors(const struct os_supervised *s) {
    dup2(s->in_fd, 0);
    dup2(s->out_fd, 1);
    dup2(s->err_fd, 2);
    dup3(s->status_fd, STATUS_FD, O_CLOEXEC);
    dup3(s->control_fd, CONTROL_FD, O_CLOEXEC);
    close_from(EXEC_FD); /* what the child gets there comes later */
}

static void default_signals(void) {
    for (int signo = 1; signo < NSIG; signo++) {
        signal(signo, SIG_DFL); /* fails for the two that cannot be caught */
    }
}

static void supervisor_say(const void *data, size_t len) {
    /* Fits into any pipe. Nobody listens when the node is gone. */
    if (write(STATUS_FD, data, len) < 0) {
        return;
    }
}

static int receive_exec_fd(void) {
    char byte;
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
    struct msghdr m = { .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes) };
    int fd = -1;
    if (recvmsg(CONTROL_FD, &m, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&m)) {
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
    }
    if (fd < 0 || fd == EXEC_FD) {
        return fd;
    }
    int moved = dup3(fd, EXEC_FD, O_CLOEXEC);
    close(fd);
    return moved;
}

/* In the new child, which may still borrow our memory: system calls only. Returns only on failure.
 * taken_fd is closed once the control socket is the supervisor's alone. */
static int become_program(const struct os_spawn_opts *o, pid_t parent, int taken_fd) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent || receive_exec_fd() < 0) {
        return ESRCH;
    }
    close(taken_fd);
    struct os_supervisor_start start = { .pid = getpid() };
    supervisor_say(&start, sizeof(start));
    if (o->sandbox) {
        os_sandbox_become(o, EXEC_FD);
    }
    setsid();
    if (o->tty && ioctl(0, TIOCSCTTY, 0) != 0) {
        return errno;
    }
    if (o->cwd && chdir(o->cwd) != 0) {
        return errno;
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(o->path, (char *const *)(uintptr_t)o->argv, (char *const *)(uintptr_t)o->env);
    return errno;
}

static _Noreturn void be_child(const struct os_spawn_opts *o, pid_t parent, int taken_fd) {
    int errnum = become_program(o, parent, taken_fd);
    if (write(EXEC_FD, &errnum, sizeof(errnum)) < 0) {
        _exit(126);
    }
    _exit(127);
}

/* Without a sandbox our memory is not worth copying: the child borrows it, and its own frames are
 * below ours. A sandbox takes more than a few system calls to put up, and memory to do it in.
 *
 * Where the child is a copy (that, or a vfork that is none, as some tools make it) both of us would
 * read the control socket. The descriptor in it is the child's, so we wait until it has it. */
static pid_t start_program(const struct os_spawn_opts *o, const int taken[2]) {
    pid_t self = getpid(), pid;
    if (o->sandbox) {
        pid = fork();
    } else {
        pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    }
    if (pid == 0) {
        be_child(o, self, taken[1]); /* NOLINT(clang-analyzer-unix.Vfork): system calls only */
    }
    close(taken[1]);
    char none;
    if (pid > 0 && read(taken[0], &none, 1) < 0) {
        return -1;
    }
    close(taken[0]);
    return pid;
}

static void supervisor_report(struct supervisor *v, bool is_alone) {
    if (v->has_ended && !v->has_reported) {
        v->has_reported = true;
        if (v->over == OS_LIMIT_NONE && v->cgroup && os_cgroup_ran_out(v->cgroup)) {
            v->over = OS_LIMIT_MEMORY;
        }
        struct os_supervisor_end end = {
            .wait_status = v->wait_status, .is_alone = is_alone, .over = (int)v->over
        };
        supervisor_say(&end, sizeof(end));
    }
}

/* False when no child is left, which is to say: nothing the program ever started. */
static bool supervisor_collect(struct supervisor *v) {
    for (;;) {
        int status;
        pid_t got = waitpid(-1, &status, WNOHANG);
        if (got <= 0) {
            return got == 0;
        }
        if (got == v->program) {
            v->has_ended = true;
            v->wait_status = status;
        }
    }
}

static _Noreturn void kill_all(struct supervisor *v) {
    int delay_ms = 1, waited_ms = 0;
    if (v->cgroup) {
        os_cgroup_kill(v->cgroup);
    }
    for (;;) {
        os_tree_kill(getpid(), NULL, 0);
        if (!supervisor_collect(v)) {
            supervisor_report(v, true);
            _exit(0);
        }
        if (waited_ms >= REPORT_AFTER_MS) {
            supervisor_report(v, false);
        }
        poll(NULL, 0, delay_ms);
        waited_ms += delay_ms;
        delay_ms = delay_ms * 2 < MAX_DELAY_MS ? delay_ms * 2 : MAX_DELAY_MS;
    }
}

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits for something to happen. The meter is read by the clock, whatever happens: a program that
 * keeps us busy is no exception. */
static void wait_and_meter(struct supervisor *v, struct pollfd *fds, nfds_t count) {
    bool has_meter = v->limits.memory_bytes > 0 || v->limits.cpu_seconds > 0;
    int ready;
    do {
        int64_t left_ms = has_meter ? v->meter_at_ms - now_ms() : -1;
        if (has_meter && left_ms <= 0) {
            v->over = os_meter_read(&v->limits);
            if (v->over != OS_LIMIT_NONE) {
                kill_all(v);
            }
            v->meter_at_ms = now_ms() + METER_MS;
            left_ms = METER_MS;
        }
        ready = poll(fds, count, (int)left_ms);
    } while (ready <= 0);
}

/* Returns when the program has ended, nothing else is left, and both were said in one. */
static void supervisor_watch(struct supervisor *v, int signal_fd) {
    struct pollfd fds[2] = { { .fd = CONTROL_FD, .events = POLLIN },
        { .fd = signal_fd, .events = POLLIN } };
    for (;;) {
        if (fds[1].revents) {
            struct signalfd_siginfo info;
            while (read(signal_fd, &info, sizeof(info)) > 0) {
            }
            bool is_alone = !supervisor_collect(v), was_waiting = !v->has_reported;
            supervisor_report(v, is_alone);
            if (is_alone && !was_waiting) {
                _exit(0); /* which tells it */
            }
            if (is_alone) {
                return;
            }
        }
        if (fds[0].revents) {
            char order;
            bool is_gone = read(CONTROL_FD, &order, 1) <= 0;
            if (is_gone && v->has_ended && v->outlives) {
                _exit(0);
            }
            kill_all(v);
        }
        wait_and_meter(v, fds, 2);
    }
}

/* What it takes to be one, before it is known for which program. */
struct tools {
    int signal_fd, taken[2];
    struct os_habits habits;
};

static bool get_ready(const struct os_supervised *s, struct tools *ret) {
    prctl(PR_SET_NAME, "openclaw-run", 0, 0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    /* We still hold a copy of the node's memory, secrets and all; the program must not read it. */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    /* What is sent to the node's process group is the node's business. Not a session of its own:
     * the scheduler would take us for a new user and let us wait for our turn. */
    setpgid(0, 0);
    default_signals();
    arrange_descriptors(s);
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    ret->signal_fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
    return ret->signal_fd >= 0 && pipe2(ret->taken, O_CLOEXEC) == 0;
}

static void supervisor_supervise(const struct os_spawn_opts *o, const struct tools *t) {
    struct supervisor v = { .outlives = o->outlives };
    if (o->sandbox) {
        v.limits = o->sandbox->limits;
        v.meter_at_ms = now_ms() + METER_MS;
        v.cgroup = o->sandbox->cgroup;
    }
    v.program = start_program(o, t->taken);
    if (v.program < 0) {
        struct os_supervisor_start start = { .errnum = errno };
        supervisor_say(&start, sizeof(start));
        _exit(1);
    }
    close(0); /* or the pipes would never end */
    close(1);
    close(2);
    supervisor_watch(&v, t->signal_fd);
}

/* Ends when it has lost what a new one has, or when no job comes any more: then the node forks
 * another. The job's descriptors take the lowest free numbers, so they come as 0…2. */
static void take_job(struct tools *t, struct os_spawn_opts *ret) {
    static struct os_job job;
    static const char *words[OS_JOB_WORDS];
    int fds[OS_JOB_FDS];
    struct os_habits now;
    os_habits_read(&now);
    /* The pipe must not be where the job's descriptors come. */
    bool is_ready = os_habits_same(&now, &t->habits) && pipe2(t->taken, O_CLOEXEC) == 0;
    for (int i = 0; i < 2 && is_ready; i++) {
        int low = t->taken[i];
        t->taken[i] = fcntl(low, F_DUPFD_CLOEXEC, EXEC_FD);
        is_ready = t->taken[i] >= 0;
        close(low);
    }
    if (!is_ready || !os_job_receive(CONTROL_FD, &job, fds) || fds[0] != 0 || fds[1] != 1 ||
            fds[2] != 2 || !os_job_read(&job, words, ret)) {
        _exit(0);
    }
}

static _Noreturn void supervisor_serve(const struct os_supervised *s) {
    struct tools t;
    if (!get_ready(s, &t)) {
        struct os_supervisor_start start = { .errnum = errno };
        supervisor_say(&start, sizeof(start));
        _exit(1);
    }
    os_habits_read(&t.habits);
    supervisor_supervise(s->opts, &t);
    while (!s->opts->sandbox) { /* a sandbox is built once */
        struct os_spawn_opts opts;
        take_job(&t, &opts);
        supervisor_supervise(&opts, &t);
    }
    _exit(0);
}

pid_t os_supervisor_fork(const struct os_supervised *s) {
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* our handlers are not for the supervisor */
    pid_t pid = fork();
    if (pid == 0) {
        supervisor_serve(s);
    }
    int saved = errno;
    sigprocmask(SIG_SETMASK, &old, NULL);
    errno = saved;
    return pid;
}
