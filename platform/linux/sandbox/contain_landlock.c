/* Which files a contained program reaches: a Landlock ruleset, by direct system calls.
 *
 * Everything that Landlock can forbid is forbidden, and the listed places are opened again. The names
 * of newer rights are spelt out here: our oldest build machine's headers end at version 2, while the
 * kernel that runs us may know more. */
#include "platform/linux/sandbox/contain.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <sys/prctl.h>
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
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    MAKE_CHAR = 1 << 6,
    MAKE_BLOCK = 1 << 11,
    FIRST_ABI = (1 << 13) - 1,
    REFER = 1 << 13,     /* ABI 2; before it, links and renames between directories are refused */
    TRUNCATE = 1 << 14,  /* ABI 3; before it, contain_seccomp.c refuses truncate */
    IOCTL_DEV = 1 << 15, /* ABI 5 */
    READ = EXECUTE | READ_FILE | READ_DIR,
    FOR_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV,
    NET_TCP = 3,   /* ABI 4: bind and connect */
    SCOPE_ALL = 3, /* ABI 6: abstract unix sockets, signals */
};

/* The kernel's struct of ABI 6. Older kernels take it as long as what they do not know is zero. */
struct ruleset_attr {
    uint64_t fs, net, scoped;
};

int oc_landlock_abi(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static uint64_t handled(int abi) {
    return FIRST_ABI | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0) |
           (abi >= 5 ? IOCTL_DEV : 0);
}

static void add(struct oc_landlock *l, size_t *count, char *take_path, uint64_t access) {
    l->rules = oc_realloc(l->rules, (*count + 2) * sizeof(*l->rules));
    l->rules[(*count)++] = (struct oc_landlock_rule){ take_path, access & handled(l->abi) };
    l->rules[*count] = (struct oc_landlock_rule){ NULL, 0 };
}

void oc_landlock_plan(const struct oc_contain_spec *spec, struct oc_landlock *ret) {
    /* Devices are not made in a workspace, and not used there either. */
    const uint64_t change = ~(uint64_t)(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV);
    static const char *const own[] = { "tmp", "home", "shm" };
    /* Not /dev/pts and /dev/shm: the owner's terminals and other programs' memory. */
    static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
        "/dev/urandom", "/dev/tty" };
    size_t n = 0;
    *ret = (struct oc_landlock){ .abi = spec->features->landlock_abi, .no_tcp = spec->no_network };
    for (const char *const *p = spec->readable; *p; p++) {
        add(ret, &n, oc_strdup(*p), READ);
    }
    for (const char *const *p = spec->writable; *p; p++) {
        add(ret, &n, oc_strdup(*p), change);
    }
    for (size_t i = 0; i < OC_COUNT(own); i++) {
        add(ret, &n, oc_strfmt("%s/%s", spec->run_dir, own[i]), change);
    }
    for (size_t i = 0; i < OC_COUNT(devices); i++) {
        add(ret, &n, oc_strdup(devices[i]), READ_FILE | WRITE_FILE | IOCTL_DEV);
    }
    if (spec->features->namespaces) { /* the last of ours, in the program's own root */
        add(ret, &n, oc_strdup("/dev/shm"), change);
    }
    if (spec->features->namespaces && spec->features->own_proc) {
        add(ret, &n, oc_strdup("/proc"), READ_FILE | READ_DIR);
    }
}

void oc_landlock_finish(struct oc_landlock *l) {
    for (struct oc_landlock_rule *r = l->rules; r && r->path; r++) {
        oc_free(r->path);
    }
    oc_free(l->rules);
    *l = (struct oc_landlock){ 0 };
}

/* A place that does not exist, or not for us, needs no rule. */
static int allow(int ruleset, const struct oc_landlock_rule *r) {
    int fd = open(r->path, O_PATH | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : errno;
    }
    struct stat st;
    int rc = fstat(fd, &st) == 0 ? 0 : errno;
    if (!rc) {
        struct landlock_path_beneath_attr rule = {
            .allowed_access = S_ISDIR(st.st_mode) ? r->access : r->access & FOR_FILES,
            .parent_fd = fd,
        };
        rc = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0
                     ? 0
                     : errno;
    }
    close(fd);
    return rc;
}

int oc_landlock_enter(const struct oc_landlock *l) {
    struct ruleset_attr attr = {
        .fs = handled(l->abi),
        .net = l->abi >= 4 && l->no_tcp ? NET_TCP : 0,
        .scoped = l->abi >= 6 ? SCOPE_ALL : 0,
    };
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
    int rc = ruleset < 0 ? errno : 0;
    for (const struct oc_landlock_rule *r = l->rules; !rc && r->path; r++) {
        rc = allow(ruleset, r);
    }
    if (!rc && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) {
        rc = errno;
    }
    if (ruleset >= 0) {
        close(ruleset);
    }
    return rc;
}
