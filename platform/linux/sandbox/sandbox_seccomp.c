/* What a sandboxed program may not ask of the kernel.
 *
 * It refuses what would lead around the rest of the sandbox (sockets of local services, handles,
 * other processes' memory), what makes files that outlive the sandbox dangerous (set-user-id bits),
 * and what an ordinary command never needs but exploits do. The rest is allowed: this is a list of
 * refusals, not of permissions, since nobody can list what all compilers and interpreters call. */
#include "platform/linux/sandbox/sandbox.h"

#include "lib/base/mem.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Newer calls; the numbers are the same on all processors. */
enum {
    NR_PIDFD_GETFD = 438,
    NR_OPENAT2 = 437,
    NR_PROCESS_MADVISE = 440,
    NR_MOUNT_SETATTR = 442,
    NR_QUOTACTL_FD = 443,
    NR_FCHMODAT2 = 452,
    NR_OPEN_TREE_ATTR = 467,
    NEW_NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                     CLONE_NEWPID | CLONE_NEWNET,
    NEW_TIME_NAMESPACE = 0x80, /* not for clone, where these bits are the signal */
    SPECIAL_BITS = S_ISUID | S_ISGID,
};

/* clang-format off */
static const int refused[] = {
    /* other processes */
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, NR_PIDFD_GETFD, NR_PROCESS_MADVISE,
    /* the file system's shape, and files by handle instead of by path */
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount, SYS_open_tree, SYS_fsopen, SYS_fsconfig,
    SYS_fsmount, SYS_fspick, NR_MOUNT_SETATTR, NR_OPEN_TREE_ATTR, SYS_open_by_handle_at, SYS_name_to_handle_at,
    SYS_swapon, SYS_swapoff, SYS_quotactl, NR_QUOTACTL_FD, SYS_acct, SYS_fanotify_init,
    /* other namespaces */
    SYS_setns,
    /* keys */
    SYS_keyctl, SYS_add_key, SYS_request_key,
    /* the kernel itself */
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_syslog,
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    /* the machine */
    SYS_sethostname, SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime,
    SYS_vhangup, SYS_lookup_dcookie, SYS_nfsservctl,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef __x86_64__
    SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_create_module, SYS_get_kernel_syms, SYS_query_module, SYS_uselib,
    SYS_ustat, SYS_sysfs, SYS__sysctl,
#endif
};
/* clang-format on */

/* The mode counts only when a file may be made; without O_CREAT it is whatever was in the register.
 * Opening for reading with O_TRUNC empties the file all the same, which Landlock sees from version
 * 3 on. */
static void rule_open(struct os_seccomp *s, int nr, int flags_arg, bool guard_truncate) {
    unsigned short at = os_seccomp_rule(s, nr);
    os_seccomp_load_arg(s, flags_arg);
    os_seccomp_if_bits(s, O_CREAT | __O_TMPFILE, 0, 3);
    os_seccomp_load_arg(s, flags_arg + 1);
    os_seccomp_if_bits(s, SPECIAL_BITS, 0, 1);
    os_seccomp_fail(s, EPERM);
    if (guard_truncate) {
        os_seccomp_load_arg(s, flags_arg);
        os_seccomp_mask(s, O_ACCMODE | O_TRUNC);
        os_seccomp_if_equal(s, O_TRUNC, 0, 1);
        os_seccomp_fail(s, EACCES);
    }
    os_seccomp_rule_end(s, at);
}

static void rules_files(struct os_seccomp *s, bool guard_truncate) {
    os_seccomp_refuse_bits(s, SYS_fchmod, 1, SPECIAL_BITS, EPERM);
    os_seccomp_refuse_bits(s, SYS_fchmodat, 2, SPECIAL_BITS, EPERM);
    os_seccomp_refuse_bits(s, NR_FCHMODAT2, 2, SPECIAL_BITS, EPERM);
    os_seccomp_refuse_bits(s, SYS_mknodat, 2, SPECIAL_BITS, EPERM);
    rule_open(s, SYS_openat, 2, guard_truncate);
    os_seccomp_refuse(s, NR_OPENAT2, ENOSYS); /* its flags are in memory, out of our sight */
#ifdef SYS_open
    rule_open(s, SYS_open, 1, guard_truncate);
    os_seccomp_refuse_bits(s, SYS_creat, 1, SPECIAL_BITS, EPERM);
    os_seccomp_refuse_bits(s, SYS_chmod, 1, SPECIAL_BITS, EPERM);
    os_seccomp_refuse_bits(s, SYS_mknod, 1, SPECIAL_BITS, EPERM);
#endif
    if (guard_truncate) {
        os_seccomp_refuse(s, SYS_truncate, EACCES);
    }
}

