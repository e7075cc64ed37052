/* Real programs in real sandboxes. What the kernel lacks is said by a feature struct, so that the
 * ways of older kernels are walked on this one too. */
#include "platform/platform.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "tests/unit/temp_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct os_exec_ops *ops;
static const struct os_sandbox_ops *sandbox;
static struct os_sandbox_features kernel;

static const char *const system_dirs[] = { "/usr", "/bin", "/lib", "/lib64", "/etc", NULL };

struct place {
    char *dir, *workspace, *run_dir, *secret;
};

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static char *read_text(const char *path) {
    char bytes[256] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(bytes, 1, sizeof(bytes) - 1, f);
    fclose(f);
    return oc_strndup(bytes, n);
}

static int setup(void **state) {
    struct place *p = oc_new(struct place);
    struct oc_error err;
    assert_int_equal(os_native.start(&err), OC_OK);
    ops = os_native.exec;
    sandbox = os_native.sandbox;
    sandbox->probe(&kernel);
    p->dir = temp_dir_make();
    p->workspace = oc_strfmt("%s/workspace", p->dir);
    p->run_dir = oc_strfmt("%s/run", p->dir);
    p->secret = oc_strfmt("%s/secret", p->dir);
    mkdir(p->workspace, 0700);
    mkdir(p->run_dir, 0700);
    static const char *const parts[] = { "tmp", "shm", "home" };
    for (size_t i = 0; i < OC_COUNT(parts); i++) {
        OC_AUTO_FREE char *part = oc_strfmt("%s/%s", p->run_dir, parts[i]);
        mkdir(part, 0700);
    }
    write_text(p->secret, "the secret\n");
    *state = p;
    return 0;
}

static int teardown(void **state) {
    struct place *p = *state;
    temp_dir_remove(p->dir);
    oc_free(p->workspace);
    oc_free(p->run_dir);
    oc_free(p->secret);
    oc_free(p);
    return 0;
}

static void need_sandbox(void) {
    if (kernel.landlock_abi < 1 || !kernel.seccomp) {
        skip();
    }
}

struct outcome {
    struct os_child_exit end;
    struct oc_buf out, err;
};

static void finish(struct outcome *o) {
    oc_buf_finish(&o->out);
    oc_buf_finish(&o->err);
}

static void read_all(int fd, struct oc_buf *ret) {
    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        assert_int_equal(poll(&p, 1, 30000), 1);
        char bytes[4096];
        ssize_t n = read(fd, bytes, sizeof(bytes));
        if (n == 0) {
            return;
        }
        if (n > 0) {
            oc_buf_append(ret, bytes, (size_t)n);
        } else {
            assert_int_equal(errno, EAGAIN);
        }
    }
}

static enum oc_code try_run(const struct place *p, const struct os_sandbox_spec *how,
        const char *path, const char *const *argv, struct outcome *ret, int *ret_errno,
        struct oc_error *err) {
    const char *const writable[] = { p->workspace, NULL };
    *ret = (struct outcome){ .out = OC_BUF_INIT(1 << 20), .err = OC_BUF_INIT(1 << 20) };
    struct os_sandbox_spec spec = *how;
    spec.readable = system_dirs;
    spec.writable = writable;
    spec.run_dir = p->run_dir;
    spec.features = how->features ? how->features : &kernel;
    struct os_sandbox_built *c = sandbox->prepare(&spec);
    OC_AUTO_FREE char *tmp = oc_strfmt("TMPDIR=%s/tmp", p->run_dir);
    OC_AUTO_FREE char *secret = oc_strfmt("SECRET=%s", p->secret);
    const char *env[] = { "PATH=/usr/bin:/bin", tmp, secret, NULL };
    struct os_child child;
    enum oc_code rc = ops->spawn(
            &(struct os_spawn_opts){
                    .path = path, .argv = argv, .env = env, .cwd = p->workspace, .sandbox = c },
            &child, ret_errno, err);
    sandbox->release(c);
    if (rc != OC_OK) {
        return rc;
    }
    read_all(child.out_fd, &ret->out);
    read_all(child.err_fd, &ret->err);
    struct pollfd ended = { .fd = child.exit_fd, .events = POLLIN };
    assert_int_equal(poll(&ended, 1, 30000), 1);
    assert_true(ops->reap(&child, &ret->end));
    ops->release(&child);
    return OC_OK;
}

