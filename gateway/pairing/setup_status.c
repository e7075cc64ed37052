#include "gateway/pairing/setup_status.h"

#include "lib/base/mem.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define KEY "setup-done"
#define KEPT_MS 3600000

cJSON *gw_setup_completion(const struct gw_setup_grant *g, const struct gw_pair_claim *claim,
        const struct oc_clock *clock) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "setupId", g->id);
    oc_json_set_str(o, "deviceId", claim->device_id);
    oc_json_set_str(
            o, "deviceName", oc_str_blank(claim->display_name) ? NULL : claim->display_name);
    oc_json_set_str(o, "access", gw_setup_access(g));
    oc_json_set_int(o, "ts", oc_wall_ms(clock));
    return o;
}

static enum oc_code setup_status_load(
        struct gw_store *s, int64_t now_ms, cJSON **ret, struct oc_error *err) {
    OC_AUTO_FREE char *text = NULL;
    enum oc_code rc = gw_store_get_meta(s, KEY, &text, err);
    if (rc == OC_E_NOT_FOUND) {
        *ret = cJSON_CreateArray();
        return OC_OK;
    }
    OC_AUTO_JSON cJSON *done = NULL;
    if (rc == OC_OK) {
        rc = oc_json_parse(text, strlen(text), &done, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    for (cJSON *one = done->child, *next = NULL; one; one = next) {
        next = one->next;
        int64_t age = now_ms - oc_json_get_ms(one, "ts", 0);
        if (age > KEPT_MS || age < -KEPT_MS) {
            cJSON_Delete(cJSON_DetachItemViaPointer(done, one));
        }
    }
    *ret = oc_take(&done);
    return OC_OK;
}

enum oc_code gw_setup_status_note(
        struct gw_store *s, const cJSON *completion, struct oc_error *err) {
    OC_AUTO_JSON cJSON *done = NULL;
    enum oc_code rc = setup_status_load(s, oc_json_get_ms(completion, "ts", 0), &done, err);
    if (rc != OC_OK) {
        return rc;
    }
    while (cJSON_GetArraySize(done) >= OC_MAX_SETUP_CODES) {
        cJSON_DeleteItemFromArray(done, 0); /* the oldest */
    }
    cJSON_AddItemToArray(done, cJSON_Duplicate(completion, true));
    OC_AUTO_FREE char *text = oc_json_print(done, false);
    return gw_store_set_meta(s, KEY, text, err);
}

enum oc_code gw_setup_status_find(struct gw_store *s, const struct oc_clock *clock,
        const char *setup_id, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *done = NULL;
    enum oc_code rc = setup_status_load(s, oc_wall_ms(clock), &done, err);
    cJSON *one = NULL;
    cJSON_ArrayForEach(one, done) {
        if (oc_streq(oc_json_get_str(one, "setupId"), setup_id)) {
            *ret = cJSON_DetachItemViaPointer(done, one);
            return OC_OK;
        }
    }
    return rc == OC_OK ? oc_fail(err, OC_E_NOT_FOUND, "nobody used that setup code") : rc;
}
