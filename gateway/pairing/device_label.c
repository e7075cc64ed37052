/* The owner's own word for a paired device. It stands beside the name the device gives itself,
 * which changes whenever the device says so. */
#include "gateway/pairing/pairing_priv.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

#include <string.h>

static size_t count_chars(const char *text) {
    size_t n = 0;
    for (; *text; text++) {
        n += ((unsigned char)*text & 0xC0) != 0x80; /* the first byte of each */
    }
    return n;
}

static enum oc_code check_label(const char *label, struct oc_error *err) {
    if (!*label) {
        return oc_fail(err, OC_E_INVALID, "label required");
    }
    if (!oc_utf8_valid(label, strlen(label)) || count_chars(label) > OC_MAX_LABEL_CHARS) {
        return oc_fail(err, OC_E_INVALID, "label must have at most %d characters of valid UTF-8",
                OC_MAX_LABEL_CHARS);
    }
    return OC_OK;
}

/* What a node is called decides which machine somebody runs a command on. */
static enum oc_code may_label(
        const struct gw_actor *actor, const cJSON *device, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv roles = { 0 };
    gw_device_roles(device, &roles);
    bool is_operator_only = roles.count == 1 && oc_strv_has(&roles, OC_ROLE_OPERATOR);
    return !actor->device_id || is_operator_only ? OC_OK
                                                 : gw_actor_require(actor, OC_SCOPE_ADMIN, err);
}

enum oc_code gw_pairing_rename(struct gw_pairing *p, const struct gw_actor *actor,
        const char *device_id, const char *label, cJSON **ret, struct oc_error *err) {
    OC_AUTO_FREE char *copy = oc_strdup(label);
    const char *wanted = oc_trim(copy);
    OC_AUTO_JSON cJSON *device = NULL;
    enum oc_code rc = gw_actor_require_to_remove(actor, device_id, err);
    if (rc == OC_OK) {
        rc = check_label(wanted, err);
    }
    if (rc == OC_OK) {
        rc = gw_store_get(p->store, GW_DEVICES, device_id, &device, err);
        rc = rc == OC_E_NOT_FOUND ? oc_fail(err, OC_E_INVALID, "unknown deviceId") : rc;
    }
    if (rc == OC_OK) {
        rc = may_label(actor, device, err);
    }
    if (rc == OC_OK) {
        oc_json_set_str(device, "operatorLabel", wanted);
        rc = gw_store_put(p->store, GW_DEVICES, device_id, NULL, device, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "deviceId", device_id);
    oc_json_set_str(payload, "label", wanted);
    *ret = payload;
    return OC_OK;
}
