/* What a sandboxed program sees of the file system, planned before there is a child.
 *
 * Landlock refuses to open what it does not list, but a name that can be walked to can be looked at
 * (stat) and watched. So the program gets a root of its own: an empty one, into which the listed
 * places are bound where they were, with the links and directories on the way to them. What is not
 * listed has no name there: no home but the workspace, no /run/user, no /var/lib, no /dev/disk, and
 * of /sys and /etc only the parts that programs need. */
#include "platform/linux/sandbox/sandbox.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

static struct os_mount_op *sandbox_view_add(struct os_mounts *m, struct os_mount_op op) {
    m->ops = oc_realloc(m->ops, (m->count + 1) * sizeof(*m->ops));
    m->ops[m->count] = op;
    return &m->ops[m->count++];
}

static bool is_bound(const struct os_mounts *m, const char *path) {
    for (size_t i = 0; i < m->count; i++) {
        if (m->ops[i].kind == OS_MOUNT_BIND && oc_path_covers(m->ops[i].to, path)) {
            return true;
        }
    }
    return false;
}

static bool is_there(const struct os_mounts *m, const char *path) {
    for (size_t i = 0; i < m->count; i++) {
        if (strcmp(m->ops[i].to, path) == 0) {
            return true;
        }
    }
    return false;
}

static void add_dir(struct os_mounts *m, const char *path) {
    if (!is_bound(m, path) && !is_there(m, path)) {
        sandbox_view_add(m, (struct os_mount_op){ .kind = OS_MOUNT_DIR, .to = oc_strdup(path) });
    }
}

static void add_link(struct os_mounts *m, const char *path, const char *target) {
    if (!is_bound(m, path) && !is_there(m, path)) {
        sandbox_view_add(m,
                (struct os_mount_op){
                        .kind = OS_MOUNT_LINK, .from = oc_strdup(target), .to = oc_strdup(path) });
    }
}

static void add_bind(
        struct os_mounts *m, const char *from, const char *to, bool is_dir, bool writable) {
    if (!writable && is_bound(m, to)) {
        return;
    }
    sandbox_view_add(m, (struct os_mount_op){ .kind = OS_MOUNT_BIND,
                                .from = oc_strdup(from),
                                .to = oc_strdup(to),
                                .is_dir = is_dir,
                                .writable = writable });
}

/* Makes the directories and links of the way, and gives the place at its end, or NULL when there is
 * none. */
static char *sandbox_view_walk(struct os_mounts *m, const char *path, struct stat *ret_st) {
    OC_AUTO_FREE char *at = oc_strdup("");
    OC_AUTO_FREE char *rest = oc_strdup(path);
    int links = 0;
    *ret_st = (struct stat){ 0 };
    for (;;) {
        const char *name = rest + strspn(rest, "/");
        size_t len = strcspn(name, "/");
        if (len == 0) {
            return *at ? oc_take(&at) : NULL;
        }
        if (len == 2 && memcmp(name, "..", 2) == 0) {
            char *slash = strrchr(at, '/');
            if (slash) {
                *slash = '\0';
            }
        }
        OC_AUTO_FREE char *next = len <= 2 && strspn(name, ".") >= len
                                          ? oc_strdup(at)
                                          : oc_strfmt("%s/%.*s", at, (int)len, name);
        OC_AUTO_FREE char *left = oc_strdup(name + len);
        /* /proc is not the one that we see */
        if (*next && (oc_path_covers("/proc", next) || lstat(next, ret_st) != 0)) {
            return NULL;
        }
        if (*next && S_ISLNK(ret_st->st_mode)) {
            char target[PATH_MAX];
            ssize_t n = readlink(next, target, sizeof(target) - 1);
            if (n <= 0 || ++links > MAX_LINKS) {
                return NULL;
            }
            target[n] = '\0';
            add_link(m, next, target);
            oc_free(rest);
            rest = oc_strfmt("%s%s", target, left);
            if (target[0] == '/') {
                at[0] = '\0';
            }
            continue;
        }
        if (*next && left[strspn(left, "/")] && S_ISDIR(ret_st->st_mode)) {
            add_dir(m, next);
        }
        oc_free(at);
        at = oc_take(&next);
        oc_free(rest);
        rest = oc_take(&left);
    }
}

