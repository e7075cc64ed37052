#include "lib/files/below.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In place; false for escapes that make no sense, or that a name cannot have. */
static bool below_unescape(char *name) {
    char *to = name;
    for (const char *p = name; *p; p++) {
        int c = *p == '%' ? oc_percent_value(p, strnlen(p, 3)) : *p;
        if (c == '/' || c == '\0' || (*p == '%' && c < 0)) {
            return false;
        }
        p += *p == '%' ? 2 : 0;
        *to++ = (char)c;
    }
    *to = '\0';
    return true;
}

static bool is_name(const char *name) {
    return name[0] != '.'; /* neither "." nor "..", nor what its owner hides */
}

static enum oc_code not_found(const char *path, struct oc_error *err) {
    OC_AUTO_FREE char *shown = oc_printable(path, strlen(path), 120);
    return oc_fail(err, OC_E_NOT_FOUND, "there is no file '%s'", shown);
}

enum oc_code oc_file_open_below(
        const char *root, const char *path, int *ret_fd, struct oc_error *err) {
    OC_AUTO_FD int dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return dir < 0 ? not_found(path, err) : oc_file_open_below_at(dir, path, ret_fd, err);
}

enum oc_code oc_file_open_below_at(
        int root_fd, const char *path, int *ret_fd, struct oc_error *err) {
    OC_AUTO_FD int dir = fcntl(root_fd, F_DUPFD_CLOEXEC, 0);
    const char *p = path + strspn(path, "/");
    if (dir < 0 || *p == '\0') {
        return not_found(path, err);
    }
    for (;;) {
        size_t len = strcspn(p, "/");
        OC_AUTO_FREE char *name = oc_strndup(p, len);
        bool is_last = p[len] == '\0';
        if (!below_unescape(name) || !is_name(name)) {
            return not_found(path, err);
        }
        int flags = is_last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_RDONLY | O_DIRECTORY;
        OC_AUTO_FD int fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0) {
            return not_found(path, err);
        }
        if (is_last) {
            struct stat st;
            if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
                return not_found(path, err);
            }
            *ret_fd = oc_take_fd(&fd);
            return OC_OK;
        }
        oc_auto_close(&dir);
        dir = oc_take_fd(&fd);
        p += len + strspn(p + len, "/");
        if (*p == '\0') {
            return not_found(path, err);
        }
    }
}
