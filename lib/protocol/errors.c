#include "lib/protocol/errors.h"

#include "lib/protocol/grounds.h"
#include "lib/text/fix.h"

const char *oc_wire_code(const struct oc_error *err) {
    if (err->wire && *err->wire) {
        return err->wire;
    }
    switch (err->code) {
    case OC_E_INVALID:
    case OC_E_TOO_LARGE:
    case OC_E_NOT_FOUND:
    case OC_E_EXISTS:
    case OC_E_AUTH:
        return OC_WIRE_INVALID;
    case OC_E_DENIED:
        return OC_WIRE_FORBIDDEN;
    default:
        return OC_WIRE_UNAVAILABLE;
    }
}

/* Clients of protocol 3 drop a response whose error has an empty code or message, and then wait for
 * their timeout. */
cJSON *oc_wire_error(
        const char *code, const char *message, cJSON *take_details, int64_t retry_after_ms) {
    cJSON *e = cJSON_CreateObject();
    oc_json_set_str(e, "code", code && *code ? code : OC_WIRE_UNAVAILABLE);
    oc_json_set_str(e, "message", message && *message ? message : "unknown error");
    oc_json_set(e, "details", take_details);
    if (retry_after_ms >= 0) {
        oc_json_set_bool(e, "retryable", true);
        oc_json_set_int(e, "retryAfterMs", retry_after_ms);
    }
    return e;
}

cJSON *oc_wire_error_from(const struct oc_error *err) {
    const struct oc_grounds *g = &err->grounds;
    OC_AUTO_FREE char *fix = oc_fix_text(g);
    cJSON *details = oc_grounds_any(g) ? cJSON_CreateObject() : NULL;
    if (details) {
        oc_grounds_put(details, g, fix);
    }
    return oc_wire_error(oc_wire_code(err), err->text, details, -1);
}
