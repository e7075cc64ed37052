#include "node/exec_log.h"

#include "base/argv_text.h"
#include "base/buf.h"
#include "base/encode.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "protocol/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAG "node.exec_log"
#define NAME "exec-log.jsonl"
#define OLD_NAME "exec-log.1.jsonl"
#define MAX_READ ((size_t)2 * OC_MAX_EXEC_LOG_BYTES)

struct oc_exec_log {
    const struct oc_clock *clock;
    char *path, *old_path, *gateway;
    int fd; /* -1: not opened yet */
    bool has_failed;
};

struct oc_exec_log *oc_exec_log_create(
        const char *state_dir, const char *gateway, const struct oc_clock *clock) {
    struct oc_exec_log *log = oc_new(struct oc_exec_log);
    log->clock = clock;
    log->path = oc_path_join(state_dir, NAME);
    log->old_path = oc_path_join(state_dir, OLD_NAME);
    log->gateway = oc_strdup(gateway);
    log->fd = -1;
    return log;
}

static void shut(struct oc_exec_log *log) {
    if (log->fd >= 0) {
        close(log->fd);
        log->fd = -1;
    }
}

void oc_exec_log_destroy(struct oc_exec_log *log) {
    if (!log) {
        return;
    }
    shut(log);
    oc_free(log->path);
    oc_free(log->old_path);
    oc_free(log->gateway);
    oc_free(log);
}

static void complain(struct oc_exec_log *log) {
    if (!log->has_failed) {
        log->has_failed = true;
        oc_log(OC_LOG_WARN, TAG, "write '%s': %s; what runs is not written down", log->path,
                strerror(errno));
    }
}

/* Opened anew when somebody moved the file away. */
static bool make_ready(struct oc_exec_log *log, size_t more) {
    struct stat own, there;
    if (log->fd >= 0 && (fstat(log->fd, &own) != 0 || stat(log->path, &there) != 0 ||
                                own.st_ino != there.st_ino || own.st_dev != there.st_dev)) {
        shut(log);
    }
    for (int i = 0; i < 2; i++) {
        if (log->fd < 0) {
            log->fd = open(log->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        }
        if (log->fd < 0 || fstat(log->fd, &own) != 0) {
            return false;
        }
        if ((size_t)own.st_size + more <= OC_MAX_EXEC_LOG_BYTES) {
            return true;
        }
        shut(log);
        if (rename(log->path, log->old_path) != 0) {
            return false;
        }
    }
    return false;
}

static void write_line(struct oc_exec_log *log, cJSON *doc) {
    oc_json_set_int(doc, "atMs", oc_wall_ms(log->clock));
    OC_AUTO_FREE char *text = oc_json_print(doc, false);
    OC_AUTO_FREE char *line = oc_strfmt("%s\n", text);
    size_t len = strlen(line);
    /* One write, so that a line is there as a whole or not at all. */
    if (!make_ready(log, len) || write(log->fd, line, len) != (ssize_t)len) {
        complain(log);
    }
}

static void put_text(cJSON *o, const char *key, const char *text) {
    if (text && !oc_str_blank(text)) {
        OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), OC_MAX_AUDIT_TEXT);
        oc_json_set_str(o, key, shown);
    }
}

static cJSON *describe(
        const struct oc_exec_log *log, const struct oc_exec_log_run *run, const char *kind) {
    cJSON *o = cJSON_CreateObject();
    OC_AUTO_FREE char *command = oc_argv_shown(run->argv);
    OC_AUTO_STRV struct oc_strv names = { 0 };
    const cJSON *v;
    cJSON_ArrayForEach(v, run->env) {
        oc_strv_add(&names, v->string);
    }
    OC_AUTO_FREE char *env = oc_strv_join(&names, " ");
    oc_json_set_str(o, "kind", kind);
    put_text(o, "command", command);
    put_text(o, "cwd", run->cwd);
    put_text(o, "agentId", run->agent_id);
    put_text(o, "sessionKey", run->session_key);
    put_text(o, "runId", run->run_id);
    put_text(o, "env", env);
    put_text(o, "gateway", log->gateway);
    oc_json_set_str(o, "gate", run->is_approved ? "approval" : "node-policy");
    return o;
}