static void rules_processes(struct os_seccomp *s) {
    os_seccomp_refuse_bits(s, SYS_clone, 0, NEW_NAMESPACES, EPERM);
    os_seccomp_refuse_bits(s, SYS_unshare, 0, NEW_NAMESPACES | NEW_TIME_NAMESPACE, EPERM);
    os_seccomp_refuse(s, SYS_clone3, ENOSYS); /* flags in memory; the C library then uses clone */
    unsigned short at = os_seccomp_rule(s, SYS_personality);
    os_seccomp_load_arg(s, 0);
    os_seccomp_if_equal(s, 0, 2, 0);
    os_seccomp_if_equal(s, 0xffffffff, 1, 0); /* only asks */
    os_seccomp_fail(s, EPERM);
    os_seccomp_rule_end(s, at);
    /* Typing into a terminal that is shared with somebody outside. */
    static const uint32_t ioctls[] = { TIOCSTI, TIOCLINUX, TIOCSETD };
    for (size_t i = 0; i < OC_COUNT(ioctls); i++) {
        os_seccomp_refuse_value(s, SYS_ioctl, 1, ioctls[i], EPERM);
    }
}

/* Of what is loaded: a family of sockets, a kind, a protocol. */
static void allow_value(struct os_seccomp *s, int value) {
    os_seccomp_if_equal(s, (uint32_t)value, 0, 1);
    os_seccomp_answer(s, SECCOMP_RET_ALLOW);
}

/* A service of this user that listens on a unix socket (the session bus, docker, an agent with
 * keys) does things outside for whoever asks, and neither Landlock nor a namespace stops a connect
 * to a path. */
static void rules_sockets(struct os_seccomp *s, const struct os_sandbox_spec *spec) {
    unsigned short at = os_seccomp_rule(s, SYS_socket);
    os_seccomp_load_arg(s, 0);
    if (spec->unix_sockets) {
        allow_value(s, AF_UNIX);
    }
    if (!spec->no_network) {
        allow_value(s, AF_INET);
        allow_value(s, AF_INET6);
        /* Looking up one's own addresses, as every resolver does: NETLINK_ROUTE and no other. */
        os_seccomp_if_equal(s, AF_NETLINK, 0, 3);
        os_seccomp_load_arg(s, 2);
        allow_value(s, 0);
    }
    os_seccomp_fail(s, EACCES);
    os_seccomp_rule_end(s, at);
    if (spec->unix_sockets) {
        return;
    }
    /* Pairs are harmless while they stay pairs; one of datagrams can be pointed elsewhere. */
    at = os_seccomp_rule(s, SYS_socketpair);
    os_seccomp_load_arg(s, 1);
    os_seccomp_mask(s, 0xf);
    allow_value(s, SOCK_STREAM);
    allow_value(s, SOCK_SEQPACKET);
    os_seccomp_fail(s, EACCES);
    os_seccomp_rule_end(s, at);
}

/* Who may read a file may be told of everyone who opens it: which programs others run, and when.
 * The C library and most tools look from time to time instead when the kernel has no such thing. */
static void rules_watches(struct os_seccomp *s) {
    os_seccomp_refuse(s, SYS_inotify_init1, ENOSYS);
#ifdef SYS_inotify_init
    os_seccomp_refuse(s, SYS_inotify_init, ENOSYS);
#endif
    static const uint32_t commands[] = { F_NOTIFY, F_SETLEASE };
    for (size_t i = 0; i < OC_COUNT(commands); i++) {
        os_seccomp_refuse_value(s, SYS_fcntl, 1, commands[i], EINVAL);
    }
}

void os_seccomp_build(const struct os_sandbox_spec *spec, struct os_seccomp *ret) {
    os_seccomp_begin(ret);
    os_seccomp_refuse_all(ret, refused, OC_COUNT(refused), EPERM);
    rules_files(ret, spec->features->landlock_abi < 3);
    rules_processes(ret);
    rules_sockets(ret, spec);
    if (!spec->may_watch) {
        rules_watches(ret);
    }
    os_seccomp_end(ret, SECCOMP_RET_ALLOW);
}
