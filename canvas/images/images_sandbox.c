#include "canvas/images/images_sandbox.h"

#include "lib/base/mem.h"
#include "platform/linux/kernel/landlock.h"
#include "platform/linux/kernel/seccomp.h"

#include <errno.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define NR_PIDFD_GETFD 438 /* on all processors */

static void give_up_rights(void) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void cv_sandbox_to_memory(void) {
    static const int allowed[] = { SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_lseek,
        SYS_ftruncate, SYS_fstat, SYS_close, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect,
        SYS_madvise, SYS_brk, SYS_futex, SYS_sched_yield, SYS_getrandom, SYS_getpid, SYS_gettid,
        SYS_clock_gettime, SYS_clock_nanosleep, SYS_rt_sigreturn, SYS_rt_sigprocmask,
        SYS_rt_sigaction, SYS_sigaltstack, SYS_tgkill, SYS_exit, SYS_exit_group };
    struct os_seccomp s;
    give_up_rights();
    os_seccomp_begin(&s);
    for (size_t i = 0; i < OC_COUNT(allowed); i++) {
        os_seccomp_allow(&s, allowed[i]);
    }
    os_seccomp_end(&s, SECCOMP_RET_ERRNO | EPERM);
    (void)os_seccomp_enter(&s);
}

static void close_files(void) {
    static const char *const readable[] = { "/usr", "/lib", "/lib64", "/nix/store", "/gnu/store",
        "/etc/fonts", "/etc/ld.so.cache", "/var/cache/fontconfig" };
    struct os_landlock_handled handled = { .fs = os_landlock_file_rights(os_landlock_abi()) };
    OC_AUTO_FD int rules = os_landlock_create(&handled);
    if (rules < 0) {
        return;
    }
    for (size_t i = 0; i < OC_COUNT(readable); i++) {
        (void)os_landlock_allow(rules, readable[i], OS_LANDLOCK_READ);
    }
    (void)os_landlock_restrict(rules);
}

/* Libraries call too much to list what they may; so this lists what they may not. */
void cv_sandbox_to_fonts(void) {
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
    struct os_seccomp s;
    give_up_rights();
    close_files();
    os_seccomp_begin(&s);
    os_seccomp_refuse_all(&s, refused, OC_COUNT(refused), EPERM);
    os_seccomp_refuse(&s, SYS_clone3, ENOSYS); /* the C library then uses clone */
    unsigned short rule = os_seccomp_rule(&s, SYS_clone);
    os_seccomp_load_arg(&s, 0);
    os_seccomp_if_bits(&s, CLONE_THREAD, 1, 0);
    os_seccomp_fail(&s, EPERM);
    os_seccomp_rule_end(&s, rule);
    os_seccomp_end(&s, SECCOMP_RET_ALLOW);
    (void)os_seccomp_enter(&s);
}

/* WebKit sandboxes its own processes with namespaces and mounts, which Landlock would not let it;
 * so it is only kept from what it never needs. A bwrap that is set-user-id works only where rights
 * may still be gained. */
void cv_sandbox_web(void) {
    static const int refused[] = { SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
        NR_PIDFD_GETFD, SYS_open_by_handle_at, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf,
        SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_init_module, SYS_finit_module,
        SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_syslog,
        SYS_acct, SYS_settimeofday, SYS_clock_settime };
    struct os_seccomp s;
    struct stat st;
    if (stat("/usr/bin/bwrap", &st) == 0 && (st.st_mode & S_ISUID)) {
        return;
    }
    give_up_rights();
    os_seccomp_begin(&s);
    os_seccomp_refuse_all(&s, refused, OC_COUNT(refused), EPERM);
    os_seccomp_end(&s, SECCOMP_RET_ALLOW);
    (void)os_seccomp_enter(&s);
}