static void run(const struct place *p, const struct os_sandbox_spec *how, const char *script,
        struct outcome *ret) {
    const char *argv[] = { "sh", "-c", script, NULL };
    struct oc_error err = { 0 };
    int errnum = 0;
    if (try_run(p, how, "/bin/sh", argv, ret, &errnum, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
}

/* The script's last line of output is compared. */
static void expect(const struct place *p, const struct os_sandbox_spec *how, const char *script,
        const char *out) {
    struct outcome o;
    run(p, how, script, &o);
    const char *got = o.out.data ? o.out.data : "";
    if (strcmp(got, out) != 0) {
        fail_msg("%s\ngave: %s\nand: %s", script, got, o.err.data ? o.err.data : "");
    }
    finish(&o);
}

static const struct os_sandbox_spec strict = { .is_on = true, .no_network = true };
static const struct os_sandbox_spec networked = { .is_on = true };

/* This kernel's features, and those of older ones as far as they can be had by leaving things
 * out. */
static size_t kernels(struct os_sandbox_features ret[4]) {
    size_t n = 0;
    ret[n++] = kernel;
    if (kernel.landlock_abi > 2) {
        ret[n] = kernel;
        ret[n++].landlock_abi = 2;
    }
    if (kernel.namespaces) {
        ret[n] = kernel;
        ret[n].own_proc = ret[n].namespaces = false;
        n++;
        ret[n] = ret[n - 1];
        ret[n++].landlock_abi = kernel.landlock_abi > 2 ? 2 : kernel.landlock_abi;
    }
    return n;
}

static void files_outside_are_out_of_reach(void **state) {
    need_sandbox();
    const struct place *p = *state;
    struct os_sandbox_features all[4];
    size_t n = kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        expect(p, &how, "cat $SECRET; echo $?", "1\n");
        expect(p, &how, "echo x > $SECRET; echo $?", "2\n");
        expect(p, &how, "echo x >> $SECRET; echo $?", "2\n");
        expect(p, &how, "rm $SECRET; echo $?", "1\n");
        expect(p, &how, "rm -f here; mv $SECRET here; test -e here; echo $?", "1\n");
        expect(p, &how, "ln $SECRET here; test -e here; echo $?", "1\n");
        expect(p, &how, "rm -f here; ln -s $SECRET here; cat here; echo $?", "1\n");
        expect(p, &how, "cat /proc/self/root$SECRET; echo $?", "1\n");
        expect(p, &how, "echo x > new; mv new ../new; test -e ../new; echo $?", "1\n");
        expect(p, &how, "mkdir ../dir; test -e ../dir; echo $?", "1\n");
        expect(p, &how, "ls ..; echo $?", "2\n");
        expect(p, &how, "python3 -c \"import os; os.truncate(os.environ['SECRET'], 0)\"; echo $?",
                "1\n");
        expect(p, &how,
                "python3 -c \"import os; os.open(os.environ['SECRET'], os.O_TRUNC)\"; echo $?",
                "1\n");
        OC_AUTO_FREE char *text = read_text(p->secret);
        assert_string_equal(text, "the secret\n");
    }
}

/* Landlock says nothing about these; the mount namespace does. */
static void metadata_outside_cannot_be_changed(void **state) {
    need_sandbox();
    if (!kernel.namespaces) {
        skip();
    }
    const struct place *p = *state;
    struct stat before, after;
    assert_int_equal(stat(p->secret, &before), 0);
    expect(p, &strict, "chmod 777 $SECRET; echo $?", "1\n");
    expect(p, &strict, "touch -d 2001-01-01 $SECRET; echo $?", "1\n");
    expect(p, &strict, "chmod 700 ..; echo $?", "1\n");
    assert_int_equal(stat(p->secret, &after), 0);
    assert_int_equal(before.st_mode, after.st_mode);
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
}

/* Landlock does not refuse to look at a name that one knows or guesses; the program's own root has
 * none. */
static void names_outside_do_not_exist(void **state) {
    need_sandbox();
    if (!kernel.namespaces) {
        skip();
    }
    const struct place *p = *state;
    struct os_sandbox_features all[2] = { kernel, kernel };
    all[1].own_proc = false;
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        expect(p, &how, "stat $SECRET > /dev/null; echo $?", "1\n");
        expect(p, &how, "cd .. && test -e secret; echo $?", "1\n");
        expect(p, &how,
                "cd /var/lib; cd /sys/fs/cgroup; cd /dev/pts; cd /dev/disk; pwd | wc -l; "
                "test -e /dev/sda -o -e /run/user -o -e /sys/class -o -e /boot; echo $?",
                "1\n1\n");
        expect(p, &how, "cat /dev/null; echo x > /dev/stdout; test -d /tmp -a -d /home; echo $?",
                "x\n0\n");
    }
    if (kernel.own_proc) { /* no path of the machine but those of its own places */
        expect(p, &strict,
                "cut -d' ' -f5 /proc/self/mountinfo | grep -Ev "
                "'^/($|proc|usr|bin|s?lib(32|64|x32)?$|etc|dev/[a-z]+$|tmp/)'; echo $?",
                "1\n");
        expect(p, &strict, "cut -d: -f3 /proc/self/cgroup | sort -u", "/\n");
        expect(p, &strict, "cat /proc/swaps /proc/partitions /proc/interrupts /proc/cmdline", "");
    }
}

