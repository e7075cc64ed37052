#include "gateway/exec/run_manner.h"

#include "lib/base/mem.h"
#include "lib/protocol/run_texts.h"

#include <math.h>

#define MOST 1e300 /* of a limit that a caller names: finite, which is all that matters */

struct manner {
    bool background, tty, stdin_sent;
    const cJSON *timeout;
};
#define T struct manner
static const struct oc_json_field fields[] = {
    OC_BOOL(T, background, "background", OC_NULLABLE),
    OC_BOOL(T, tty, "tty", OC_NULLABLE),
    OC_BOOL(T, stdin_sent, "stdin", OC_NULLABLE),
    OC_ANY(T, timeout, "timeoutMs", OC_NULLABLE),
};
#undef T

enum oc_code gw_run_manner_build(const cJSON *given, cJSON **ret, struct oc_error *err) {
    *ret = NULL;
    if (!given) {
        return OC_OK;
    }
    struct manner m = { 0 };
    enum oc_code rc = oc_json_decode(given, "/run", fields, OC_COUNT(fields), &m, err);
    if (rc != OC_OK) {
        return rc;
    }
    double timeout_ms = 0;
    if (m.timeout && !oc_json_as_num(m.timeout, -MOST, MOST, &timeout_ms)) {
        return oc_fail(err, OC_E_INVALID, "at /run/timeoutMs: must be number");
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "background", m.background);
    oc_json_set_bool(o, "tty", m.tty);
    if (m.stdin_sent) {
        oc_json_set_bool(o, "stdin", true);
    }
    if (timeout_ms > 0) {
        oc_json_set(o, "timeoutMs", cJSON_CreateNumber(timeout_ms));
    }
    *ret = o;
    return OC_OK;
}

/* Anything but a plain no is a wish: what the node makes of it is the node's business. */
static bool run_manner_wants(const cJSON *params, const char *key) {
    const cJSON *v = oc_json_get(params, key);
    return v && !cJSON_IsFalse(v) && !cJSON_IsNull(v);
}

const char *gw_run_manner_excess(const cJSON *approved, const cJSON *params) {
    /* What is approved without a limit has none; what is unreadable is longer than any. */
    double limit_ms = oc_json_get_num(approved, "timeoutMs", 0, MOST, -1);
    double timeout_ms = oc_json_get_num(params, "timeoutMs", 0, MOST, INFINITY);
    if (run_manner_wants(params, "background") &&
            !oc_json_get_bool(approved, "background", false)) {
        return "approval id does not match request: it is not approved to run in the background "
               "(ask with \"run\":{\"background\":true})";
    }
    if (run_manner_wants(params, "tty") && !oc_json_get_bool(approved, "tty", false)) {
        return "approval id does not match request: it is not approved to have a terminal "
               "(ask with \"run\":{\"tty\":true})";
    }
    if (run_manner_wants(params, "stdin") && !oc_json_get_bool(approved, "stdin", false)) {
        return "approval id does not match request: it is not approved to read the caller's "
               "standard input (ask with \"run\":{\"stdin\":true})";
    }
    if (limit_ms >= 0 && (timeout_ms <= 0 || timeout_ms > limit_ms)) {
        return "approval id does not match request: it is not approved to run that long (run it "
               "with the timeoutMs it was asked for with)";
    }
    return NULL;
}

cJSON *gw_run_manner_unbound(const cJSON *approved, const cJSON *unbound) {
    if (!oc_json_get_bool(approved, "stdin", false)) {
        return unbound ? cJSON_Duplicate(unbound, true) : NULL;
    }
    cJSON *all = unbound ? cJSON_Duplicate(unbound, true) : cJSON_CreateArray();
    cJSON_AddItemToArray(all, cJSON_CreateString(OC_STDIN_UNBOUND));
    return all;
}
