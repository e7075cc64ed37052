/* What this kernel has, by trying: settings, security modules and containers all have a say, and
 * none of them can be asked. */
#include "platform/linux/sandbox/sandbox.h"

#include "lib/base/mem.h"
#include "platform/linux/kernel/landlock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has_seccomp(void) {
    uint32_t action = SECCOMP_RET_ERRNO;
    return os_seccomp_is_known() && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* Child: gives 0 or an errno, and never comes back. */
static void try_namespaces(bool own_proc) {
    struct os_sandbox_built c = { .no_network = true };
    struct os_mount_op ops[] = {
        { .kind = OS_MOUNT_DIR, .to = (char[]){ "/proc" } },
        { .kind = OS_MOUNT_DIR, .to = (char[]){ "/dev" } },
        { .kind = OS_MOUNT_BIND,
                .from = (char[]){ "/dev/null" },
                .to = (char[]){ "/dev/null" },
                .writable = true },
    };
    struct os_mounts m = { .ops = ops, .count = OC_COUNT(ops), .own_proc = own_proc };
    snprintf(c.uid_map, sizeof(c.uid_map), "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(c.gid_map, sizeof(c.gid_map), "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    int rc = os_namespaces_enter(&c);
    if (!rc) {
        /* A new /proc belongs to the processes to come, so the mounts are made by one of them. */
        pid_t pid = fork();
        if (pid == 0) {
            _exit(os_mounts_enter(&m));
        }
        int status = 0;
        rc = pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ? EIO
                                                                              : WEXITSTATUS(status);
    }
    _exit(rc);
}

static int namespaces_errno(bool own_proc) {
    pid_t pid = fork();
    if (pid == 0) {
        try_namespaces(own_proc);
    }
    int status = 0;
    pid_t got;
    do {
        got = pid < 0 ? pid : waitpid(pid, &status, 0);
    } while (got < 0 && pid > 0 && errno == EINTR);
    return got < 0 || !WIFEXITED(status) ? EIO : WEXITSTATUS(status);
}

void os_sandbox_probe(struct os_sandbox_features *ret) {
    *ret = (struct os_sandbox_features){ .seccomp = has_seccomp() };
    int abi = os_landlock_abi();
    ret->landlock_abi = abi > 0 ? abi : 0;
    ret->landlock_errno = abi > 0 ? 0 : errno;
    ret->own_proc = namespaces_errno(true) == 0;
    ret->namespaces_errno = ret->own_proc ? 0 : namespaces_errno(false);
    ret->namespaces = ret->namespaces_errno == 0;
}