/* Where nothing that it may use lies in them. */
static void tmp_is_of_its_own(void **state) {
    need_sandbox();
    if (!kernel.namespaces) {
        skip();
    }
    (void)state;
    char made[] =
            "sandbox-XXXXXX"; /* the build's directory: not in /tmp, as those of temp_dir.h are */
    assert_non_null(mkdtemp(made));
    OC_AUTO_FREE char *dir = realpath(made, NULL);
    struct place p = { .dir = dir };
    static const char *const parts[] = { "workspace", "run", "run/tmp", "run/shm", "run/home" };
    for (size_t i = 0; i < OC_COUNT(parts); i++) {
        OC_AUTO_FREE char *part = oc_strfmt("%s/%s", dir, parts[i]);
        assert_int_equal(mkdir(part, 0700), 0);
    }
    OC_AUTO_FREE char *workspace = oc_strfmt("%s/workspace", dir);
    OC_AUTO_FREE char *run_dir = oc_strfmt("%s/run", dir);
    p.workspace = workspace;
    p.run_dir = run_dir;
    p.secret = workspace;
    if (strncmp(dir, "/tmp/", 5) !=
            0) { /* a build in /tmp sees that one's directory there instead */
        expect(&p, &strict, "echo x > /tmp/a && cat /var/tmp/a && ls -A /tmp && cat $TMPDIR/a",
                "x\na\nx\n");
    }
    temp_dir_remove(oc_strdup(dir));
}

/* Links on the way to a place, and to a program, lead where they did. */
static void links_to_listed_places_are_there(void **state) {
    need_sandbox();
    const struct place *p = *state;
    OC_AUTO_FREE char *bin = oc_strfmt("%s/bin", p->dir), *tool = oc_strfmt("%s/bin/tool", p->dir);
    mkdir(bin, 0700);
    assert_int_equal(symlink("../bin/again", tool), 0);
    OC_AUTO_FREE char *again = oc_strfmt("%s/bin/again", p->dir);
    assert_int_equal(symlink("/usr/../bin/echo", again), 0);
    struct os_sandbox_spec how = strict;
    how.program = tool;
    struct outcome o;
    struct oc_error err = { 0 };
    int errnum = 0;
    const char *argv[] = { "tool", "ran", NULL };
    assert_int_equal(try_run(p, &how, tool, argv, &o, &errnum, &err), OC_OK);
    assert_string_equal(o.out.data, "ran\n");
    finish(&o);
}

