#include "gateway/canvas/canvas_files.h"

#include "lib/base/mem.h"
#include "lib/files/below.h"
#include "lib/files/content_type.h"
#include "lib/files/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 4000, MAX_DEPTH = 16 };

/* A folder is its index.html. */
static int open_file(int root_fd, const char *path, const char **ret_name, bool *ret_is_index) {
    struct oc_error err;
    int fd = -1;
    if (oc_file_open_below_at(root_fd, path, &fd, &err) == OC_OK) {
        const char *slash = strrchr(path, '/');
        *ret_name = slash ? slash + 1 : path;
        return fd;
    }
    *ret_name = "index.html";
    *ret_is_index = true;
    OC_AUTO_FREE char *index = oc_path_join(path, "index.html");
    return oc_file_open_below_at(root_fd, index, &fd, &err) == OC_OK ? fd : -1;
}

bool gw_canvas_file_open(int root_fd, const char *path, struct gw_canvas_file *ret) {
    const char *name = "";
    bool is_index = false;
    OC_AUTO_FD int fd = open_file(root_fd, path, &name, &is_index);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        return false;
    }
    const char *type = oc_content_type(name);
    *ret = (struct gw_canvas_file){ .fd = oc_take_fd(&fd),
        .size = (uint64_t)st.st_size,
        .type = type,
        .is_html = strncmp(type, "text/html", 9) == 0,
        .is_index = is_index };
    return true;
}

struct count {
    uint64_t stamp;
    int left;
};

static uint64_t canvas_files_mix(uint64_t h, const void *data, size_t len) {
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i++) {
        h = (h ^ p[i]) * UINT64_C(1099511628211);
    }
    return h;
}

static uint64_t stamp_of(const char *name, const struct stat *st) {
    uint64_t h = canvas_files_mix(UINT64_C(14695981039346656037), name, strlen(name));
    h = canvas_files_mix(h, &st->st_ino, sizeof(st->st_ino));
    h = canvas_files_mix(h, &st->st_size, sizeof(st->st_size));
    h = canvas_files_mix(h, &st->st_mtime, sizeof(st->st_mtime));
#ifdef __linux__
    h = canvas_files_mix(h, &st->st_mtim.tv_nsec, sizeof(st->st_mtim.tv_nsec));
#endif
    return h;
}

static void canvas_files_look(int dir_fd, int depth, struct count *c) {
    int own = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
    DIR *d = own < 0 ? NULL : fdopendir(own);
    if (!d) {
        oc_auto_close(&own);
        return;
    }
    rewinddir(d);
    for (struct dirent *e; c->left > 0 && (e = readdir(d));) {
        struct stat st;
        if (e->d_name[0] == '.' || fstatat(dir_fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        c->left--;
        c->stamp += stamp_of(e->d_name, &st); /* a sum: the order of a directory means nothing */
        if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH) {
            OC_AUTO_FD int below =
                    openat(dir_fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (below >= 0) {
                canvas_files_look(below, depth + 1, c);
            }
        }
    }
    closedir(d);
}

uint64_t gw_canvas_files_stamp(int root_fd) {
    struct count c = { .left = MAX_FILES };
    canvas_files_look(root_fd, 0, &c);
    return c.stamp;
}
