#include "node/call/key_file.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "lib/protocol/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define TAG "node.keys"

enum {
    LINE_BYTES = 13 + 1 + ND_KEY_FILE_HASH + 1 + ND_KEY_FILE_HASH + 1, /* time, two hashes */
    MAX_LINES = 2 * OC_IDEMPOTENCY_MAX,
    MAX_BYTES = 4 * MAX_LINES * LINE_BYTES,
};

struct nd_key_file {
    const struct oc_clock *clock;
    int fd;
    char *path;
    struct nd_key_file_mark *marks;
    size_t mark_count;
    size_t lines; /* in the file */
    bool has_failed;
};

static bool is_hash(const char *s) {
    return strspn(s, "0123456789abcdef") >= ND_KEY_FILE_HASH;
}

static bool parse_line(const char *line, int64_t now, struct nd_key_file_mark *ret) {
    char *end;
    long long at = strtoll(line, &end, 10);
    if (end - line != 13 || *end != ' ' || !is_hash(end + 1) || end[1 + ND_KEY_FILE_HASH] != ' ' ||
            !is_hash(end + 2 + ND_KEY_FILE_HASH)) {
        return false;
    }
    memcpy(ret->key_hash, end + 1, ND_KEY_FILE_HASH);
    memcpy(ret->params_hash, end + 2 + ND_KEY_FILE_HASH, ND_KEY_FILE_HASH);
    ret->age_ms =
            now > at ? now - at : 0; /* a clock that was set back makes marks young, not gone */
    return true;
}

static void key_file_load(struct nd_key_file *j, struct oc_buf *text) {
    int64_t now = oc_wall_ms(j->clock);
    size_t most = text->len / LINE_BYTES;
    j->marks = oc_new_array(struct nd_key_file_mark, most + 1);
    char *rest = text->data, *line;
    while (rest && (line = strsep(&rest, "\n")) != NULL && j->mark_count < most) {
        struct nd_key_file_mark *m = &j->marks[j->mark_count];
        if (strlen(line) == LINE_BYTES - 1 && parse_line(line, now, m) &&
                m->age_ms < OC_IDEMPOTENCY_TTL_MS) {
            j->mark_count++;
        }
    }
}

static bool key_file_put(
        struct nd_key_file *j, int64_t at_ms, const char *key_hash, const char *params_hash) {
    char line[LINE_BYTES + 1];
    int n = snprintf(
            line, sizeof(line), "%013" PRId64 " %.64s %.64s\n", at_ms, key_hash, params_hash);
    j->lines++;
    return n == LINE_BYTES && write(j->fd, line, LINE_BYTES) == LINE_BYTES;
}

/* Keeps the marks and drops the rest. The file is emptied in place: it carries the lock. */
static enum oc_code key_file_rewrite(struct nd_key_file *j, struct oc_error *err) {
    int64_t now = oc_wall_ms(j->clock);
    bool ok = ftruncate(j->fd, 0) == 0;
    j->lines = 0;
    for (size_t i = 0; ok && i < j->mark_count; i++) {
        const struct nd_key_file_mark *m = &j->marks[i];
        ok = key_file_put(j, now - m->age_ms, m->key_hash, m->params_hash);
    }
    return ok ? OC_OK : oc_fail(err, OC_E_IO, "write '%s': %s", j->path, strerror(errno));
}

enum oc_code nd_key_file_open(const char *state_dir, const struct oc_clock *clock,
        struct nd_key_file **ret, struct oc_error *err) {
    struct nd_key_file *j = oc_new(struct nd_key_file);
    j->clock = clock;
    j->path = oc_path_join(state_dir, "node-runs.log");
    j->fd = open(j->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    enum oc_code rc = OC_OK;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_BYTES);
    if (j->fd < 0) {
        rc = oc_fail(err, OC_E_IO,
                "open '%s': %s (is %s writable? OPENCLAW_STATE_DIR names another place)", j->path,
                strerror(errno), state_dir);
    } else if (flock(j->fd, LOCK_EX | LOCK_NB) != 0) {
        rc = oc_fail(err, OC_E_UNAVAILABLE,
                "another node already runs with the identity in %s; stop it first, or give this "
                "one its own "
                "OPENCLAW_STATE_DIR",
                state_dir);
    } else {
        rc = oc_buf_read_fd(&text, j->fd, err);
    }
    if (rc == OC_OK) {
        key_file_load(j, &text);
        rc = key_file_rewrite(j, err);
    }
    if (rc != OC_OK) {
        nd_key_file_close(j);
        return rc;
    }
    *ret = j;
    return OC_OK;
}

void nd_key_file_close(struct nd_key_file *j) {
    if (!j) {
        return;
    }
    if (j->fd >= 0) {
        close(j->fd);
    }
    oc_free(j->marks);
    oc_free(j->path);
    oc_free(j);
}

const struct nd_key_file_mark *nd_key_file_marks(const struct nd_key_file *j, size_t *ret_count) {
    *ret_count = j->mark_count;
    return j->marks;
}

/* The file is full of lines that were too old at the next start anyway. What this process has added
 * since is in memory; a crash right now would forget that part. */
static void key_file_reload(struct nd_key_file *j) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_BYTES);
    struct oc_error err;
    oc_free(j->marks);
    j->marks = NULL;
    j->mark_count = 0;
    if (lseek(j->fd, 0, SEEK_SET) == 0 && oc_buf_read_fd(&text, j->fd, &err) == OC_OK) {
        key_file_load(j, &text);
    }
    if (key_file_rewrite(j, &err) != OC_OK && !j->has_failed) {
        j->has_failed = true;
        oc_log(OC_LOG_WARN, TAG, "%s", err.text);
    }
}

void nd_key_file_add(struct nd_key_file *j, const char *key_hash, const char *params_hash) {
    if (j->lines >= MAX_LINES) {
        key_file_reload(j);
    }
    if (!key_file_put(j, oc_wall_ms(j->clock), key_hash, params_hash) && !j->has_failed) {
        j->has_failed = true;
        oc_log(OC_LOG_WARN, TAG, "write '%s': %s; keys are kept in memory only", j->path,
                strerror(errno));
    }
}