/* By whatever way: it tells which programs and files others use, and when. */
static void files_cannot_be_watched(void **state) {
    need_sandbox();
    const struct place *p = *state;
    struct os_sandbox_features all[4];
    size_t n = kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        expect(p, &how,
                "python3 -c '\nimport ctypes, errno, fcntl, os\n"
                "libc = ctypes.CDLL(None, use_errno=True)\n"
                "print([libc.inotify_init(), ctypes.get_errno() == errno.ENOSYS])\n"
                "print([libc.inotify_init1(0), ctypes.get_errno() == errno.ENOSYS])\n"
                "FAN_REPORT_FID = 0x200 # what a kernel gives to everybody, not only to root\n"
                "print([libc.fanotify_init(FAN_REPORT_FID, 0)])\n"
                "fd = os.open(\"/usr\", os.O_RDONLY)\n"
                "def attempt(*what):\n"
                "    try: fcntl.fcntl(fd, *what)\n"
                "    except OSError: return\n"
                "    print(what)\n"
                "attempt(fcntl.F_NOTIFY, 1)\n"
                "fd = os.open(\"leased\", os.O_CREAT | os.O_RDONLY)\n"
                "attempt(fcntl.F_SETLEASE, fcntl.F_RDLCK)\n"
                "fcntl.fcntl(fd, fcntl.F_GETFD)\n'",
                "[-1, True]\n[-1, True]\n[-1]\n");
        expect(p, &how,
                "echo 1 > grows; timeout 5 tail -n1 -f grows --pid=$$ 2> /dev/null | head -n1",
                "1\n");
    }
}

static void work_inside_is_as_usual(void **state) {
    need_sandbox();
    const struct place *p = *state;
    struct os_sandbox_features all[4];
    size_t n = kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        expect(p, &how,
                "rm -rf * && mkdir -p a/b && echo text > a/b/c && mv a/b/c a/d && ln a/d a/e && "
                "ln -s d a/f && chmod 750 a/d && cat a/f && : > a/d && wc -c < a/e",
                "text\n0\n");
        expect(p, &how, "f=$(mktemp) && echo tmp > $f && cat $f && rm $f", "tmp\n");
        expect(p, &how, "printf '#!/bin/sh\\necho script\\n' > s; chmod +x s; ./s", "script\n");
        expect(p, &how, "echo a | sort > /dev/null && echo $?", "0\n");
        expect(p, &how, "sh -c 'kill -TERM $$'; echo $?", "143\n");
        expect(p, &how, "sleep 60 & kill $!; wait $!; echo $?", "143\n");
    }
}

static void ends_are_told_as_they_were(void **state) {
    need_sandbox();
    const struct place *p = *state;
    struct outcome o;
    run(p, &strict, "echo out; echo err >&2; exit 3", &o);
    assert_string_equal(o.out.data, "out\n");
    assert_string_equal(o.err.data, "err\n");
    assert_false(o.end.by_signal);
    assert_int_equal(o.end.status, 3);
    finish(&o);
    static const int signals[] = { SIGTERM, SIGKILL, SIGSEGV, SIGPIPE };
    for (size_t i = 0; i < OC_COUNT(signals); i++) {
        OC_AUTO_FREE char *script = oc_strfmt("kill -%d $$", signals[i]);
        run(p, &strict, script, &o);
        assert_true(o.end.by_signal);
        assert_int_equal(o.end.status, signals[i]);
        finish(&o);
    }
}