static void add_place(struct os_mounts *m, const char *path, bool writable) {
    struct stat st;
    OC_AUTO_FREE char *real = sandbox_view_walk(m, path, &st);
    if (real) {
        add_bind(m, real, real, S_ISDIR(st.st_mode), writable);
    }
}

/* Nothing of these is anybody's: no disks, terminals, cameras, and no memory of others. */
static void add_devices(struct os_mounts *m) {
    static const char *const nodes[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
        "/dev/urandom", "/dev/tty" };
    static const char *const links[][2] = { { "/dev/fd", "/proc/self/fd" },
        { "/dev/stdin", "/proc/self/fd/0" }, { "/dev/stdout", "/proc/self/fd/1" },
        { "/dev/stderr", "/proc/self/fd/2" } };
    add_dir(m, "/dev");
    for (size_t i = 0; i < OC_COUNT(nodes); i++) {
        struct stat st;
        if (stat(nodes[i], &st) == 0) {
            add_bind(m, nodes[i], nodes[i], false, false);
        }
    }
    for (size_t i = 0; i < OC_COUNT(links); i++) {
        add_link(m, links[i][0], links[i][1]);
    }
}

/* A stand-in for /tmp would hide what lies there. */
static bool is_tmp_free(const struct os_mounts *m) {
    for (size_t i = 0; i < m->count; i++) {
        if (oc_path_covers("/tmp", m->ops[i].to) || oc_path_covers("/var/tmp", m->ops[i].to)) {
            return false;
        }
    }
    return true;
}

/* Our own directories must be there. */
static void add_own(struct os_mounts *m, const char *run_dir) {
    static const char *const parts[] = { "tmp", "home", "shm" };
    struct stat st;
    OC_AUTO_FREE char *real = sandbox_view_walk(m, run_dir, &st);
    if (!real) {
        real = oc_strdup(run_dir);
    }
    OC_AUTO_FREE char *tmp = oc_strfmt("%s/tmp", real);
    bool over_tmp =
            is_tmp_free(m) && !oc_path_covers("/tmp", real) && !oc_path_covers("/var/tmp", real);
    add_dir(m, real);
    for (size_t i = 0; i < OC_COUNT(parts); i++) {
        OC_AUTO_FREE char *part = oc_strfmt("%s/%s", real, parts[i]);
        add_bind(m, part, i == 2 ? "/dev/shm" : part, true, true);
    }
    if (over_tmp) {
        add_dir(m, "/var");
        add_bind(m, tmp, "/tmp", true, true);
        add_bind(m, tmp, "/var/tmp", true, true);
    }
}

void os_view_plan(const struct os_sandbox_spec *spec, struct os_mounts *ret) {
    static const char *const always[] = { "/proc", "/tmp", "/home", "/root", "/run" };
    *ret = (struct os_mounts){ .own_proc = spec->features->own_proc };
    for (const char *const *p = spec->readable; *p; p++) {
        add_place(ret, *p, false);
    }
    add_devices(ret);
    for (const char *const *p = spec->writable; *p; p++) {
        add_place(ret, *p, true);
    }
    struct stat st;
    /* The links that lead to it; it is in a listed place itself. */
    oc_free(spec->program ? sandbox_view_walk(ret, spec->program, &st) : NULL);
    add_own(ret, spec->run_dir);
    for (size_t i = 0; i < OC_COUNT(always); i++) {
        add_dir(ret, always[i]);
    }
}

void os_view_finish(struct os_mounts *m) {
    for (size_t i = 0; i < m->count; i++) {
        oc_free(m->ops[i].from);
        oc_free(m->ops[i].to);
    }
    oc_free(m->ops);
    *m = (struct os_mounts){ 0 };
}