void oc_exec_log_begin(struct oc_exec_log *log, const struct oc_exec_log_run *run,
        char ret_id[OC_EXEC_LOG_ID + 1]) {
    char id[OC_UUID_LEN + 1];
    oc_uuid4(id);
    snprintf(ret_id, OC_EXEC_LOG_ID + 1, "%.8s%.4s%.4s", id, id + 9, id + 14);
    if (log) {
        OC_AUTO_JSON cJSON *doc = describe(log, run, "run");
        oc_json_set_str(doc, "id", ret_id);
        write_line(log, doc);
    }
}

void oc_exec_log_refused(
        struct oc_exec_log *log, const struct oc_exec_log_run *run, const char *reason) {
    if (log) {
        OC_AUTO_JSON cJSON *doc = describe(log, run, "refused");
        put_text(doc, "reason", reason);
        write_line(log, doc);
    }
}

void oc_exec_log_end(struct oc_exec_log *log, const char *id, const struct oc_exec_log_end *end) {
    if (!log) {
        return;
    }
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    oc_json_set_str(doc, "kind", "end");
    oc_json_set_str(doc, "id", id);
    oc_json_set_str(doc, "outcome", end->outcome);
    if (end->has_exit_code) {
        oc_json_set_int(doc, "exitCode", end->exit_code);
    }
    if (end->signal > 0) {
        oc_json_set_int(doc, "signal", end->signal);
    }
    oc_json_set_int(doc, "bytes", (int64_t)end->bytes);
    oc_json_set_int(doc, "durationMs", end->took_ms);
    put_text(doc, "reason", end->reason);
    write_line(log, doc);
}

/* Puts the lines of one file in front of items: ends are kept in `ends` until their beginning turns up, which stands
 * further up. */
static void read_lines(
        struct oc_buf *text, int64_t since_ms, int64_t limit, cJSON *items, cJSON *ends) {
    size_t end = text->len;
    while (end > 0 && cJSON_GetArraySize(items) < limit) {
        size_t start = end - 1; /* on the newline */
        while (start > 0 && text->data[start - 1] != '\n') {
            start--;
        }
        cJSON *doc = NULL;
        struct oc_error ignored;
        bool is_read = oc_json_parse(text->data + start, end - start, &doc, &ignored) == OC_OK;
        end = start;
        const char *id = is_read ? oc_json_get_str(doc, "id") : NULL;
        if (is_read && id && oc_streq(oc_json_get_str(doc, "kind"), "end")) {
            oc_json_set(ends, id, doc);
            continue;
        }
        if (!is_read || oc_json_get_int(doc, "atMs", 0) < since_ms) {
            cJSON_Delete(doc);
            continue;
        }
        if (id) {
            oc_json_set(doc, "end", cJSON_DetachItemFromObjectCaseSensitive(ends, id));
        }
        cJSON_AddItemToArray(items, doc);
    }
}

enum oc_code oc_exec_log_read(
        const char *state_dir, int64_t since_ms, int64_t limit, cJSON **ret, struct oc_error *err) {
    static const char *const files[] = { NAME, OLD_NAME };
    OC_AUTO_JSON cJSON *items = cJSON_CreateArray(), *ends = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(files); i++) {
        OC_AUTO_FREE char *path = oc_path_join(state_dir, files[i]);
        OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_READ);
        enum oc_code rc = oc_file_read(path, MAX_READ, &text, err);
        if (rc == OC_E_NOT_FOUND) {
            continue;
        }
        if (rc != OC_OK) {
            return rc;
        }
        read_lines(&text, since_ms, limit, items, ends);
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "items", oc_take(&items));
    oc_json_set_int(o, "pruned", 0);
    *ret = o;
    return OC_OK;
}
