/* What a contained program may not ask of the kernel: a seccomp filter, written out as the small program
 * that it is.
 *
 * It refuses what would lead around the other walls (sockets of local services, handles, other
 * processes' memory), what makes files that outlive the containment dangerous (set-user-id bits), and
 * what an ordinary command never needs but exploits do. The rest is allowed: this is a list of
 * refusals, not of permissions, since nobody can list what all compilers and interpreters call. */
#include "platform/linux/sandbox/contain.h"

#include "lib/base/mem.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#if defined(__x86_64__) && !defined(__ILP32__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && !defined(__ILP32__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OUR_ARCH AUDIT_ARCH_RISCV64
#else
#define OUR_ARCH 0u
#endif

/* Newer calls; the numbers are the same on all processors. */
enum {
    NR_PIDFD_GETFD = 438,
    NR_OPENAT2 = 437,
    NR_PROCESS_MADVISE = 440,
    NR_MOUNT_SETATTR = 442,
    NR_QUOTACTL_FD = 443,
    NR_FCHMODAT2 = 452,
    NR_OPEN_TREE_ATTR = 467,
    X32_BIT = 0x40000000,
    MAX_INSNS = 1024,
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

struct program {
    struct sock_filter *insns;
    unsigned short len;
};

static void emit(struct program *p, unsigned short code, uint32_t k, uint8_t yes, uint8_t no) {
    if (p->len < MAX_INSNS) {
        p->insns[p->len] = (struct sock_filter){ .code = code, .jt = yes, .jf = no, .k = k };
    }
    p->len++;
}

static void ret(struct program *p, uint32_t action) {
    emit(p, BPF_RET | BPF_K, action, 0, 0);
}

static void refuse_with(struct program *p, int errnum) {
    ret(p, SECCOMP_RET_ERRNO | (uint32_t)errnum);
}

static void load(struct program *p, size_t offset) {
    emit(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The low half: all arguments looked at here are 32 bits wide in the kernel. */
static void load_arg(struct program *p, int i) {
    size_t at = offsetof(struct seccomp_data, args) + (size_t)i * 8;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    at += 4;
#endif
    load(p, at);
}

static void load_nr(struct program *p) {
    load(p, offsetof(struct seccomp_data, nr));
}

static void refuse(struct program *p, int nr, int errnum) {
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1);
    refuse_with(p, errnum);
}

/* A rule about arguments is written between these: it falls out at the end for "go on". */
static unsigned short begin(struct program *p, int nr) {
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 0);
    return (unsigned short)(p->len - 1);
}

static void end(struct program *p, unsigned short at) {
    if (p->len < MAX_INSNS) {
        p->insns[at].jf = (uint8_t)(p->len - at - 1);
    }
    load_nr(p); /* also reached by the jump: the number is loaded either way */
}

static void refuse_bits(struct program *p, int nr, int arg, uint32_t bits) {
    unsigned short at = begin(p, nr);
    load_arg(p, arg);
    emit(p, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    refuse_with(p, EPERM);
    end(p, at);
}

/* The mode counts only when a file may be made; without O_CREAT it is whatever was in the register.
 * Opening for reading with O_TRUNC empties the file all the same, which Landlock sees from version 3 on. */
static void rule_open(struct program *p, int nr, int flags_arg, bool guard_truncate) {
    unsigned short at = begin(p, nr);
    load_arg(p, flags_arg);
    emit(p, BPF_JMP | BPF_JSET | BPF_K, O_CREAT | __O_TMPFILE, 0, 3);
    load_arg(p, flags_arg + 1);
    emit(p, BPF_JMP | BPF_JSET | BPF_K, SPECIAL_BITS, 0, 1);
    refuse_with(p, EPERM);
    if (guard_truncate) {
        load_arg(p, flags_arg);
        emit(p, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_TRUNC, 0, 0);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, O_TRUNC, 0, 1);
        refuse_with(p, EACCES);
    }
    end(p, at);
}

static void rules_files(struct program *p, bool guard_truncate) {
    refuse_bits(p, SYS_fchmod, 1, SPECIAL_BITS);
    refuse_bits(p, SYS_fchmodat, 2, SPECIAL_BITS);
    refuse_bits(p, NR_FCHMODAT2, 2, SPECIAL_BITS);
    refuse_bits(p, SYS_mknodat, 2, SPECIAL_BITS);
    rule_open(p, SYS_openat, 2, guard_truncate);
    refuse(p, NR_OPENAT2, ENOSYS); /* its flags are in memory, out of our sight */
#ifdef SYS_open
    rule_open(p, SYS_open, 1, guard_truncate);
    refuse_bits(p, SYS_creat, 1, SPECIAL_BITS);
    refuse_bits(p, SYS_chmod, 1, SPECIAL_BITS);
    refuse_bits(p, SYS_mknod, 1, SPECIAL_BITS);
#endif
    if (guard_truncate) {
        refuse(p, SYS_truncate, EACCES);
    }
}

static void rules_processes(struct program *p) {
    refuse_bits(p, SYS_clone, 0, NEW_NAMESPACES);
    refuse_bits(p, SYS_unshare, 0, NEW_NAMESPACES | NEW_TIME_NAMESPACE);
    refuse(p, SYS_clone3, ENOSYS); /* flags in memory; the C library then uses clone */
    unsigned short at = begin(p, SYS_personality);
    load_arg(p, 0);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 1, 0); /* only asks */
    refuse_with(p, EPERM);
    end(p, at);
    /* Typing into a terminal that is shared with somebody outside. */
    static const uint32_t ioctls[] = { TIOCSTI, TIOCLINUX, TIOCSETD };
    for (size_t i = 0; i < OC_COUNT(ioctls); i++) {
        at = begin(p, SYS_ioctl);
        load_arg(p, 1);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, ioctls[i], 0, 1);
        refuse_with(p, EPERM);
        end(p, at);
    }
}

