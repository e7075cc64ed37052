#include "node/run/log/run_log.h"

#include "lib/base/buf.h"
#include "lib/base/encode.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/files/file.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/text/argv_text.h"
#include "node/run/log/run_log_file.h"

#include <stdio.h>
#include <string.h>

#define RUNS "exec-log"
#define REFUSALS "exec-refused" /* everybody can be refused as often as they like */
#define MAX_NAME 256            /* bytes of what a caller calls itself, its session and the like */

struct nd_run_log {
    char *gateway;
    struct nd_run_log_file runs, refusals;
};

struct nd_run_log *nd_run_log_create(
        const char *state_dir, const char *gateway, const struct oc_clock *clock) {
    struct nd_run_log *log = oc_new(struct nd_run_log);
    log->gateway = oc_strdup(gateway);
    nd_run_log_file_init(&log->runs, state_dir, RUNS, OC_MAX_RUN_LOG_BYTES, clock);
    nd_run_log_file_init(&log->refusals, state_dir, REFUSALS, OC_MAX_RUN_REFUSED_BYTES, clock);
    return log;
}

void nd_run_log_destroy(struct nd_run_log *log) {
    if (!log) {
        return;
    }
    nd_run_log_file_finish(&log->runs);
    nd_run_log_file_finish(&log->refusals);
    oc_free(log->gateway);
    oc_free(log);
}

/* How long a text is in the file: whoever sends control characters must not get six times the
 * room. */
static size_t written_bytes(const char *text) {
    size_t bytes = 0;
    for (const char *p = text; *p; p++) {
        bytes += (unsigned char)*p < 0x20 ? 6 : *p == '"' || *p == '\\' ? 2 : 1;
    }
    return bytes;
}

static void put_cut(cJSON *o, const char *key, const char *text, size_t max_bytes) {
    if (!text || oc_str_blank(text)) {
        return;
    }
    OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), max_bytes);
    if (written_bytes(shown) <= max_bytes) {
        oc_json_set_str(o, key, shown);
        return;
    }
    while (written_bytes(shown) + strlen("…") > max_bytes) {
        size_t len = strlen(shown);
        len -= len / 8 + 1;
        shown[len - oc_utf8_incomplete_tail(shown, len)] = '\0';
    }
    OC_AUTO_FREE char *cut = oc_strfmt("%s…", shown);
    oc_json_set_str(o, key, cut);
}

static void put_text(cJSON *o, const char *key, const char *text) {
    put_cut(o, key, text, OC_MAX_AUDIT_TEXT);
}

static void put_name(cJSON *o, const char *key, const char *text) {
    put_cut(o, key, text, MAX_NAME);
}

/* Exactly, as far as it is not very long. */
static void put_argv(cJSON *o, const struct oc_strv *argv) {
    cJSON *kept = cJSON_AddArrayToObject(o, "argv");
    size_t total = 0;
    for (size_t i = 0; i < argv->count; i++) {
        total += written_bytes(argv->items[i]) + 3; /* quotes and a comma */
        if (total > OC_MAX_AUDIT_ARGV) {
            oc_json_set_int(o, "argvCut", (int64_t)(argv->count - i));
            return;
        }
        cJSON_AddItemToArray(kept, cJSON_CreateString(argv->items[i]));
    }
}

/* Nobody has checked these. */
static void put_claims(cJSON *o, const struct nd_run_about *run) {
    if (run->agent_id || run->session_key) {
        cJSON *claimed = cJSON_AddObjectToObject(o, "claimed");
        put_name(claimed, "agentId", run->agent_id);
        put_name(claimed, "sessionKey", run->session_key);
    }
}

static void put_caller(cJSON *o, const cJSON *caller) {
    if (caller) {
        cJSON *by = cJSON_AddObjectToObject(o, "by");
        put_name(by, "id", oc_json_get_str(caller, "id"));
        put_name(by, "name", oc_json_get_str(caller, "name"));
        put_name(by, "client", oc_json_get_str(caller, "client"));
        oc_json_set_bool(by, "admin", oc_json_get_bool(caller, "admin", false));
    }
}

