#include "cli/run/exec_answer.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/json/json.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/foreign_errors.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define MAX_ERROR_BYTES 4096
#define MAX_HANDLE_BYTES 256

static bool find_object(struct oc_slice in, const char *key, struct oc_slice *ret) {
    struct oc_json_value v = { 0 };
    if (!oc_json_find(in, key, &v) || v.kind != OC_JK_OBJECT) {
        return false;
    }
    *ret = v.raw;
    return true;
}

static bool find_body(struct oc_slice in, const char *key, struct oc_slice *ret) {
    struct oc_json_value v = { 0 };
    if (!oc_json_find(in, key, &v) || v.kind != OC_JK_STRING) {
        return false;
    }
    *ret = oc_json_body(v);
    return true;
}

static bool find_int(struct oc_slice in, const char *key, int64_t *ret) {
    struct oc_json_value v;
    char digits[24];
    if (!oc_json_find(in, key, &v) || v.kind != OC_JK_NUMBER || v.raw.len >= sizeof(digits)) {
        return false;
    }
    memcpy(digits, v.raw.ptr, v.raw.len);
    digits[v.raw.len] = '\0';
    return oc_parse_int(digits, INT32_MIN, INT32_MAX, ret);
}

static bool is_true(struct oc_slice in, const char *key) {
    struct oc_json_value v;
    return oc_json_find(in, key, &v) && v.kind == OC_JK_TRUE;
}

/* The result object: already parsed by the gateway, or as the text the node sent. */
static enum oc_code find_result(struct oc_slice answer, struct cli_exec_answer *r,
        struct oc_slice *ret, struct oc_error *err) {
    struct oc_slice text;
    if (find_object(answer, "payload", ret)) {
        return OC_OK;
    }
    if (!find_body(answer, "payloadJSON", &text)) {
        return oc_fail(err, OC_E_INVALID, "the node's answer holds no result");
    }
    enum oc_code rc = oc_json_unescape_append(&r->scratch, text);
    if (rc != OC_OK) {
        return oc_fail(err, rc, "the node's answer is too large");
    }
    if (r->scratch.len == 0 ||
            !oc_json_valid(r->scratch.data, r->scratch.len, OC_MAX_FRAME_DEPTH)) {
        return oc_fail(err, OC_E_INVALID, "the node's answer is not JSON");
    }
    struct oc_json_value v = oc_json_root((struct oc_slice){ r->scratch.data, r->scratch.len });
    if (v.kind != OC_JK_OBJECT) {
        return oc_fail(err, OC_E_INVALID, "the node's answer is not an object");
    }
    *ret = v.raw;
    return OC_OK;
}

static char *dropped_names(struct oc_slice result) {
    struct oc_json_value v = { 0 };
    OC_AUTO_JSON cJSON *names = NULL;
    struct oc_error ignored;
    if (!oc_json_find(result, "envDropped", &v) || v.kind != OC_JK_ARRAY ||
            v.raw.len > MAX_ERROR_BYTES ||
            oc_json_parse(v.raw.ptr, v.raw.len, &names, &ignored) != OC_OK) {
        return NULL;
    }
    OC_AUTO_STRV struct oc_strv list = { 0 };
    const cJSON *name;
    cJSON_ArrayForEach(name, names) {
        if (cJSON_IsString(name)) {
            oc_strv_add(&list, name->valuestring);
        }
    }
    return list.count > 0 ? oc_strv_join(&list, ", ") : NULL;
}

enum oc_code cli_exec_answer_decode(
        struct oc_slice answer, struct cli_exec_answer *ret, struct oc_error *err) {
    *ret = (struct cli_exec_answer){ .scratch = OC_BUF_INIT((size_t)OC_MAX_MESSAGE_BYTES) };
    struct oc_slice result = { 0 }, body = { 0 };
    if (answer.len == 0 || oc_json_root(answer).kind != OC_JK_OBJECT) {
        return oc_fail(err, OC_E_INVALID, "the gateway's answer is not an object");
    }
    enum oc_code rc = find_result(answer, ret, &result, err);
    if (rc != OC_OK) {
        return rc;
    }
    find_body(result, "stdout", &ret->out);
    find_body(result, "stderr", &ret->err);
    ret->has_exit_code = find_int(result, "exitCode", &ret->exit_code);
    ret->timed_out = is_true(result, "timedOut");
    ret->was_live = is_true(result, "live");
    find_int(result, "signal", &ret->signal);
    ret->env_dropped = dropped_names(result);
    if (find_body(result, "limit", &body)) {
        ret->limit = oc_json_unescape(body, MAX_HANDLE_BYTES);
    }
    if (find_body(result, "leftBehind", &body)) {
        struct oc_slice handle;
        OC_AUTO_FREE char *state = oc_json_unescape(body, MAX_HANDLE_BYTES);
        ret->left_killed = oc_streq(state, "killed");
        if (oc_streq(state, "running") && find_body(result, "handle", &handle)) {
            ret->left_handle = oc_json_unescape(handle, MAX_HANDLE_BYTES);
        }
    }
    if (find_body(result, "error", &body)) {
        ret->error = oc_json_unescape(body, MAX_ERROR_BYTES);
    }
    return OC_OK;
}

void cli_exec_answer_finish(struct cli_exec_answer *r) {
    oc_buf_finish(&r->scratch);
    oc_free(r->error);
    oc_free(r->env_dropped);
    oc_free(r->left_handle);
    oc_free(r->limit);
    *r = (struct cli_exec_answer){ 0 };
}

int cli_exec_exit_code(const struct cli_exec_answer *r) {
    if (r->timed_out) {
        return 124;
    }
    if (r->has_exit_code) {
        return (int)(r->exit_code & 0xff);
    }
    if (r->signal > 0 && r->signal < 128) {
        return (int)(128 + r->signal);
    }
    if (r->error) {
        return oc_foreign_is_no_program(r->error) ? 127 : 126;
    }
    return 1; /* killed, and the node did not say by what */
}
