#include "node/exec_log.h"

#include "base/argv_text.h"
#include "base/buf.h"
#include "base/encode.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
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

/* Exactly, as far as it is not very long. */
static void put_argv(cJSON *o, const struct oc_strv *argv) {
    cJSON *kept = cJSON_AddArrayToObject(o, "argv");
    size_t total = 0;
    for (size_t i = 0; i < argv->count; i++) {
        total += strlen(argv->items[i]) + 1;
        if (total > OC_MAX_AUDIT_ARGV) {
            oc_json_set_int(o, "argvCut", (int64_t)(argv->count - i));
            return;
        }
        cJSON_AddItemToArray(kept, cJSON_CreateString(argv->items[i]));
    }
}

/* Nobody has checked these. */
static void put_claims(cJSON *o, const struct oc_exec_log_run *run) {
    if (run->agent_id || run->session_key) {
        cJSON *claimed = cJSON_AddObjectToObject(o, "claimed");
        put_text(claimed, "agentId", run->agent_id);
        put_text(claimed, "sessionKey", run->session_key);
    }
}

static void put_caller(cJSON *o, const cJSON *caller) {
    if (caller) {
        cJSON *by = cJSON_AddObjectToObject(o, "by");
        put_text(by, "id", oc_json_get_str(caller, "id"));
        put_text(by, "name", oc_json_get_str(caller, "name"));
        put_text(by, "client", oc_json_get_str(caller, "client"));
        oc_json_set_bool(by, "admin", oc_json_get_bool(caller, "admin", false));
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
    put_argv(o, run->argv);
    put_text(o, "command", command);
    put_text(o, "cwd", run->cwd);
    put_claims(o, run);
    put_text(o, "runId", run->run_id);
    put_text(o, "handle", run->handle);
    put_text(o, "env", env);
    put_text(o, "gateway", log->gateway);
    put_text(o, "invokeId", run->invoke_id);
    put_caller(o, run->caller);
    put_text(o, "gate", run->gate);
    put_text(o, "gateEntry", run->gate_entry);
    if (run->is_background) {
        oc_json_set_bool(o, "background", true);
    }
    if (run->has_tty) {
        oc_json_set_bool(o, "tty", true);
    }
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

void oc_exec_log_end(struct oc_exec_log *log, const char *id, const cJSON *end) {
    if (!log) {
        return;
    }
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    oc_json_set_str(doc, "kind", "end");
    oc_json_set_str(doc, "id", id);
    const cJSON *v;
    cJSON_ArrayForEach(v, end) {
        oc_json_set(doc, v->string, cJSON_Duplicate(v, true));
    }
    write_line(log, doc);
}

void oc_exec_log_told(struct oc_exec_log *log, const char *id) {
    if (log) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        oc_json_set_str(doc, "kind", "told");
        oc_json_set_str(doc, "id", id);
        write_line(log, doc);
    }
}

/* A run as its lines tell it. */
struct trace {
    cJSON *begin, *end;
};

static void trace_free(struct trace *t) {
    cJSON_Delete(t->begin);
    cJSON_Delete(t->end);
    oc_free(t);
}

static void follow(struct oc_map *open, cJSON *take_line) {
    OC_AUTO_JSON cJSON *line = take_line;
    const char *id = oc_json_get_str(line, "id"), *kind = oc_json_get_str(line, "kind");
    struct trace *t = id ? oc_map_get(open, id) : NULL;
    if (id && !t && oc_streq(kind, "run")) {
        t = oc_new(struct trace);
        oc_map_put(open, id, t);
        t->begin = oc_take(&line);
    } else if (t && oc_streq(kind, "end") && !t->end) {
        t->end = oc_take(&line);
    } else if (t && oc_streq(kind, "told")) {
        oc_map_remove(open, id);
        trace_free(t);
    }
}

static void follow_file(struct oc_map *open, const char *path) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_READ);
    struct oc_error ignored;
    if (oc_file_read(path, MAX_READ, &text, &ignored) != OC_OK) {
        return;
    }
    for (size_t at = 0; at < text.len;) {
        const char *start = text.data + at, *stop = memchr(start, '\n', text.len - at);
        size_t len = stop ? (size_t)(stop - start) : text.len - at;
        cJSON *line = NULL;
        if (oc_json_parse(start, len, &line, &ignored) == OC_OK) {
            follow(open, line);
        }
        at += len + 1;
    }
}

/* What the gateway wants to hear: the end, under the gateway's own name for the run. */
static cJSON *report_of(const struct trace *t) {
    static const char *const ours[] = { "kind", "id", "atMs" };
    cJSON *report = cJSON_Duplicate(t->end, true);
    for (size_t i = 0; i < OC_COUNT(ours); i++) {
        cJSON_DeleteItemFromObjectCaseSensitive(report, ours[i]);
    }
    oc_json_set_str(report, "invokeId", oc_json_get_str(t->begin, "invokeId"));
    return report;
}

static void close_trace(struct oc_exec_log *log, const char *id, struct trace *t) {
    t->end = cJSON_CreateObject();
    oc_json_set_str(t->end, "outcome", "node-stopped");
    oc_json_set_str(t->end, "reason", "the node stopped before it ended");
    oc_json_set_str(t->end, "handle", oc_json_get_str(t->begin, "handle"));
    oc_json_set_str(t->end, "gate", oc_json_get_str(t->begin, "gate"));
    oc_json_set_str(t->end, "gateEntry", oc_json_get_str(t->begin, "gateEntry"));
    oc_json_set_int(t->end, "startedAtMs", oc_json_get_int(t->begin, "atMs", 0));
    oc_exec_log_end(log, id, t->end);
}

void oc_exec_log_recover(struct oc_exec_log *log, oc_exec_log_untold *untold, void *user) {
    struct oc_map *open = oc_map_create();
    follow_file(open, log->old_path);
    follow_file(open, log->path);
    size_t pos = 0;
    const char *id;
    void *value;
    while (oc_map_next(open, &pos, &id, &value)) {
        struct trace *t = value;
        if (!t->end) {
            close_trace(log, id, t);
        }
        /* Another gateway knows nothing of it, and one of another kind has no use for it. */
        if (oc_json_get(t->begin, "by") && oc_json_get_str(t->begin, "invokeId") &&
                oc_streq(oc_json_get_str(t->begin, "gateway"), log->gateway)) {
            untold(user, id, report_of(t));
        }
        trace_free(t);
    }
    oc_map_destroy(open);
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
        if (is_read && oc_streq(oc_json_get_str(doc, "kind"), "told")) {
            cJSON_Delete(doc);
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
