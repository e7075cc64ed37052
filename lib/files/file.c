#include "lib/files/file.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum oc_code oc_file_read(
        const char *path, size_t max_bytes, struct oc_buf *ret, struct oc_error *err) {
    /* O_NONBLOCK: opening a FIFO that someone put there must not hang; regular files do not care.
     */
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        enum oc_code code = errno == ENOENT ? OC_E_NOT_FOUND : OC_E_IO;
        return oc_fail(err, code, "cannot open '%s': %s", path, strerror(errno));
    }
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return oc_fail(err, OC_E_IO, "cannot read '%s': %s", path, strerror(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return oc_fail(err, OC_E_IO, "cannot read '%s': it is %s, not a file", path,
                S_ISDIR(st.st_mode) ? "a directory" : "a device or pipe");
    }
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(max_bytes);
    enum oc_code rc = oc_buf_read_fd(&text, fd, err);
    if (rc == OC_E_TOO_LARGE) {
        return oc_fail(
                err, OC_E_IO, "cannot read '%s': it is larger than %zu bytes", path, max_bytes);
    }
    if (rc != OC_OK) {
        oc_error_prefix(err, "cannot read '%s'", path);
        return rc;
    }
    oc_buf_finish(ret);
    *ret = text;
    text = (struct oc_buf){ 0 };
    return OC_OK;
}

static enum oc_code write_and_sync(int fd, const char *data, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return OC_E_IO;
        }
        data += n;
        len -= (size_t)n;
    }
    return fsync(fd) == 0 ? OC_OK : OC_E_IO;
}

/* The directory part of path, "." if it has none. Caller frees. */
static char *dir_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return oc_strdup(".");
    }
    return oc_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* File systems that cannot sync a directory say EINVAL. */
enum oc_code oc_file_sync_dir(const char *path, struct oc_error *err) {
    OC_AUTO_FREE char *dir = dir_of(path);
    OC_AUTO_FD int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL)) {
        return oc_fail(err, OC_E_IO, "cannot sync directory '%s': %s", dir, strerror(errno));
    }
    return OC_OK;
}

enum oc_code oc_file_replace_private(const char *path, const char *data, size_t len,
        oc_file_check *check, void *user, struct oc_error *err) {
    char uuid[OC_UUID_LEN + 1];
    oc_uuid4(uuid);
    OC_AUTO_FREE char *temp = oc_strfmt("%s.%s.tmp", path, uuid);
    OC_AUTO_FD int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return oc_fail(err, OC_E_IO, "cannot write '%s': %s", path, strerror(errno));
    }
    enum oc_code rc = write_and_sync(fd, data, len);
    if (rc == OC_OK && check) {
        rc = check(user, err); /* as late as can be: writing to a disk takes its time */
        if (rc != OC_OK) {
            (void)unlink(temp);
            return rc;
        }
    }
    if (rc != OC_OK || rename(temp, path) != 0) {
        oc_fail(err, OC_E_IO, "cannot write '%s': %s", path, strerror(errno));
        (void)unlink(temp);
        return OC_E_IO;
    }
    return oc_file_sync_dir(path, err);
}

enum oc_code oc_file_write_private(
        const char *path, const char *data, size_t len, struct oc_error *err) {
    return oc_file_replace_private(path, data, len, NULL, NULL, err);
}

enum oc_code oc_file_lock(const char *path, int *ret_fd, struct oc_error *err) {
    OC_AUTO_FD int fd =
            open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0) {
        return oc_fail(err, OC_E_IO, "cannot open the lock '%s': %s", path, strerror(errno));
    }
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
        return oc_fail(err, OC_E_IO, "the lock '%s' is not a file of ours; remove it", path);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK
                       ? oc_fail(err, OC_E_UNAVAILABLE, "'%s' is held by another program", path)
                       : oc_fail(err, OC_E_IO, "cannot lock '%s': %s", path, strerror(errno));
    }
    *ret_fd = oc_take_fd(&fd);
    return OC_OK;
}

/* OK when the directory is there afterwards, whoever made it. */
static enum oc_code make_dir(const char *path, struct oc_error *err) {
    if (mkdir(path, 0700) == 0) {
        return OC_OK;
    }
    int reason = errno;
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        return OC_OK; /* also for EROFS and EACCES on a parent that exists */
    }
    return oc_fail(err, OC_E_IO, "cannot create directory '%s': %s", path, strerror(reason));
}

enum oc_code oc_dir_ensure_private(const char *path, struct oc_error *err) {
    OC_AUTO_FREE char *part = oc_strdup(path);
    for (char *p = part; *p; p++) {
        if (*p != '/' || p == part || p[-1] == '/') {
            continue;
        }
        *p = '\0';
        enum oc_code rc = make_dir(part, err);
        if (rc != OC_OK) {
            return rc;
        }
        *p = '/';
    }
    return make_dir(part, err);
}

bool oc_file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

char *oc_path_join(const char *a, const char *b) {
    size_t n = strlen(a);
    while (n > 1 && a[n - 1] == '/') {
        n--;
    }
    while (*b == '/') {
        b++;
    }
    const char *sep = n == 0 || (n == 1 && a[0] == '/') ? "" : "/";
    return oc_strfmt("%.*s%s%s", (int)n, a, sep, b);
}

bool oc_path_covers(const char *dir, const char *path) {
    size_t n = strlen(dir);
    bool is_root = n == 1 && dir[0] == '/';
    return strncmp(dir, path, n) == 0 && (is_root || path[n] == '/' || path[n] == '\0');
}
