#include "node/looks/exec_read.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "lib/identity/digest.h"
#include "node/argv/paths/exec_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

static bool is_below(const char *dir, const char *path) {
    return dir && oc_path_covers(dir, path);
}

/* "workspace" of the main agent, "workspace-<id>" of the others. */
static bool is_workspace(const char *path, const char *state_dir) {
    OC_AUTO_FREE char *workspace = oc_path_join(state_dir, "workspace");
    OC_AUTO_FREE char *others = oc_strfmt("%s-", workspace);
    return is_below(workspace, path) || oc_starts_with(path, others);
}

static bool is_private_text(const char *path, const char *state_dir) {
    return is_below("/proc", path) || is_below("/sys", path) || is_below("/dev", path) ||
           (is_below(state_dir, path) && !is_workspace(path, state_dir));
}

void nd_exec_state_init(struct nd_exec_state *state, const char *dir) {
    *state = (struct nd_exec_state){ .dir = dir, .real = dir ? nd_exec_real(dir) : NULL };
}

void nd_exec_state_finish(struct nd_exec_state *state) {
    oc_free(state->real);
    *state = (struct nd_exec_state){ 0 };
}

bool nd_exec_is_private_of(const char *path, const struct nd_exec_state *state) {
    if (is_private_text(path, state->dir) || is_private_text(path, state->real)) {
        return true;
    }
    OC_AUTO_FREE char *real = nd_exec_real(path);
    return real && (is_private_text(real, state->real) || is_private_text(real, state->dir));
}

bool nd_exec_is_private(const char *path, const char *state_dir) {
    struct nd_exec_state state;
    nd_exec_state_init(&state, state_dir);
    bool is_private = nd_exec_is_private_of(path, &state);
    nd_exec_state_finish(&state);
    return is_private;
}

/* Where the file that is open really is: its directory may have been exchanged meanwhile. */
static bool is_private_fd(int fd, const struct nd_exec_state *state) {
#ifdef __linux__
    struct statfs fs;
    char link[64], path[PATH_MAX];
    if (fstatfs(fd, &fs) != 0 || fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC) {
        return true;
    }
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof(path) - 1);
    if (n <= 0) {
        return true;
    }
    path[n] = '\0';
    return nd_exec_is_private_of(path, state);
#else
    (void)fd;
    (void)state;
    return false;
#endif
}

static int open_it(const char *path, const struct nd_exec_reading *how) {
    struct stat st;
    if (nd_exec_is_private_of(path, how->state)) {
        return -1;
    }
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
            (uintmax_t)st.st_size > how->max_bytes || is_private_fd(fd, how->state)) {
        return -1;
    }
    return oc_take_fd(&fd);
}

static bool is_wanted(const struct nd_exec_reading *how) {
    return !how->is_cancelled || !atomic_load(how->is_cancelled);
}

/* Hands over piece by piece; a file that grows meanwhile is not read forever. */
static bool read_all(int fd, const struct nd_exec_reading *how,
        bool (*take)(void *user, const void *data, size_t len), void *user, size_t *ret_bytes) {
    enum { PIECE = 64 * 1024 };
    OC_AUTO_FREE char *piece = oc_alloc(PIECE);
    size_t all = 0;
    while (is_wanted(how)) {
        ssize_t n = read(fd, piece, PIECE);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n == 0) {
            *ret_bytes = all;
            return true;
        }
        all += n > 0 ? (size_t)n : 0;
        if (how->steps) {
            atomic_fetch_add(how->steps, 1);
        }
        if (n < 0 || all > how->max_bytes || !take(user, piece, (size_t)n)) {
            return false;
        }
    }
    return false;
}

static bool take_digest(void *user, const void *data, size_t len) {
    oc_digest_add(user, data, len);
    return true;
}

bool nd_exec_read_digest(const char *path, const struct nd_exec_reading *how, unsigned char ret[32],
        size_t *ret_bytes) {
    OC_AUTO_FD int fd = open_it(path, how);
    if (fd < 0) {
        return false;
    }
    struct oc_digest *digest = oc_digest_create();
    bool is_whole = read_all(fd, how, take_digest, digest, ret_bytes);
    oc_digest_end(digest, ret);
    oc_digest_destroy(digest);
    return is_whole;
}

size_t nd_exec_read_head(
        const char *path, const struct nd_exec_reading *how, char *ret, size_t size) {
    struct nd_exec_reading any = *how;
    any.max_bytes = SIZE_MAX;
    OC_AUTO_FD int fd = open_it(path, &any);
    ssize_t n = fd < 0 ? -1 : read(fd, ret, size);
    return n > 0 ? (size_t)n : 0;
}

static bool take_text(void *user, const void *data, size_t len) {
    return oc_buf_append(user, data, len) == OC_OK;
}

char *nd_exec_read_text(const char *path, const struct nd_exec_reading *how) {
    OC_AUTO_FD int fd = open_it(path, how);
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(how->max_bytes + 1);
    size_t bytes = 0;
    if (fd < 0 || !read_all(fd, how, take_text, &text, &bytes)) {
        return NULL;
    }
    return bytes == 0 ? oc_strdup("") : oc_buf_take(&text);
}
