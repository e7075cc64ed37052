#include "cli/run/media_file.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "lib/json/json_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFERRED "/tmp/openclaw"
#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

enum { PIECE = 64 * 1024 };

/* Others must not be able to put links where we write, nor files where people look for ours. */
static enum oc_code ensure_own_dir(const char *path, struct oc_error *err) {
    struct stat st;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return oc_fail(err, OC_E_IO, "mkdir '%s': %s", path, strerror(errno));
    }
    if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
            ((st.st_mode & OTHERS_WRITE) && chmod(path, 0700) != 0)) {
        return oc_fail(err, OC_E_DENIED, "'%s' is not a directory of ours alone", path);
    }
    return access(path, W_OK | X_OK) == 0
                   ? OC_OK
                   : oc_fail(err, OC_E_IO, "'%s': %s", path, strerror(errno));
}

enum oc_code cli_media_dir_at(const char *preferred, char **ret, struct oc_error *err) {
    struct oc_error why;
    if (ensure_own_dir(preferred, &why) == OC_OK) {
        *ret = oc_strdup(preferred);
        return OC_OK;
    }
    const char *base = getenv("TMPDIR");
    OC_AUTO_FREE char *dir =
            oc_strfmt("%s/openclaw-%u", !oc_str_blank(base) ? base : "/tmp", (unsigned)geteuid());
    enum oc_code rc = ensure_own_dir(dir, err);
    if (rc == OC_OK) {
        *ret = oc_take(&dir);
    }
    return rc;
}

enum oc_code cli_media_dir(char **ret, struct oc_error *err) {
    return cli_media_dir_at(PREFERRED, ret, err);
}

enum oc_code cli_media_temp_path(
        const char *stem, const char *ext, char **ret, struct oc_error *err) {
    OC_AUTO_FREE char *dir = NULL;
    enum oc_code rc = cli_media_dir(&dir, err);
    if (rc == OC_OK) {
        char id[OC_UUID_LEN + 1];
        oc_uuid4(id);
        *ret = oc_strfmt("%s/%s-%s.%s", dir, stem, id, ext);
    }
    return rc;
}

static enum oc_code write_all(int fd, const uint8_t *data, size_t len, struct oc_error *err) {
    while (len > 0) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return oc_fail(err, OC_E_IO, "%s", strerror(errno));
        }
        data += n;
        len -= (size_t)n;
    }
    return OC_OK;
}

/* Four characters are three bytes; what is left over waits for the next piece. */
enum oc_code cli_media_write(
        int fd, struct oc_slice body, uint64_t *ret_bytes, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_alloc(PIECE);
    OC_AUTO_FREE uint8_t *bytes = oc_alloc(PIECE);
    size_t have = 0, got, len;
    bool has_ended = false; /* padding was seen */
    uint64_t total = 0;
    do {
        got = oc_json_unescape_step(&body, text + have, PIECE - have);
        have += got;
        size_t usable = got > 0 ? have / 4 * 4 : have;
        if (usable == 0) {
            continue;
        }
        if (has_ended || !oc_base64_decode(text, usable, bytes, PIECE, &len)) {
            return oc_fail(err, OC_E_INVALID, "what the node sent is not base64");
        }
        has_ended = text[usable - 1] == '=';
        enum oc_code rc = write_all(fd, bytes, len, err);
        if (rc != OC_OK) {
            return rc;
        }
        total += len;
        have -= usable;
        memmove(text, text + usable, have);
    } while (got > 0);
    *ret_bytes = total;
    return total > 0 ? OC_OK : oc_fail(err, OC_E_INVALID, "the node sent an empty capture");
}

static enum oc_code save_as(const char *part, int take_fd, const char *path, struct oc_slice body,
        uint64_t *ret_bytes, struct oc_error *err) {
    struct oc_error why;
    enum oc_code rc = cli_media_write(take_fd, body, ret_bytes, &why);
    /* Some file systems only find out now that the disk is full. */
    if (close(take_fd) != 0 && rc == OC_OK) {
        rc = oc_fail(&why, OC_E_IO, "%s", strerror(errno));
    }
    if (rc == OC_OK && rename(part, path) != 0) {
        rc = oc_fail(&why, OC_E_IO, "%s", strerror(errno));
    }
    if (rc != OC_OK) {
        (void)unlink(part);
        return oc_fail(err, rc, "%s is not written: %s", path, why.text);
    }
    return OC_OK;
}

/* A new file beside it. part ends in XXXXXX. */
static enum oc_code open_part(const char *path, char *part, int *ret_fd, struct oc_error *err) {
    struct stat st;
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        return oc_fail(err, OC_E_INVALID, "%s is there already and is not a file", path);
    }
    *ret_fd = mkostemp(part, O_CLOEXEC); /* mode 0600 */
    if (*ret_fd < 0) {
        return oc_fail(err, OC_E_IO, "%s cannot be written: %s", path, strerror(errno));
    }
    return OC_OK;
}

enum oc_code cli_media_save(
        const char *path, struct oc_slice body, uint64_t *ret_bytes, struct oc_error *err) {
    OC_AUTO_FREE char *part = oc_strfmt("%s.part-XXXXXX", path);
    int fd = -1;
    enum oc_code rc = open_part(path, part, &fd, err);
    return rc == OC_OK ? save_as(part, fd, path, body, ret_bytes, err) : rc;
}

enum oc_code cli_media_check(const char *path, struct oc_error *err) {
    OC_AUTO_FREE char *part = oc_strfmt("%s.part-XXXXXX", path);
    int fd = -1;
    enum oc_code rc = open_part(path, part, &fd, err);
    if (rc == OC_OK) {
        close(fd);
        (void)unlink(part);
    }
    return rc;
}

char *cli_media_shown_path(const char *path) {
    OC_AUTO_FREE char *home = oc_dir_home();
    size_t len = home ? strlen(home) : 0;
    if (len <= 1 || strncmp(path, home, len) != 0 || path[len] != '/') {
        return oc_strdup(path);
    }
    return oc_strfmt(
            "%s%s", oc_str_blank(getenv("OPENCLAW_HOME")) ? "~" : "$OPENCLAW_HOME", path + len);
}
