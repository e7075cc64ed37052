/* What a program in a sandbox can ask the kernel for: sockets, dangerous calls, privileges. */
#include "tests/unit/platform/linux/sandbox/sandbox_scene.h"

static const struct os_sandbox_spec networked = { .is_on = true };

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
    const struct sandbox_place *p = *state;
    expect_output(p, &strict, connect_to, "0000000001");
    expect_output(p, &networked, connect_to, "1110001001");
    struct os_sandbox_spec local = strict;
    local.unix_sockets = true;
    expect_output(p, &local, connect_to, "0001110001");
}

/* By number, with arguments that would do no harm if the call went through. 1: refused with
 * EPERM. */
static void dangerous_calls_are_refused(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    expect_output(p, &strict,
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
    expect_output(p, &strict, "echo x > f; chmod 4755 f; chmod 2755 f; chmod 755 f; stat -c %a f",
            "755\n");
    expect_output(p, &strict,
            "python3 -c 'import os; os.open(\"suid\", os.O_CREAT | os.O_WRONLY, 0o4755)'; echo $?",
            "1\n");
    expect_output(p, &strict, "unshare -U true; echo $?", "1\n");
}

#ifdef __x86_64__
/* The other two ways into this processor's kernel have numbers of their own. */
static void foreign_system_calls_kill(void **state) {
    need_sandbox();
    const struct sandbox_place *p = *state;
    expect_output(p, &strict,
            "python3 -c 'import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 39)'; echo $?",
            "159\n");
    expect_output(p, &strict,
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
    const struct sandbox_place *p = *state;
    expect_output(p, &strict,
            "grep -E 'NoNewPrivs|CapEff|CapPrm|CapAmb|Seccomp:' /proc/self/status | "
            "tr -d '\\t'",
            kernel.own_proc ? "CapPrm:0000000000000000\nCapEff:0000000000000000\n"
                              "CapAmb:0000000000000000\nNoNewPrivs:1\nSeccomp:2\n"
                            : "");
    expect_output(p, &strict, "ulimit -c", "0\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(sockets),
        TEST(dangerous_calls_are_refused),
#ifdef __x86_64__
        TEST(foreign_system_calls_kill),
#endif
        TEST(privileges_cannot_be_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
