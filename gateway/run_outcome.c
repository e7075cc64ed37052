#include "gateway/run_outcome.h"

#include "base/json_scan.h"
#include "base/mem.h"
#include "protocol/limits.h"

#include <string.h>

/* Of a payload that is itself a string; nodes cut what programs write far below this. */
#define MAX_ESCAPED ((size_t)4 * 1024 * 1024)

enum pick { EXIT_CODE, SIGNAL, TIMED_OUT, OUT, ERR, ERROR, HANDLE, PICKS };

static int64_t text_bytes(struct oc_json_value v) {
    struct oc_slice body = oc_json_body(v);
    char piece[4096];
    int64_t total = 0;
    for (size_t n; (n = oc_json_unescape_step(&body, piece, sizeof(piece))) > 0;) {
        total += (int64_t)n;
    }
    return total;
}

static void put_reason(cJSON *o, const char *text) {
    if (text && !oc_str_blank(text)) {
        OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), OC_MAX_AUDIT_TEXT);
        oc_json_set_str(o, "reason", shown);
    }
}

static void read_result(struct oc_slice object, cJSON *o) {
    struct oc_json_pick p[PICKS] = { [EXIT_CODE] = { .key = "exitCode" },
        [SIGNAL] = { .key = "signal" },
        [TIMED_OUT] = { .key = "timedOut" },
        [OUT] = { .key = "stdout" },
        [ERR] = { .key = "stderr" },
        [ERROR] = { .key = "error" },
        [HANDLE] = { .key = "handle" } };
    oc_json_pick(object, p, PICKS);
    int64_t code = 0, signal = 0, bytes = 0;
    bool has_code = p[EXIT_CODE].found && oc_json_int(p[EXIT_CODE].value, &code);
    bool has_signal = p[SIGNAL].found && oc_json_int(p[SIGNAL].value, &signal);
    bool has_error = p[ERROR].found && p[ERROR].value.kind == OC_JK_STRING;
    bool has_started = p[HANDLE].found && p[HANDLE].value.kind == OC_JK_STRING;
    const char *outcome = p[TIMED_OUT].found && p[TIMED_OUT].value.kind == OC_JK_TRUE ? "timed-out"
                          : has_code                                                  ? "exited"
                          : has_started                                               ? "started"
                          : has_error && !has_signal ? "not-started"
                                                     : "killed";
    oc_json_set_str(o, "outcome", outcome);
    if (has_code) {
        oc_json_set_int(o, "exitCode", code);
    }
    if (has_signal) {
        oc_json_set_int(o, "signal", signal);
    }
    for (int i = OUT; i <= ERR; i++) {
        bytes += p[i].found && p[i].value.kind == OC_JK_STRING ? text_bytes(p[i].value) : 0;
    }
    oc_json_set_int(o, "bytes", bytes);
    if (has_error) {
        OC_AUTO_FREE char *text = oc_json_unescape(oc_json_body(p[ERROR].value), 4096);
        put_reason(o, text);
    }
}

static bool read_payload(const struct oc_answer *a, cJSON *o) {
    struct oc_slice text = a->payload;
    OC_AUTO_BUF struct oc_buf plain = OC_BUF_INIT(MAX_ESCAPED);
    if (a->payload_kind == OC_PAYLOAD_ESCAPED) {
        if (oc_json_unescape_append(&plain, text) != OC_OK || plain.len == 0) {
            return false;
        }
        text = (struct oc_slice){ plain.data, plain.len };
    } else if (a->payload_kind != OC_PAYLOAD_RAW) {
        return false;
    }
    struct oc_json_value root = oc_json_root(text);
    if (root.kind != OC_JK_OBJECT) {
        return false;
    }
    read_result(root.raw, o);
    return true;
}

cJSON *oc_run_outcome_of(const struct oc_answer *a) {
    cJSON *o = cJSON_CreateObject();
    if (a->ok && read_payload(a, o)) {
        return o;
    }
    bool is_refusal = a->node_code && strstr(a->node_code, "DENIED") != NULL;
    is_refusal = is_refusal || (a->message && oc_starts_with(a->message, "SYSTEM_RUN_D"));
    oc_json_set_str(o, "outcome", is_refusal ? "refused" : "unknown");
    put_reason(o, a->ok ? "the node's answer could not be read" : a->message);
    return o;
}
