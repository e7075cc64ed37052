#include "node/argv/paths/exec_path.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/argv/paths/exec_reach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *nd_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int check_executable(void *user, const char *path) {
    (void)user;
    struct stat st;
    if (!nd_exec_may_touch(path)) {
        return ENOENT;
    }
    if (stat(path, &st) != 0) {
        return errno;
    }
    if (!S_ISREG(st.st_mode)) {
        return EACCES;
    }
    return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

static char *real_path(void *user, const char *path) {
    (void)user;
    return nd_exec_real(path);
}

const struct nd_exec_fs nd_exec_fs_native = { .check = check_executable, .real = real_path };

/* cwd itself may be relative to ours. */
static char *exec_path_absolute(const char *name, const char *cwd) {
    if (name[0] == '/') {
        return oc_strdup(name);
    }
    OC_AUTO_FREE char *dir = NULL;
    if (cwd && cwd[0] == '/') {
        dir = oc_strdup(cwd);
    } else {
        char here[PATH_MAX];
        if (!getcwd(here, sizeof(here))) {
            return NULL;
        }
        dir = cwd ? oc_path_join(here, cwd) : oc_strdup(here);
    }
    return oc_path_join(dir, name);
}

static int find_on_path(
        const struct nd_exec_fs *fs, const char *name, const char *path_env, char **ret_path) {
    int result = ENOENT;
    for (const char *at = path_env; *at;) {
        size_t len = strcspn(at, ":");
        if (at[0] == '/') {
            OC_AUTO_FREE char *dir = oc_strndup(at, len);
            OC_AUTO_FREE char *path = oc_path_join(dir, name);
            int rc = fs->check(fs->user, path);
            if (rc == 0) {
                *ret_path = oc_take(&path);
                return 0;
            }
            if (rc == EACCES) {
                result = EACCES; /* as execvp: there was one, but it cannot be run */
            }
        }
        at += len;
        at += *at == ':';
    }
    return result;
}

int nd_exec_find_in(const struct nd_exec_fs *fs, const char *name, const char *cwd,
        const char *path_env, char **ret_path) {
    if (!name[0]) {
        return ENOENT;
    }
    if (!strchr(name, '/')) {
        return find_on_path(fs, name, path_env, ret_path);
    }
    OC_AUTO_FREE char *path = exec_path_absolute(name, cwd);
    int rc = path ? fs->check(fs->user, path) : ENOENT;
    if (rc == 0) {
        *ret_path = oc_take(&path);
    }
    return rc;
}

int nd_exec_find(const char *name, const char *cwd, const char *path_env, char **ret_path) {
    return nd_exec_find_in(&nd_exec_fs_native, name, cwd, path_env, ret_path);
}

char *nd_exec_real(const char *path) {
    return nd_exec_may_touch(path) ? realpath(path, NULL) : NULL;
}

const char *nd_exec_search_path(void) {
    const char *path = getenv("PATH");
    return path && path[0] ? path : "/usr/local/bin:/usr/bin:/bin";
}
