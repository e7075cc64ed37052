#include "canvas/images/confine.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(__ILP32__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && !defined(__ILP32__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OUR_ARCH AUDIT_ARCH_RISCV64
#else
#define OUR_ARCH 0u
#endif

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum {
    NR_PIDFD_GETFD = 438,
    X32_BIT = 0x40000000,
    MAX_INSNS = 256,
    FIRST_ABI = (1 << 13) - 1, /* of Landlock: everything that it knew about files at first */
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    READ = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
};

struct program {
    struct sock_filter insns[MAX_INSNS];
    unsigned short len;
};

static void emit(struct program *p, unsigned code, uint32_t k, uint8_t yes, uint8_t no) {
    p->insns[p->len++] = (struct sock_filter){ (uint16_t)code, yes, no, k };
}

static void answer(struct program *p, int nr, uint32_t action) {
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1);
    emit(p, BPF_RET | BPF_K, action, 0, 0);
}

/* Leaves the call's number loaded. */
static void begin(struct program *p) {
    emit(p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0);
    emit(p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0); /* 32-bit calls: other numbers */
    emit(p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
#ifdef __x86_64__
    emit(p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    emit(p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
#endif
}

static void apply(struct program *p, uint32_t otherwise) {
    emit(p, BPF_RET | BPF_K, otherwise, 0, 0);
    struct sock_fprog prog = { .len = p->len, .filter = p->insns };
    if (OUR_ARCH != 0) {
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
    }
}

static void give_up_rights(void) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void oc_confine_to_memory(void) {
    static const int allowed[] = { SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_lseek,
        SYS_ftruncate, SYS_fstat, SYS_close, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect,
        SYS_madvise, SYS_brk, SYS_futex, SYS_sched_yield, SYS_getrandom, SYS_getpid, SYS_gettid,
        SYS_clock_gettime, SYS_clock_nanosleep, SYS_rt_sigreturn, SYS_rt_sigprocmask,
        SYS_rt_sigaction, SYS_sigaltstack, SYS_tgkill, SYS_exit, SYS_exit_group };
    struct program p = { .len = 0 };
    give_up_rights();
    begin(&p);
    for (size_t i = 0; i < OC_COUNT(allowed); i++) {
        answer(&p, allowed[i], SECCOMP_RET_ALLOW);
    }
    apply(&p, SECCOMP_RET_ERRNO | EPERM);
}

static void allow_reading(int rules, const char *path) {
    OC_AUTO_FD int fd = open(path, O_PATH | O_CLOEXEC);
    struct landlock_path_beneath_attr rule = { .allowed_access = READ, .parent_fd = fd };
    if (fd >= 0 && syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0)) {
        rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE; /* it is a file */
        (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
}

static void close_files(void) {
    static const char *const readable[] = { "/usr", "/lib", "/lib64", "/nix/store", "/gnu/store",
        "/etc/fonts", "/etc/ld.so.cache", "/var/cache/fontconfig" };
    int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    struct landlock_ruleset_attr attr = { .handled_access_fs = FIRST_ABI | (abi >= 2 ? REFER : 0) |
                                                               (abi >= 3 ? TRUNCATE : 0) };
    OC_AUTO_FD int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
    if (rules < 0) {
        return;
    }
    for (size_t i = 0; i < OC_COUNT(readable); i++) {
        allow_reading(rules, readable[i]);
    }
    (void)syscall(SYS_landlock_restrict_self, rules, 0);
}

/* Libraries call too much to list what they may; so this lists what they may not. */
void oc_confine_to_fonts(void) {
    static const int refused[] = { SYS_execve, SYS_execveat, SYS_socket, SYS_socketpair,
        SYS_connect, SYS_bind, SYS_listen, SYS_sendto, SYS_sendmsg, SYS_kill, SYS_ptrace,
        SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, NR_PIDFD_GETFD, SYS_mount,
        SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, SYS_open_by_handle_at,
        SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
        SYS_io_uring_setup, SYS_shmget, SYS_msgget, SYS_chdir, SYS_fchdir, SYS_setsid,
#ifdef SYS_fork
        SYS_fork, SYS_vfork, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes,
#endif
        SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_truncate };
    struct program p = { .len = 0 };
    give_up_rights();
    close_files();
    begin(&p);
    for (size_t i = 0; i < OC_COUNT(refused); i++) {
        answer(&p, refused[i], SECCOMP_RET_ERRNO | EPERM);
    }
    answer(&p, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS); /* the C library then uses clone */
    emit(&p, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3);
    emit(&p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args), 0, 0);
    emit(&p, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
    emit(&p, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
    apply(&p, SECCOMP_RET_ALLOW);
}

/* WebKit walls in its own processes with namespaces and mounts, which Landlock would not let it; so it is only kept from what it
 * never needs. A bwrap that is set-user-id works only where rights may still be gained. */
void oc_confine_web(void) {
    static const int refused[] = { SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
        NR_PIDFD_GETFD, SYS_open_by_handle_at, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf,
        SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_init_module, SYS_finit_module,
        SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_syslog,
        SYS_acct, SYS_settimeofday, SYS_clock_settime };
    struct program p = { .len = 0 };
    struct stat st;
    if (stat("/usr/bin/bwrap", &st) == 0 && (st.st_mode & S_ISUID)) {
        return;
    }
    give_up_rights();
    begin(&p);
    for (size_t i = 0; i < OC_COUNT(refused); i++) {
        answer(&p, refused[i], SECCOMP_RET_ERRNO | EPERM);
    }
    apply(&p, SECCOMP_RET_ALLOW);
}