static void failures_to_start_keep_their_errno(void **state) {
    need_sandbox();
    const struct place *p = *state;
    struct outcome o;
    struct oc_error err = { 0 };
    int errnum = 0;
    const char *argv[] = { "x", NULL };
    assert_int_equal(
            try_run(p, &strict, "/usr/bin/no-such-program", argv, &o, &errnum, &err), OC_E_IO);
    assert_int_equal(errnum, ENOENT);
    OC_AUTO_FREE char *outside = oc_strfmt("%s/tool", p->dir);
    write_text(outside, "#!/bin/sh\necho ran\n");
    chmod(outside, 0700);
    assert_int_equal(try_run(p, &strict, outside, argv, &o, &errnum, &err), OC_E_IO);
    assert_int_equal(errnum, kernel.namespaces ? ENOENT : EACCES);
}

static void a_sandbox_that_cannot_be_built_stops_the_start(void **state) {
    need_sandbox();
    const struct place *p = *state;
    if (!kernel.namespaces) {
        skip();
    }
    OC_AUTO_FREE char *shm = oc_strfmt("%s/tmp", p->run_dir);
    assert_int_equal(rmdir(shm), 0); /* the mount fails */
    struct outcome o;
    struct oc_error err = { 0 };
    int errnum = 0;
    const char *argv[] = { "true", NULL };
    assert_int_equal(try_run(p, &strict, "/bin/true", argv, &o, &errnum, &err), OC_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "mounts: No such file"));
}

static const char connect_to[] =
        "python3 -c '\nimport socket, sys\n"
        "for make in (lambda: socket.socket(),\n"
        "        lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),\n"
        "        lambda: socket.socket(socket.AF_INET6),\n"
        "        lambda: socket.socket(socket.AF_UNIX),\n"
        "        lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),\n"
        "        lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW),\n"
        "        lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0),\n"
        "        lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12),\n"
        "        lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM),\n"
        "        lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)):\n"
        "    try:\n"
        "        make()\n"
        "        print(1, end=\"\")\n"
        "    except OSError:\n"
        "        print(0, end=\"\")\n'";

static void sockets(void **state) {
    need_sandbox();
    const struct place *p = *state;
    expect(p, &strict, connect_to, "0000000001");
    expect(p, &networked, connect_to, "1110001001");
    struct os_sandbox_spec local = strict;
    local.unix_sockets = true;
    expect(p, &local, connect_to, "0001110001");
}

/* By number, with arguments that would do no harm if the call went through. 1: refused with
 * EPERM. */
