#include "gateway/audit/run_end.h"

#include "lib/base/mem.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/run_words.h"

#include <string.h>

/* Of a payload that is itself a string; nodes cut what programs write far below this. */
#define MAX_ESCAPED ((size_t)4 * 1024 * 1024)

enum pick { EXIT_CODE, SIGNAL, TIMED_OUT, OUT, ERR, ERROR, HANDLE, GATE, ENTRY, PICKS };

static void put_outcome(cJSON *o, enum oc_outcome outcome) {
    oc_json_set_str(o, "outcome", oc_outcome_name(outcome));
}

static int64_t text_bytes(struct oc_json_value v) {
    struct oc_slice body = oc_json_body(v);
    char piece[4096];
    int64_t total = 0;
    for (size_t n; (n = oc_json_unescape_step(&body, piece, sizeof(piece))) > 0;) {
        total += (int64_t)n;
    }
    return total;
}

static void put_text(cJSON *o, const char *key, const char *text) {
    if (text && !oc_str_blank(text)) {
        OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), OC_MAX_AUDIT_TEXT);
        oc_json_set_str(o, key, shown);
    }
}

static void put_picked(cJSON *o, const char *key, const struct oc_json_pick *p) {
    if (p->found && p->value.kind == OC_JK_STRING) {
        OC_AUTO_FREE char *text = oc_json_unescape(oc_json_body(p->value), 4096);
        put_text(o, key, text);
    }
}

/* Why it let something through is known to the node alone, and may be a lie. It never stands where
 * our own record does. */
static void put_claims(cJSON *o, cJSON *take_says) {
    if (take_says->child) {
        oc_json_set(o, "nodeSays", take_says);
    } else {
        cJSON_Delete(take_says);
    }
}

static void read_result(struct oc_slice object, cJSON *o) {
    struct oc_json_pick p[PICKS] = { [EXIT_CODE] = { .key = "exitCode" },
        [SIGNAL] = { .key = "signal" },
        [TIMED_OUT] = { .key = "timedOut" },
        [OUT] = { .key = "stdout" },
        [ERR] = { .key = "stderr" },
        [ERROR] = { .key = "error" },
        [HANDLE] = { .key = "handle" },
        [GATE] = { .key = "gate" },
        [ENTRY] = { .key = "gateEntry" } };
    oc_json_pick_all(object, p, PICKS);
    int64_t code = 0, signal = 0, bytes = 0;
    bool has_code =
            p[EXIT_CODE].found && oc_json_int(p[EXIT_CODE].value, INT32_MIN, UINT32_MAX, &code);
    bool has_signal = p[SIGNAL].found && oc_json_int(p[SIGNAL].value, 0, 127, &signal);
    bool has_error = p[ERROR].found && p[ERROR].value.kind == OC_JK_STRING;
    bool has_started = p[HANDLE].found && p[HANDLE].value.kind == OC_JK_STRING;
    bool has_timed_out = p[TIMED_OUT].found && p[TIMED_OUT].value.kind == OC_JK_TRUE;
    put_outcome(o, has_timed_out              ? OC_OUTCOME_TIMED_OUT
                   : has_code                 ? OC_OUTCOME_EXITED
                   : has_started              ? OC_OUTCOME_STARTED
                   : has_error && !has_signal ? OC_OUTCOME_NOT_STARTED
                                              : OC_OUTCOME_KILLED);
    if (has_code) {
        oc_json_set_int(o, "exitCode", code);
    }
    if (has_signal) {
        oc_json_set_int(o, "signal", signal);
    }
    for (int i = OUT; i <= ERR; i++) {
        bytes += p[i].found && p[i].value.kind == OC_JK_STRING ? text_bytes(p[i].value) : 0;
    }
    if (has_started) {
        put_picked(o, "handle", &p[HANDLE]);
        cJSON *says = cJSON_CreateObject();
        put_picked(says, "gate", &p[GATE]);
        put_picked(says, "gateEntry", &p[ENTRY]);
        put_claims(o, says);
        return;
    }
    /* Of what the answer holds: the program may have written more, and only nodes of ours report
     * how much. */
    oc_json_set_int(o, "bytes", bytes);
    put_picked(o, "reason", &p[ERROR]);
}

static bool read_payload(const struct gw_answer *a, cJSON *o) {
    struct oc_slice text = a->payload;
    OC_AUTO_BUF struct oc_buf plain = OC_BUF_INIT(MAX_ESCAPED);
    if (a->payload_kind == GW_PAYLOAD_ESCAPED) {
        if (oc_json_unescape_append(&plain, text) != OC_OK || plain.len == 0) {
            return false;
        }
        text = (struct oc_slice){ plain.data, plain.len };
    } else if (a->payload_kind != GW_PAYLOAD_RAW) {
        return false;
    }
    struct oc_json_value root = oc_json_root(text);
    if (root.kind != OC_JK_OBJECT) {
        return false;
    }
    read_result(root.raw, o);
    return true;
}

