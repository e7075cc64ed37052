/* config.schema.lookup: one level of the schema, for clients that do not want all of it at once. */
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "lib/base/mem.h"
#include "lib/config/config_path.h"
#include "lib/config/config_schema.h"
#include "lib/protocol/errors.h"

#include <string.h>

#define MAX_PATH_BYTES 1024

static const char *reload_kind(const struct oc_config_key *k) {
    return k->flags & OC_CONFIG_RESTART ? "restart" : k->flags & OC_CONFIG_HOT ? "hot" : "none";
}

/* What is known about exactly this path; sections are not in the table. */
static void config_lookup_describe(cJSON *into, const char *path) {
    const struct oc_config_key *k = oc_config_key_find(path);
    if (!k || strcmp(k->path, path) != 0) {
        return;
    }
    oc_json_set_str(into, "reloadKind", reload_kind(k));
    cJSON *hint = cJSON_AddObjectToObject(into, "hint");
    oc_json_set_str(hint, "help", k->summary);
    if (k->flags & OC_CONFIG_SECRET) {
        oc_json_set_bool(hint, "sensitive", true);
    }
    oc_json_set_str(into, "hintPath", path);
}

static cJSON *child_of(const cJSON *schema, const char *parent) {
    cJSON *child = cJSON_CreateObject();
    OC_AUTO_FREE char *path = oc_config_path_add(parent, schema->string, 0);
    oc_json_set_str(child, "key", schema->string);
    oc_json_set_str(child, "path", path);
    oc_json_set_str(child, "type", oc_json_get_str(schema, "type"));
    oc_json_set_bool(child, "required", false);
    oc_json_set_bool(child, "hasChildren", oc_json_get(schema, "properties") != NULL);
    config_lookup_describe(child, path);
    return child;
}

void gw_method_config_schema_lookup(const struct gw_call *call) {
    struct lookup_params {
        const char *path;
    } p = { 0 };
    static const struct oc_json_field fields[] = {
        OC_STR(struct lookup_params, path, "path", OC_REQUIRED | OC_NONEMPTY),
    };
    if (!gw_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    struct oc_error err;
    enum oc_code rc = strlen(p.path) > MAX_PATH_BYTES
                              ? oc_fail(&err, OC_E_INVALID, "the path is too long")
                              : oc_config_path_parse(p.path, &parts, &err);
    if (rc != OC_OK) {
        oc_error_prefix(&err, "at /path");
        gw_call_fail_params(call, &err);
        return;
    }
    const cJSON *at = gw_config_schema_tree(&call->gw->schema);
    for (size_t i = 0; at && i < parts.count; i++) {
        at = oc_json_get(oc_json_get(at, "properties"), parts.items[i]);
    }
    if (!at) {
        gw_call_fail_with(call, OC_WIRE_INVALID, "config schema path not found", NULL, -1);
        return;
    }
    cJSON *payload = cJSON_CreateObject();
    cJSON *children = cJSON_CreateArray(), *shallow = cJSON_CreateObject();
    const cJSON *member = NULL;
    oc_json_for_each_member(member, oc_json_get(at, "properties")) {
        cJSON_AddItemToArray(children, child_of(member, p.path));
    }
    oc_json_for_each_member(member, at) {
        if (!oc_streq(member->string, "properties")) {
            oc_json_set(shallow, member->string, cJSON_Duplicate(member, true));
        }
    }
    oc_json_set_str(payload, "path", p.path);
    oc_json_set(payload, "schema", shallow);
    config_lookup_describe(payload, p.path);
    oc_json_set(payload, "children", children);
    gw_call_ok(call, payload);
}