static cJSON *run_log_describe(
        const struct nd_run_log *log, const struct nd_run_about *run, const char *kind) {
    cJSON *o = cJSON_CreateObject();
    OC_AUTO_FREE char *command = oc_argv_shown_within(run->argv, (size_t)4 * OC_MAX_AUDIT_TEXT);
    OC_AUTO_STRV struct oc_strv names = { 0 };
    const cJSON *v;
    oc_json_for_each_member(v, run->env) {
        oc_strv_add(&names, v->string);
    }
    OC_AUTO_FREE char *env = oc_strv_join(&names, " ");
    oc_json_set_str(o, "kind", kind);
    put_argv(o, run->argv);
    put_text(o, "command", command);
    put_text(o, "cwd", run->cwd);
    put_claims(o, run);
    put_name(o, "runId", run->run_id);
    put_name(o, "handle", run->handle);
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

void nd_run_log_begin(
        struct nd_run_log *log, const struct nd_run_about *run, char ret_id[ND_RUN_LOG_ID + 1]) {
    char id[OC_UUID_LEN + 1];
    oc_uuid4(id);
    snprintf(ret_id, ND_RUN_LOG_ID + 1, "%.8s%.4s%.4s", id, id + 9, id + 14);
    if (log) {
        OC_AUTO_JSON cJSON *doc = run_log_describe(log, run, "run");
        oc_json_set_str(doc, "id", ret_id);
        nd_run_log_file_add(&log->runs, doc);
    }
}

static void add_refusal(struct nd_run_log *log, const struct nd_run_end *end) {
    OC_AUTO_JSON cJSON *doc = run_log_describe(log, &end->about, "refused");
    put_text(doc, "reason", end->reason);
    put_text(doc, "cause", oc_cause_name(end->grounds.cause));
    oc_grounds_put_record(doc, &end->grounds);
    nd_run_log_file_add(&log->refusals, doc);
}

static void add_end(struct nd_run_log *log, const struct nd_run_end *end) {
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    oc_json_set_str(doc, "kind", "end");
    oc_json_set_str(doc, "id", end->log_id);
    nd_run_end_put(end, doc);
    nd_run_log_file_add(&log->runs, doc);
}

void nd_run_log_end(struct nd_run_log *log, const struct nd_run_end *end) {
    if (log && *end->log_id) {
        add_end(log, end);
    } else if (log) {
        add_refusal(log, end);
    }
}

void nd_run_log_told(struct nd_run_log *log, const char *id) {
    if (log) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        oc_json_set_str(doc, "kind", "told");
        oc_json_set_str(doc, "id", id);
        nd_run_log_file_add(&log->runs, doc);
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

static void run_log_follow(struct oc_map *open, cJSON *take_line) {
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
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(ND_RUN_LOG_MAX_READ);
    struct oc_error ignored;
    if (oc_file_read(path, ND_RUN_LOG_MAX_READ, &text, &ignored) != OC_OK) {
        return;
    }
    for (size_t at = 0; at < text.len;) {
        const char *start = text.data + at, *stop = memchr(start, '\n', text.len - at);
        size_t len = stop ? (size_t)(stop - start) : text.len - at;
        cJSON *line = NULL;
        if (oc_json_parse(start, len, &line, &ignored) == OC_OK) {
            run_log_follow(open, line);
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

/* The node that could have filled in the record is gone: the line of the start is all there is. */
static void close_trace(struct nd_run_log *log, const char *id, struct trace *t) {
    struct nd_run_end end = { .about = { .gate = oc_json_get_str(t->begin, "gate"),
                                      .gate_entry = oc_json_get_str(t->begin, "gateEntry") },
        .log_id = id,
        .outcome = OC_OUTCOME_NODE_STOPPED,
        .reason = oc_strdup(ND_RUN_LOST),
        .handle = oc_json_get_str(t->begin, "handle"),
        .began_ms = oc_json_get_ms(t->begin, "atMs", 0),
        .took_ms = -1 };
    add_end(log, &end);
    t->end = cJSON_CreateObject();
    nd_run_end_put(&end, t->end);
    nd_run_end_finish(&end);
}

void nd_run_log_recover(struct nd_run_log *log, nd_run_log_unconfirmed *unconfirmed, void *user) {
    struct oc_map *open = oc_map_create();
    follow_file(open, log->runs.old_path);
    follow_file(open, log->runs.path);
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
            unconfirmed(user, id, report_of(t));
        }
        trace_free(t);
    }
    oc_map_destroy(open);
}

static int64_t at_of(const cJSON *item) {
    return oc_json_get_ms(item, "atMs", 0);
}

/* Puts the lines of one file in front of items: ends are kept in `ends` until their beginning turns
 * up, which stands further up. */
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
        const char *kind = is_read ? oc_json_get_str(doc, "kind") : NULL;
        if (!kind || oc_streq(kind, "told") || oc_streq(kind, "rotated") || at_of(doc) < since_ms) {
            cJSON_Delete(doc);
            continue;
        }
        if (id) {
            oc_json_set(doc, "end", cJSON_DetachItemFromObjectCaseSensitive(ends, id));
        }
        cJSON_AddItemToArray(items, doc);
    }
}

/* Both files of a log. Adds to *pruned what is gone. */
static enum oc_code read_book(const char *dir, const char *name, int64_t since_ms, int64_t limit,
        cJSON *items, int64_t *pruned, struct oc_error *err) {
    OC_AUTO_JSON cJSON *ends = cJSON_CreateObject();
    int64_t gone = -1;
    for (int is_old = 0; is_old < 2; is_old++) {
        OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(ND_RUN_LOG_MAX_READ);
        enum oc_code rc = nd_run_log_file_read(dir, name, is_old, &text, err);
        if (rc != OC_OK) {
            return rc;
        }
        gone = gone >= 0 ? gone : nd_run_log_file_pruned(&text);
        read_lines(&text, since_ms, limit, items, ends);
    }
    *pruned += gone > 0 ? gone : 0;
    return OC_OK;
}

enum oc_code nd_run_log_read(
        const char *state_dir, int64_t since_ms, int64_t limit, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *runs = cJSON_CreateArray(), *refused = cJSON_CreateArray();
    int64_t pruned = 0;
    enum oc_code rc = read_book(state_dir, RUNS, since_ms, limit, runs, &pruned, err);
    if (rc == OC_OK) {
        rc = read_book(state_dir, REFUSALS, since_ms, limit, refused, &pruned, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *o = cJSON_CreateObject(), *items = cJSON_AddArrayToObject(o, "items");
    for (int64_t i = 0; i < limit && (runs->child || refused->child); i++) {
        bool is_run =
                runs->child && (!refused->child || at_of(runs->child) > at_of(refused->child));
        cJSON *from = is_run ? runs : refused;
        cJSON_AddItemToArray(items, cJSON_DetachItemViaPointer(from, from->child));
    }
    oc_json_set_int(o, "pruned", pruned);
    *ret = o;
    return OC_OK;
}