/* A node that answers with an error knows what became of the command. Only our own giving up is not
 * knowing. Which codes a node uses before it starts anything is part of the wire; few of them have
 * a cause. */
static enum oc_outcome outcome_of_error(const struct gw_answer *a) {
    static const char *const before[] = { "UNAVAILABLE", "INVALID_REQUEST", "DUPLICATE_REQUEST",
        "UNAUTHORIZED", "NOT_FOUND" };
    const char *code = a->node_code ? a->node_code : "";
    if (a->is_lost) {
        return OC_OUTCOME_UNKNOWN;
    }
    if (a->grounds.cause == OC_CAUSE_NOT_STARTED) {
        return OC_OUTCOME_NOT_STARTED;
    }
    if (a->grounds.gate || oc_streq(code, "SYSTEM_RUN_DENIED")) {
        return OC_OUTCOME_REFUSED;
    }
    for (size_t i = 0; i < OC_COUNT(before); i++) {
        if (strcmp(code, before[i]) == 0) {
            return OC_OUTCOME_NOT_STARTED;
        }
    }
    return strcmp(code, "CANCELLED") == 0 ? OC_OUTCOME_CANCELLED : OC_OUTCOME_FAILED;
}

cJSON *gw_run_end_of_answer(const struct gw_answer *a) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "source", a->is_lost ? "gateway" : "node");
    if (a->ok && read_payload(a, o)) {
        return o;
    }
    put_outcome(o, a->ok ? OC_OUTCOME_UNKNOWN : outcome_of_error(a));
    put_text(o, "reason", a->ok ? "the node's answer could not be read" : a->message);
    put_text(o, "cause", a->ok ? NULL : oc_cause_name(a->grounds.cause));
    if (!a->ok) {
        oc_grounds_put_record(o, &a->grounds);
    }
    return o;
}

static void copy_count(cJSON *to, const cJSON *from, const char *key) {
    int64_t n = oc_json_get_int(from, key, 0, OC_JSON_MAX_MS, -1);
    if (n >= 0) {
        oc_json_set_int(to, key, n);
    }
}

static void copy_input(cJSON *to, const cJSON *from) {
    cJSON *list = cJSON_CreateArray();
    const cJSON *one;
    cJSON_ArrayForEach(one, oc_json_get(from, "input")) {
        if (cJSON_GetArraySize(list) == OC_MAX_RUN_WRITERS + 1) {
            break;
        }
        cJSON *o = cJSON_CreateObject();
        put_text(o, "by", oc_json_get_str(one, "by"));
        put_text(o, "name", oc_json_get_str(one, "name"));
        copy_count(o, one, "bytes");
        cJSON_AddItemToArray(list, o);
    }
    if (list->child) {
        oc_json_set(to, "input", list);
    } else {
        cJSON_Delete(list);
    }
}

/* As in an answer: a node names what is its own to name. */
static void copy_grounds(cJSON *to, const cJSON *from) {
    struct oc_told_error told = { .is_of_node = true, .details = oc_json_get(from, "grounds") };
    struct oc_grounds g;
    oc_free(oc_grounds_read(&told, &g)); /* it has no text */
    oc_grounds_put_record(to, &g);
}

cJSON *gw_run_end_of_report(const cJSON *report) {
    static const char *const counts[] = { "exitCode", "signal", "bytes", "stdoutBytes",
        "stderrBytes", "inputBytes", "startedAtMs", "endedAtMs", "durationMs" };
    static const char *const texts[] = { "handle", "reason" };
    static const char *const claims[] = { "gate", "gateEntry", "decision" };
    enum oc_outcome outcome = oc_outcome_named(oc_json_get_str(report, "outcome"));
    if (!oc_outcome_is_of_node(outcome)) {
        return NULL;
    }
    cJSON *o = cJSON_CreateObject();
    put_outcome(o, outcome);
    for (size_t i = 0; i < OC_COUNT(counts); i++) {
        copy_count(o, report, counts[i]);
    }
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        put_text(o, texts[i], oc_json_get_str(report, texts[i]));
    }
    put_text(o, "cause", oc_cause_name(oc_cause_named(oc_json_get_str(report, "cause"))));
    copy_grounds(o, report);
    cJSON *says = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(claims); i++) {
        put_text(says, claims[i], oc_json_get_str(report, claims[i]));
    }
    put_claims(o, says);
    oc_json_set_str(o, "source", "node");
    copy_input(o, report);
    return o;
}