static void dangerous_calls_are_refused(void **state) {
    need_sandbox();
    const struct place *p = *state;
    expect(p, &strict,
            "python3 -c '\nimport ctypes, errno, platform\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def refused(name, *args, want=errno.EPERM):\n"
            "    ctypes.set_errno(0)\n"
            "    rc = libc.syscall(numbers[name], *args)\n"
            "    if rc != -1 or ctypes.get_errno() != want: print(name, rc, ctypes.get_errno())\n"
            "new = platform.machine() != \"x86_64\"\n"
            "numbers = dict(ptrace=117, mount=40, keyctl=219, bpf=280, unshare=97, "
            "personality=92,\n"
            "    perf_event_open=241, userfaultfd=282, setns=268, process_vm_readv=270, ioctl=29,\n"
            "    chmod=52) if new else dict(ptrace=101, mount=165, keyctl=250, bpf=321, "
            "unshare=272,\n"
            "    personality=135, perf_event_open=298, userfaultfd=323, setns=308,\n"
            "    process_vm_readv=310, ioctl=16, chmod=91)\n"
            "numbers.update(io_uring_setup=425, pidfd_getfd=438, clone3=435, openat2=437)\n"
            "refused(\"ptrace\", 0, 0, 0, 0)\n"
            "refused(\"mount\", 0, 0, 0, 0, 0)\n"
            "refused(\"keyctl\", 0, -3, 0)\n"
            "refused(\"bpf\", 0, 0, 0)\n"
            "refused(\"unshare\", 0x10000000)\n"
            "refused(\"unshare\", 0x80)\n"
            "refused(\"personality\", 0x40000)\n"
            "refused(\"perf_event_open\", 0, 0, 0, 0, 0)\n"
            "refused(\"userfaultfd\", 0)\n"
            "refused(\"setns\", 0, 0)\n"
            "refused(\"process_vm_readv\", 1, 0, 0, 0, 0, 0)\n"
            "refused(\"io_uring_setup\", 1, 0)\n"
            "refused(\"pidfd_getfd\", 0, 0, 0)\n"
            "refused(\"ioctl\", 0, 0x5412, 0)\n"
            "refused(\"ioctl\", 0, ctypes.c_ulong(0x100005412), 0)\n"
            "refused(\"chmod\", 1, 0o4755)\n"
            "refused(\"clone3\", 0, 0, want=errno.ENOSYS)\n"
            "refused(\"openat2\", -1, 0, 0, 0, want=errno.ENOSYS)\n"
            "assert libc.personality(ctypes.c_ulong(0xffffffff)) == 0\n"
            "'; echo end",
            "end\n");
    expect(p, &strict, "echo x > f; chmod 4755 f; chmod 2755 f; chmod 755 f; stat -c %a f",
            "755\n");
    expect(p, &strict,
            "python3 -c 'import os; os.open(\"suid\", os.O_CREAT | os.O_WRONLY, 0o4755)'; echo $?",
            "1\n");
    expect(p, &strict, "unshare -U true; echo $?", "1\n");
}

#ifdef __x86_64__
/* The other two ways into this processor's kernel have numbers of their own. */
static void foreign_system_calls_kill(void **state) {
    need_sandbox();
    const struct place *p = *state;
    expect(p, &strict,
            "python3 -c 'import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 39)'; echo $?",
            "159\n");
    expect(p, &strict,
            "python3 -c '\nimport ctypes, mmap\n"
            "code = mmap.mmap(-1, 4096, prot=7)\n"
            "code.write(b\"\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3\")\n"
            "at = ctypes.addressof(ctypes.c_char.from_buffer(code))\n"
            "ctypes.CFUNCTYPE(ctypes.c_int)(at)()'; echo $?",
            "159\n");
}
#endif

static void privileges_cannot_be_had(void **state) {
    need_sandbox();
    const struct place *p = *state;
    expect(p, &strict,
            "grep -E 'NoNewPrivs|CapEff|CapPrm|CapAmb|Seccomp:' /proc/self/status | "
            "tr -d '\\t'",
            kernel.own_proc ? "CapPrm:0000000000000000\nCapEff:0000000000000000\n"
                              "CapAmb:0000000000000000\nNoNewPrivs:1\nSeccomp:2\n"
                            : "");
    expect(p, &strict, "ulimit -c", "0\n");
}

static void other_processes_are_out_of_reach(void **state) {
    need_sandbox();
    const struct place *p = *state;
    struct os_sandbox_features all[4];
    size_t n = kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        OC_AUTO_FREE char *look = oc_strfmt(
                "cat /proc/%d/environ /proc/%d/cmdline; echo $?", (int)getpid(), (int)getpid());
        expect(p, &how, look, "1\n");
        if (all[i].namespaces || all[i].landlock_abi >= 6) {
            OC_AUTO_FREE char *signal_us = oc_strfmt("kill -0 %d; echo $?", (int)getpid());
            expect(p, &how, signal_us, "1\n");
        }
    }
    if (kernel.own_proc) {
        expect(p, &strict, "cat /proc/1/environ; ls /proc/1/root/; echo $?", "2\n");
        expect(p, &strict, "kill -9 1; echo $?", kernel.landlock_abi >= 6 ? "1\n" : "0\n");
    }
}

