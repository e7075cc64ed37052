#include "node/sandbox/dir_unlock.h"

#include "lib/base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEPTH = 128 }; /* every level is an open descriptor */

/* -1: not a directory of ours. */
static int open_unlocked(int parent, const char *name) {
    struct stat st;
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode)) {
        return -1;
    }
    if ((st.st_mode & S_IRWXU) != S_IRWXU &&
            fchmodat(parent, name, S_IRWXU, AT_SYMLINK_NOFOLLOW) != 0) {
        return -1;
    }
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void dir_unlock_unlock(int parent, const char *name, int depth, size_t *entries) {
    OC_AUTO_FD int fd = open_unlocked(parent, name);
    DIR *dir = fd >= 0 && depth < MAX_DEPTH ? fdopendir(fd) : NULL;
    if (!dir) {
        return;
    }
    int own = oc_take_fd(&fd); /* closed with dir */
    const struct dirent *e;
    while (*entries > 0 && (e = readdir(dir))) {
        (*entries)--;
        bool may_be_dir = e->d_type == DT_DIR || e->d_type == DT_UNKNOWN;
        if (may_be_dir && !is_dots(e->d_name)) {
            dir_unlock_unlock(own, e->d_name, depth + 1, entries);
        }
    }
    closedir(dir);
}

void nd_dir_unlock(const char *dir, size_t *entries) {
    dir_unlock_unlock(AT_FDCWD, dir, 0, entries);
}
