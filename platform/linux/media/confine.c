#include "platform/linux/media/confine.h"

#include "base/mem.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* Landlock's first version; what is in memory (the capture, the muxer's scratch file) is not its business. */
#define CHANGES                                                             \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |        \
            LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
            LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |     \
            LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
            LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

static void allow(int rules, const char *path, uint64_t access) {
    OC_AUTO_FD int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd >= 0) {
        struct landlock_path_beneath_attr rule = { .allowed_access = access, .parent_fd = fd };
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
}

/* Where GStreamer remembers what its plugins can do; made here, because its parent is out of reach later. */
static char *plugin_cache(void) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    OC_AUTO_FREE char *base = cache && cache[0] == '/' ? oc_strdup(cache)
                              : home                   ? oc_strfmt("%s/.cache", home)
                                                       : NULL;
    if (!base) {
        return NULL;
    }
    char *path = oc_strfmt("%s/gstreamer-1.0", base);
    mkdir(base, 0700);
    mkdir(path, 0700);
    return path;
}

void oc_media_confine(void) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return;
    }
    struct landlock_ruleset_attr attr = { .handled_access_fs = CHANGES };
    OC_AUTO_FD int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
    if (rules < 0) {
        return;
    }
    OC_AUTO_FREE char *cache = plugin_cache();
    if (cache) {
        allow(rules, cache, CHANGES);
    }
    allow(rules, "/dev", LANDLOCK_ACCESS_FS_WRITE_FILE);
    syscall(SYS_landlock_restrict_self, rules, 0);
}