static void inherited_descriptors_are_closed(void **state) {
    need_sandbox();
    const struct place *p = *state;
    int leaked = open(p->secret, O_RDONLY); /* NOLINT(android-cloexec-open): on purpose */
    int high = fcntl(leaked, F_DUPFD, 100);
    struct os_sandbox_features all[4];
    size_t n = kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec how = strict;
        how.features = &all[i];
        expect(p, &how,
                "python3 -c '\nimport os\nfor fd in range(3, 300):\n    try:\n        "
                "os.fstat(fd)\n"
                "        print(fd)\n    except OSError: pass\n'; echo end",
                "end\n");
    }
    close(leaked);
    close(high);
}

static void everything_ends_with_the_program(void **state) {
    need_sandbox();
    if (!kernel.namespaces) {
        skip();
    }
    const struct place *p = *state;
    /* A FIFO that the runaway holds open for writing: its reader sees the end when all are gone. */
    OC_AUTO_FREE char *fifo = oc_strfmt("%s/fifo", p->workspace);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    OC_AUTO_FD int fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    expect(p, &strict,
            "(setsid env -i sleep 1000 > fifo 2>&1 < /dev/null &) ; "
            "setsid sh -c 'echo started > fifo'; echo end",
            "end\n");
    struct oc_buf text = OC_BUF_INIT(1000);
    read_all(fd, &text);
    assert_string_equal(text.data, "started\n");
    oc_buf_finish(&text);
}

static void limits_hold(void **state) {
    need_sandbox();
    const struct place *p = *state;
    struct os_sandbox_spec how = { .limits = { .file_bytes = 4096, .open_files = 32 } };
    expect(p, &how, "ulimit -n", "32\n"); /* also without a sandbox */
    expect(p, &how, "cat $SECRET", "the secret\n");
    how.is_on = true;
    expect(p, &how, "trap '' XFSZ; head -c 9000 /dev/zero > big; stat -c %s big", "4096\n");
    how.limits = (struct os_limits){ .memory_bytes = 200 << 20 };
    expect(p, &how, "python3 -c 'bytearray(400 << 20)' 2>&1 | grep -o MemoryError",
            "MemoryError\n");
    how.limits = (struct os_limits){ .cpu_seconds = 1 };
    struct outcome o;
    run(p, &how, "while :; do :; done", &o);
    assert_true(o.end.by_signal);
    assert_int_equal(o.end.status, SIGXCPU);
    finish(&o);
    if (kernel.namespaces && getuid() != 0) { /* the kernel exempts root */
        how.limits = (struct os_limits){ .processes = 10 };
        run(p, &how, "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 100 & done; echo all", &o);
        assert_null(o.out.data && strstr(o.out.data, "all") ? o.out.data : NULL);
        finish(&o);
    }
}