static void allow_family(struct program *p, int family) {
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)family, 0, 1);
    ret(p, SECCOMP_RET_ALLOW);
}

/* A service of this user that listens on a unix socket (the session bus, docker, an agent with keys)
 * does things outside for whoever asks, and neither Landlock nor a namespace stops a connect to a path. */
static void rules_sockets(struct program *p, const struct oc_contain_spec *spec) {
    unsigned short at = begin(p, SYS_socket);
    load_arg(p, 0);
    if (spec->unix_sockets) {
        allow_family(p, AF_UNIX);
    }
    if (!spec->no_network) {
        allow_family(p, AF_INET);
        allow_family(p, AF_INET6);
        /* Looking up one's own addresses, as every resolver does: NETLINK_ROUTE and no other. */
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 3);
        load_arg(p, 2);
        allow_family(p, 0);
    }
    refuse_with(p, EACCES);
    end(p, at);
    if (spec->unix_sockets) {
        return;
    }
    /* Pairs are harmless while they stay pairs; one of datagrams can be pointed elsewhere. */
    at = begin(p, SYS_socketpair);
    load_arg(p, 1);
    emit(p, BPF_ALU | BPF_AND | BPF_K, 0xf, 0, 0);
    allow_family(p, SOCK_STREAM);
    allow_family(p, SOCK_SEQPACKET);
    refuse_with(p, EACCES);
    end(p, at);
}

/* Who may read a file may be told of everyone who opens it: which programs others run, and when. The C library and most
 * tools look from time to time instead when the kernel has no such thing. */
static void rules_watches(struct program *p) {
    refuse(p, SYS_inotify_init1, ENOSYS);
#ifdef SYS_inotify_init
    refuse(p, SYS_inotify_init, ENOSYS);
#endif
    static const uint32_t commands[] = { F_NOTIFY, F_SETLEASE };
    for (size_t i = 0; i < OC_COUNT(commands); i++) {
        unsigned short at = begin(p, SYS_fcntl);
        load_arg(p, 1);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, commands[i], 0, 1);
        refuse_with(p, EINVAL);
        end(p, at);
    }
}

bool oc_seccomp_is_known(void) {
    return OUR_ARCH != 0;
}

struct sock_filter *oc_seccomp_build(const struct oc_contain_spec *spec, unsigned short *ret_len) {
    struct program p = { .insns = oc_new_array(struct sock_filter, MAX_INSNS) };
    load(&p, offsetof(struct seccomp_data, arch));
    emit(&p, BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0);
    ret(&p, SECCOMP_RET_KILL_PROCESS); /* 32-bit calls have other numbers */
    load_nr(&p);
#ifdef __x86_64__
    emit(&p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    ret(&p, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < OC_COUNT(refused); i++) {
        refuse(&p, refused[i], EPERM);
    }
    rules_files(&p, spec->features->landlock_abi < 3);
    rules_processes(&p);
    rules_sockets(&p, spec);
    if (!spec->may_watch) {
        rules_watches(&p);
    }
    ret(&p, SECCOMP_RET_ALLOW);
    *ret_len = p.len;
    return p.insns;
}
