#include "node/run/log/run_log_file.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAG "node.exec_log"

static char *path_of(const char *dir, const char *name, bool is_old) {
    OC_AUTO_FREE char *file = oc_strfmt("%s%s.jsonl", name, is_old ? ".1" : "");
    return oc_path_join(dir, file);
}

void nd_run_log_file_init(struct nd_run_log_file *f, const char *dir, const char *name,
        size_t max_bytes, const struct oc_clock *clock) {
    *f = (struct nd_run_log_file){
        .clock = clock,
        .path = path_of(dir, name, false),
        .old_path = path_of(dir, name, true),
        .max_bytes = max_bytes,
        .fd = -1,
    };
}

static void run_log_file_shut(struct nd_run_log_file *f) {
    if (f->fd >= 0) {
        close(f->fd);
        f->fd = -1;
    }
}

void nd_run_log_file_finish(struct nd_run_log_file *f) {
    if (f->path) {
        run_log_file_shut(f);
    }
    oc_free(f->path);
    oc_free(f->old_path);
    *f = (struct nd_run_log_file){ .fd = -1 };
}

static enum oc_code read_path(const char *path, struct oc_buf *ret, struct oc_error *err) {
    enum oc_code rc = oc_file_read(path, ND_RUN_LOG_MAX_READ, ret, err);
    return rc == OC_E_NOT_FOUND ? OC_OK : rc;
}

enum oc_code nd_run_log_file_read(
        const char *dir, const char *name, bool is_old, struct oc_buf *ret, struct oc_error *err) {
    OC_AUTO_FREE char *path = path_of(dir, name, is_old);
    return read_path(path, ret, err);
}

int64_t nd_run_log_file_pruned(const struct oc_buf *text) {
    const char *stop = text->len > 0 ? memchr(text->data, '\n', text->len) : NULL;
    OC_AUTO_JSON cJSON *first = NULL;
    struct oc_error ignored;
    if (!stop ||
            oc_json_parse(text->data, (size_t)(stop - text->data), &first, &ignored) != OC_OK ||
            !oc_streq(oc_json_get_str(first, "kind"), "rotated")) {
        return -1;
    }
    return oc_json_get_int(first, "pruned", 0, OC_JSON_MAX_EXACT, 0);
}

static int64_t count_entries(const struct oc_buf *text) {
    static const char run[] = "{\"kind\":\"run\"", refused[] = "{\"kind\":\"refused\"";
    int64_t count = 0;
    for (size_t at = 0; at < text->len;) {
        const char *line = text->data + at, *stop = memchr(line, '\n', text->len - at);
        size_t len = stop ? (size_t)(stop - line) : text->len - at;
        count += (len >= sizeof(run) && memcmp(line, run, sizeof(run) - 1) == 0) ||
                 (len >= sizeof(refused) && memcmp(line, refused, sizeof(refused) - 1) == 0);
        at += len + 1;
    }
    return count;
}

/* How many entries will be gone when the file takes the place of the old one. */
static int64_t gone_after_rotation(const struct nd_run_log_file *f) {
    OC_AUTO_BUF struct oc_buf now = OC_BUF_INIT(ND_RUN_LOG_MAX_READ),
                              old = OC_BUF_INIT(ND_RUN_LOG_MAX_READ);
    struct oc_error ignored;
    if (read_path(f->path, &now, &ignored) != OC_OK ||
            read_path(f->old_path, &old, &ignored) != OC_OK) {
        return 0;
    }
    int64_t before = nd_run_log_file_pruned(&now);
    before = before >= 0 ? before : nd_run_log_file_pruned(&old);
    return (before > 0 ? before : 0) + count_entries(&old);
}

/* True: all of it. What is written in part is taken back, or the next line would be glued to it and
 * both be lost. */
static bool run_log_file_put(struct nd_run_log_file *f, const char *text, size_t len) {
    struct stat before;
    if (fstat(f->fd, &before) != 0) {
        return false;
    }
    ssize_t n = write(f->fd, text, len);
    if (n == (ssize_t)len) {
        return true;
    }
    int why = n < 0 ? errno : ENOSPC;
    if (n > 0 && ftruncate(f->fd, before.st_size) != 0) {
        run_log_file_shut(f); /* what is left of it is seen when it is opened again */
    }
    errno = why;
    return false;
}

/* A line that somebody left unfinished is ended, so that it spoils no other. */
static bool open_end(struct nd_run_log_file *f) {
    struct stat st;
    char last = '\n';
    f->fd = open(f->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (f->fd < 0 || fstat(f->fd, &st) != 0) {
        return false;
    }
    if (st.st_size > 0 && pread(f->fd, &last, 1, st.st_size - 1) != 1) {
        return false;
    }
    return last == '\n' || run_log_file_put(f, "\n", 1);
}

static bool run_log_file_rotate(struct nd_run_log_file *f) {
    int64_t gone = gone_after_rotation(f);
    run_log_file_shut(f);
    if (rename(f->path, f->old_path) != 0 || !open_end(f)) {
        return false;
    }
    OC_AUTO_FREE char *line = oc_strfmt("{\"kind\":\"rotated\",\"pruned\":%lld,\"atMs\":%lld}\n",
            (long long)gone, (long long)oc_wall_ms(f->clock));
    return run_log_file_put(f, line, strlen(line));
}

/* Opened anew when somebody moved the file away. */
static bool make_ready(struct nd_run_log_file *f, size_t more) {
    struct stat own, there;
    if (f->fd >= 0 && (fstat(f->fd, &own) != 0 || stat(f->path, &there) != 0 ||
                              own.st_ino != there.st_ino || own.st_dev != there.st_dev)) {
        run_log_file_shut(f);
    }
    if ((f->fd < 0 && !open_end(f)) || fstat(f->fd, &own) != 0) {
        return false;
    }
    return (size_t)own.st_size + more <= f->max_bytes || run_log_file_rotate(f);
}

void nd_run_log_file_add(struct nd_run_log_file *f, cJSON *doc) {
    oc_json_set_int(doc, "atMs", oc_wall_ms(f->clock));
    OC_AUTO_FREE char *text = oc_json_print_line(doc); /* people read it with cat */
    OC_AUTO_FREE char *line = oc_strfmt("%s\n", text);
    size_t len = strlen(line);
    if (make_ready(f, len) && run_log_file_put(f, line, len)) {
        f->has_failed = false;
    } else if (!f->has_failed) {
        f->has_failed = true;
        oc_log(OC_LOG_WARN, TAG, "write '%s': %s; what runs is not written down", f->path,
                strerror(errno));
    }
}
