#include "node/canvas/canvas_files.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/below.h"
#include "lib/files/file.h"
#include "lib/helper/canvas_path.h"
#include "lib/helper/packet.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static bool is_same_time(struct timespec a, struct timespec b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           is_same_time(a->st_mtim, b->st_mtim) && is_same_time(a->st_ctim, b->st_ctim);
}

static enum oc_code canvas_files_copy(
        struct nd_canvas_files *f, int fd, size_t max, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf bytes = OC_BUF_INIT(max);
    enum oc_code rc = oc_buf_read_fd(&bytes, fd, err);
    if (rc != OC_OK) {
        return rc;
    }
    f->fd = oc_sealed_create(bytes.data ? bytes.data : "", bytes.len);
    return f->fd >= 0 ? OC_OK : oc_fail(err, OC_E_IO, "no memory to hand it over");
}

enum oc_code nd_canvas_files_read(struct nd_canvas_files *f, const char *folder, const char *url,
        size_t max, int *ret_fd, size_t *ret_len, struct oc_error *err) {
    const char *path = NULL;
    OC_AUTO_FD int fd = -1;
    struct stat st = { 0 };
    if (!folder || oc_canvas_path(url, folder, &path, err) != OC_OK) {
        return oc_fail(
                err, OC_E_UNSUPPORTED, "only http(s) addresses, data: and canvas files are shown");
    }
    path += strspn(path, "/");
    OC_AUTO_FREE char *plain = oc_strndup(path, strcspn(path, "?#"));
    enum oc_code rc = oc_file_open_below(folder, plain, &fd, err);
    if (rc == OC_E_NOT_FOUND) {
        rc = oc_fail(err, rc, "there is no such file");
    } else if (rc == OC_OK && fstat(fd, &st) != 0) {
        rc = oc_fail(err, OC_E_IO, "%s", strerror(errno));
    }
    if (rc == OC_OK && (f->fd < 0 || !is_same(&st, &f->as))) {
        nd_canvas_files_forget(f);
        rc = canvas_files_copy(f, fd, max, err);
        f->as = st;
    }
    if (rc != OC_OK) {
        return rc;
    }
    *ret_fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 3);
    return oc_sealed_check(*ret_fd, max, ret_len) ? OC_OK
                                                  : oc_fail(err, OC_E_IO, "no more descriptors");
}

void nd_canvas_files_forget(struct nd_canvas_files *f) {
    OC_AUTO_FD int fd = oc_take_fd(&f->fd);
    (void)fd;
}
