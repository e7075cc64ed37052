#include "gateway/exec/system_run.h"

#include "lib/base/str.h"
#include "lib/json/json.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/limits.h"

#include <string.h>

enum oc_code gw_system_run_params(
        struct oc_slice params, struct oc_blob **ret, struct oc_error *err) {
    static const char *const allowed[] = { "command", "rawCommand", "cwd", "env", "timeoutMs",
        "needsScreenRecording", "agentId", "sessionKey", "runId", "live", "background", "handle",
        "stdin", "tty" };
    if (params.len > OC_MAX_REQUEST_BYTES) {
        return oc_fail(err, OC_E_INVALID, "system.run params are larger than %u bytes",
                OC_MAX_REQUEST_BYTES);
    }
    OC_AUTO_JSON cJSON *in = NULL;
    enum oc_code rc = oc_json_parse_within(params.ptr, params.len, OC_MAX_REQUEST_VALUES, &in, err);
    if (rc != OC_OK) {
        oc_error_prefix(err, "system.run params");
        return rc;
    }
    if (!cJSON_IsObject(in)) {
        return oc_fail(err, OC_E_INVALID, "system.run params: must be object");
    }
    const cJSON *env = oc_json_get(in, "env");
    if (env && !cJSON_IsObject(env) && !cJSON_IsNull(env)) {
        return oc_fail(err, OC_E_INVALID, "system.run params: at /env: must be object");
    }
    OC_AUTO_JSON cJSON *out = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(allowed); i++) {
        cJSON *v = cJSON_DetachItemFromObjectCaseSensitive(in, allowed[i]);
        if (v) {
            oc_json_set(out, allowed[i], v);
        }
    }
    struct oc_buf text = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    rc = oc_json_append(&text, out, false);
    if (rc != OC_OK) {
        oc_buf_finish(&text);
        return oc_fail(err, rc, "system.run params are too large");
    }
    *ret = oc_blob_from_buf(&text);
    return OC_OK;
}

enum { ANSWER_MARGIN_MS = 5000 };

int64_t gw_system_run_invoke_ms(struct oc_slice params) {
    struct oc_json_value v;
    char digits[24];
    int64_t run_ms;
    if (params.len == 0 || !oc_json_find(params, "timeoutMs", &v) || v.kind != OC_JK_NUMBER ||
            v.raw.len >= sizeof(digits)) {
        return 0;
    }
    memcpy(digits, v.raw.ptr, v.raw.len);
    digits[v.raw.len] = '\0';
    if (!oc_parse_int(digits, 1, OC_MAX_INVOKE_MS - ANSWER_MARGIN_MS, &run_ms)) {
        return 0;
    }
    int64_t all_ms = run_ms + ANSWER_MARGIN_MS;
    return all_ms > OC_DEFAULT_INVOKE_MS ? all_ms : 0;
}
