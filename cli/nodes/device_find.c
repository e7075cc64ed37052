#include "cli/nodes/device_find.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"

#include <string.h>

#define DEVICE_ID_LEN 64

/* As node.list would describe it. */
static cJSON *describe_device(const cJSON *device) {
    const char *given = oc_json_get_str(device, "operatorLabel");
    cJSON *o = cli_params_str("nodeId", oc_json_get_str(device, "deviceId"));
    oc_json_set_str(o, "displayName", given ? given : oc_json_get_str(device, "displayName"));
    oc_json_set_str(o, "displayNameSource", given ? "owner" : NULL);
    return o;
}

enum oc_code cli_device_find(struct cli_cli *cli, const char *query, char **ret_id, char **ret_name,
        struct oc_error *err) {
    OC_AUTO_JSON cJSON *list = NULL, *devices = cJSON_CreateArray();
    *ret_name = NULL;
    if (strlen(query) == DEVICE_ID_LEN) {
        *ret_id = oc_strdup(query);
        return OC_OK;
    }
    enum oc_code rc = cli_call_tree(cli, "device.pair.list", cJSON_CreateObject(), &list, err);
    const cJSON *device, *found = NULL;
    cJSON_ArrayForEach(device, oc_json_get(list, "paired")) {
        if (oc_json_get_str(device, "deviceId")) {
            cJSON_AddItemToArray(devices, describe_device(device));
        }
    }
    if (rc == OC_OK) {
        rc = cli_named_resolve("device", devices, query, &found, err);
        if (rc != OC_OK) {
            cli_set_fix(cli, "openclaw devices list");
        }
    }
    if (rc == OC_OK) {
        const char *name = oc_json_get_str(found, "displayName");
        *ret_id = oc_strdup(oc_json_get_str(found, "nodeId"));
        *ret_name = name ? oc_strdup(name) : NULL;
    }
    return rc;
}

enum oc_code cli_device_request(struct cli_cli *cli, const char *query, char **ret_id,
        cJSON **ret_list, const cJSON **ret_doc, struct oc_error *err) {
    OC_AUTO_JSON cJSON *list = NULL;
    OC_AUTO_STRV struct oc_strv ids = { 0 };
    *ret_doc = NULL;
    if (strlen(query) >= OC_UUID_LEN) {
        *ret_id = oc_strdup(query);
        return OC_OK;
    }
    enum oc_code rc = cli_call_tree(cli, "device.pair.list", cJSON_CreateObject(), &list, err);
    if (rc != OC_OK) {
        return rc;
    }
    const cJSON *doc;
    cJSON_ArrayForEach(doc, oc_json_get(list, "pending")) {
        const char *id = oc_json_get_str(doc, "requestId");
        if (id) {
            oc_strv_add_unique(&ids, id);
        }
    }
    bool is_several;
    const char *found = cli_id_pick(&ids, query, CLI_MIN_REQUEST, &is_several);
    if (is_several) {
        OC_AUTO_FREE char *shown = oc_printable(query, strlen(query), 60);
        cli_set_fix(cli, "openclaw devices list");
        return oc_fail(err, OC_E_INVALID, "several requests begin with %s", shown);
    }
    cJSON_ArrayForEach(doc, oc_json_get(list, "pending")) {
        bool is_it = found && oc_streq(oc_json_get_str(doc, "requestId"), found);
        *ret_doc = is_it && !oc_streq(found, query) ? doc : *ret_doc;
    }
    *ret_id = oc_strdup(found ? found : query);
    *ret_list = oc_take(&list);
    return OC_OK;
}