static void kill_tree_reaches_inside(void **state) {
    need_sandbox();
    const struct place *p = *state;
    const char *const writable[] = { p->workspace, NULL };
    struct os_sandbox_spec spec = strict;
    spec.readable = system_dirs;
    spec.writable = writable;
    spec.run_dir = p->run_dir;
    spec.features = &kernel;
    struct oc_error err = { 0 };
    struct os_sandbox_built *c = sandbox->prepare(&spec);
    const char *argv[] = { "sh", "-c", "setsid sleep 1000 & echo up; wait", NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct os_child child;
    int errnum = 0;
    assert_int_equal(ops->spawn(
                             &(struct os_spawn_opts){
                                     .path = "/bin/sh", .argv = argv, .env = env, .sandbox = c },
                             &child, &errnum, &err),
            OC_OK);
    sandbox->release(c);
    char up[3];
    struct pollfd ready = { .fd = child.out_fd, .events = POLLIN };
    assert_int_equal(poll(&ready, 1, 30000), 1);
    assert_int_equal(read(child.out_fd, up, sizeof(up)), sizeof(up));
    ops->kill_tree(&child);
    struct oc_buf rest = OC_BUF_INIT(1000);
    read_all(child.out_fd, &rest); /* ends when nobody holds the pipe */
    oc_buf_finish(&rest);
    struct pollfd ended = { .fd = child.exit_fd, .events = POLLIN };
    struct os_child_exit end;
    assert_int_equal(poll(&ended, 1, 30000), 1);
    assert_true(ops->reap(&child, &end));
    assert_true(end.by_signal);
    assert_int_equal(end.status, SIGKILL);
    ops->release(&child);
}

static void terminals_work(void **state) {
    need_sandbox();
    const struct place *p = *state;
    const char *const writable[] = { p->workspace, NULL };
    struct os_sandbox_features all[4];
    size_t n = kernels(all);
    for (size_t i = 0; i < n; i++) {
        struct os_sandbox_spec spec = strict;
        spec.readable = system_dirs;
        spec.writable = writable;
        spec.run_dir = p->run_dir;
        spec.features = &all[i];
        struct os_sandbox_built *c = sandbox->prepare(&spec);
        const char *argv[] = { "sh", "-c",
            "test -t 0 && test -t 2 && stty size && echo there > /dev/tty && read x && echo got $x",
            NULL };
        const char *env[] = { "PATH=/usr/bin:/bin", NULL };
        const struct os_tty_size size = { .columns = 91, .rows = 17 };
        struct os_child child;
        struct oc_error err = { 0 };
        int errnum = 0;
        if (ops->spawn(&(struct os_spawn_opts){ .path = "/bin/sh",
                               .argv = argv,
                               .env = env,
                               .cwd = p->workspace,
                               .tty = &size,
                               .sandbox = c },
                    &child, &errnum, &err) != OC_OK) {
            fail_msg("%s", err.text);
        }
        sandbox->release(c);
        assert_int_equal(write(child.in_fd, "typed\n", 6), 6);
        struct oc_buf text = OC_BUF_INIT(10000);
        for (;;) { /* a terminal ends with EIO */
            struct pollfd ready = { .fd = child.out_fd, .events = POLLIN };
            assert_int_equal(poll(&ready, 1, 30000), 1);
            char bytes[256];
            ssize_t got = read(child.out_fd, bytes, sizeof(bytes));
            if (got <= 0 && errno != EAGAIN) {
                break;
            }
            oc_buf_append(&text, bytes, got > 0 ? (size_t)got : 0);
        }
        assert_non_null(strstr(text.data, "17 91"));
        assert_non_null(strstr(text.data, "there"));
        assert_non_null(strstr(text.data, "got typed"));
        oc_buf_finish(&text);
        struct pollfd ended = { .fd = child.exit_fd, .events = POLLIN };
        struct os_child_exit end;
        assert_int_equal(poll(&ended, 1, 30000), 1);
        assert_true(ops->reap(&child, &end));
        assert_int_equal(end.status, 0);
        ops->release(&child);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(files_outside_are_out_of_reach),
        TEST(metadata_outside_cannot_be_changed),
        TEST(names_outside_do_not_exist),
        TEST(tmp_is_of_its_own),
        TEST(links_to_listed_places_are_there),
        TEST(files_cannot_be_watched),
        TEST(work_inside_is_as_usual),
        TEST(ends_are_told_as_they_were),
        TEST(failures_to_start_keep_their_errno),
        TEST(a_sandbox_that_cannot_be_built_stops_the_start),
        TEST(sockets),
        TEST(dangerous_calls_are_refused),
#ifdef __x86_64__
        TEST(foreign_system_calls_kill),
#endif
        TEST(privileges_cannot_be_had),
        TEST(other_processes_are_out_of_reach),
        TEST(inherited_descriptors_are_closed),
        TEST(everything_ends_with_the_program),
        TEST(limits_hold),
        TEST(kill_tree_reaches_inside),
        TEST(terminals_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
