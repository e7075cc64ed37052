#include "platform/linux/kernel/landlock.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Numbers are the same on all processors. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum {
    FIRST_ABI = (1 << 13) - 1,
    REFER = 1 << 13,    /* ABI 2; before it, links and renames between directories are refused */
    TRUNCATE = 1 << 14, /* ABI 3; before it, sandbox/sandbox_seccomp.c refuses truncate */
    FOR_FILES = OS_LANDLOCK_EXECUTE | OS_LANDLOCK_WRITE_FILE | OS_LANDLOCK_READ_FILE | TRUNCATE |
                OS_LANDLOCK_IOCTL_DEV,
    TCP = 3,
    SCOPES = 3,
};

int os_landlock_abi(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

uint64_t os_landlock_file_rights(int abi) {
    return FIRST_ABI | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0) |
           (abi >= 5 ? OS_LANDLOCK_IOCTL_DEV : 0);
}

uint64_t os_landlock_tcp_rights(int abi) {
    return abi >= 4 ? TCP : 0;
}

uint64_t os_landlock_scope_rights(int abi) {
    return abi >= 6 ? SCOPES : 0;
}

int os_landlock_create(const struct os_landlock_handled *handled) {
    return (int)syscall(SYS_landlock_create_ruleset, handled, sizeof(*handled), 0);
}

int os_landlock_allow(int rules, const char *path, uint64_t access) {
    OC_AUTO_FD int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat st;
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno;
    }
    if (fstat(fd, &st) != 0) {
        return errno;
    }
    struct landlock_path_beneath_attr rule = {
        .allowed_access = S_ISDIR(st.st_mode) ? access : access & FOR_FILES,
        .parent_fd = fd,
    };
    int rc = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    return rc == 0 ? 0 : errno;
}

int os_landlock_restrict(int rules) {
    return syscall(SYS_landlock_restrict_self, rules, 0) == 0 ? 0 : errno;
}
