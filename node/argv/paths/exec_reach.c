#include "node/argv/paths/exec_reach.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

static _Thread_local struct nd_exec_reach *current;

/* Those that another machine or another process serves. */
static bool may_hang(const char *type) {
    static const char *const prefixes[] = { "fuse", "nfs", "cifs", "smb", "9p", "ceph", "afs",
        "autofs", "virtiofs", "coda", "ncpfs", "glusterfs", "lustre", "ocfs2", "gfs2", "orangefs",
        "davfs" };
    for (size_t i = 0; i < OC_COUNT(prefixes); i++) {
        if (oc_starts_with(type, prefixes[i]) && strcmp(type, "fusectl") != 0) {
            return true;
        }
    }
    return false;
}

static bool is_octal(const char *s) {
    return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' && s[2] <= '7';
}

/* The kernel writes blanks and backslashes as \ooo. */
static void exec_reach_unescape(char *s) {
    char *out = s;
    for (const char *in = s; *in; out++) {
        if (in[0] == '\\' && is_octal(in + 1)) {
            *out = (char)(((in[1] - '0') << 6) | ((in[2] - '0') << 3) | (in[3] - '0'));
            in += 4;
        } else {
            *out = *in++;
        }
    }
    *out = '\0';
}

/* "36 35 98:0 /root /mount/point rw,noatime shared:1 - fuse.sshfs source options" */
static void add_mount(struct nd_exec_reach *r, char *line) {
    char *rest = NULL, *path = NULL, *word = strtok_r(line, " ", &rest);
    for (int i = 0; word && i < 4; i++) {
        path = word = strtok_r(NULL, " ", &rest);
    }
    while (word && strcmp(word, "-") != 0) {
        word = strtok_r(NULL, " ", &rest);
    }
    const char *type = word ? strtok_r(NULL, " ", &rest) : NULL;
    if (!type || path[0] != '/') {
        return;
    }
    exec_reach_unescape(path);
    r->mounts = oc_realloc(r->mounts, (r->count + 1) * sizeof(r->mounts[0]));
    r->mounts[r->count++] =
            (struct nd_exec_mount){ .path = oc_strdup(path), .may_hang = may_hang(type) };
}

bool nd_exec_reach_read(struct nd_exec_reach *r, const char *mountinfo) {
    OC_AUTO_FREE char *text = oc_strdup(mountinfo);
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        add_mount(r, line);
    }
    for (size_t i = 0; i < r->count; i++) {
        if (r->mounts[i].may_hang) {
            return true;
        }
    }
    return false;
}

void nd_exec_reach_finish(struct nd_exec_reach *r) {
    for (size_t i = 0; i < r->count; i++) {
        oc_free(r->mounts[i].path);
    }
    oc_free(r->mounts);
    oc_strv_finish(&r->answered);
    oc_strv_finish(&r->paths);
    oc_strv_finish(&r->needed);
    *r = (struct nd_exec_reach){ 0 };
}

void nd_exec_reach_begin(struct nd_exec_reach *r) {
    oc_strv_finish(&r->paths);
    oc_strv_finish(&r->needed);
    r->paths = r->needed = (struct oc_strv){ 0 };
    current = r;
}

void nd_exec_reach_end(void) {
    current = NULL;
}

/* The one that the path is on: the deepest, and of several at one place the last. */
static const struct nd_exec_mount *mount_of(const struct nd_exec_reach *r, const char *path) {
    const struct nd_exec_mount *found = NULL;
    size_t len = 0;
    for (size_t i = 0; i < r->count; i++) {
        size_t n = strlen(r->mounts[i].path);
        if (n >= len && oc_path_covers(r->mounts[i].path, path)) {
            found = &r->mounts[i];
            len = n;
        }
    }
    return found;
}

static bool may_touch_at(struct nd_exec_reach *r, const char *at, const char *path) {
    const struct nd_exec_mount *m = mount_of(r, at);
    if (!m || !m->may_hang || oc_strv_has(&r->answered, m->path)) {
        return true;
    }
    oc_strv_add_unique(&r->paths, path);
    oc_strv_add_unique(&r->needed, m->path);
    return false;
}

/* Steps from at into the first component of rest. False: it is not to be touched, or the way ends
 * here (ret_ends). */
static bool exec_reach_step(struct nd_exec_reach *r, char at[PATH_MAX], char rest[PATH_MAX],
        const char *path, int *links, bool *ret_ends) {
    char name[PATH_MAX], next[PATH_MAX], target[PATH_MAX], joined[2 * PATH_MAX];
    size_t lead = strspn(rest, "/"), len = strcspn(rest + lead, "/");
    memcpy(name, rest + lead, len);
    name[len] = '\0';
    memmove(rest, rest + lead + len, strlen(rest + lead + len) + 1);
    if (len == 0 || strcmp(name, ".") == 0) {
        return true;
    }
    if (strcmp(name, "..") == 0) {
        char *slash = strrchr(at, '/');
        *(slash ? slash : at) = '\0';
        return true;
    }
    int n = snprintf(next, sizeof(next), "%s/%s", at, name);
    *ret_ends = n < 0 || (size_t)n >= sizeof(next);
    if (*ret_ends || !may_touch_at(r, next, path)) {
        return false;
    }
    ssize_t got = readlink(next, target, sizeof(target) - 1);
    if (got < 0) { /* no link, or not there at all */
        memcpy(at, next, strlen(next) + 1);
        return true;
    }
    target[got] = '\0';
    n = snprintf(joined, sizeof(joined), "%s%s", target, rest);
    *ret_ends = ++*links > MAX_LINKS || n < 0 || n >= PATH_MAX;
    if (*ret_ends) {
        return false;
    }
    memcpy(rest, joined, (size_t)n + 1);
    if (target[0] == '/') {
        at[0] = '\0';
    }
    return true;
}

bool nd_exec_may_touch(const char *path) {
    struct nd_exec_reach *r = current;
    char at[PATH_MAX] = "", rest[PATH_MAX];
    size_t len = strlen(path);
    if (!r) {
        return true;
    }
    if (len >= sizeof(rest) || (path[0] != '/' && !getcwd(at, sizeof(at)))) {
        return true; /* the system says so, too, without looking anywhere */
    }
    memcpy(rest, path, len + 1);
    if (strcmp(at, "/") == 0) {
        at[0] = '\0';
    }
    if (!may_touch_at(r, at[0] ? at : "/", path)) {
        return false;
    }
    bool is_end = false;
    int links = 0;
    while (rest[0]) {
        if (!exec_reach_step(r, at, rest, path, &links, &is_end)) {
            return is_end;
        }
    }
    return true;
}
