/* config.get, config.schema: the settings as a client may see them. Secrets are never among them,
 * nor is what a ${NAME} stands for: it comes from this machine's environment, and nobody can tell
 * by the key what it is. */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "gateway/settings/config_hash.h"
#include "lib/base/mem.h"
#include "lib/config/config_file.h"
#include "lib/config/config_redact.h"
#include "lib/config/config_schema.h"
#include "lib/protocol/scopes.h"

/* Comments may hold anything, so the text itself is for administrators. */
static void set_raw(cJSON *payload, const struct gw_call *call, struct oc_config_file *f) {
    if (oc_scope_held(&call->conn->scopes, OC_SCOPE_ADMIN) && f->parsed->child) {
        oc_config_redact_text(&f->raw);
        oc_json_set_str(payload, "raw", f->raw.failed ? NULL : f->raw.data);
    }
}

void gw_method_config_get(const struct gw_call *call) {
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    oc_config_file_read(call->gw->config_path ? call->gw->config_path : "", &f);
    char hash[GW_CONFIG_HASH_LEN + 1];
    gw_config_hash(&f.raw, hash);
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "path", f.path);
    oc_json_set_bool(payload, "exists", f.exists);
    set_raw(payload, call, &f);
    bool sees_all = oc_scope_held(&call->conn->scopes, OC_SCOPE_ADMIN);
    cJSON *const trees[] = { f.parsed, f.resolved };
    for (size_t i = 0; i < OC_COUNT(trees); i++) {
        oc_config_redact(trees[i]);
        if (!sees_all) {
            oc_config_keep_ours(trees[i]);
        }
    }
    cJSON *config = cJSON_Duplicate(f.resolved, true);
    oc_json_set(payload, "parsed", oc_take(&f.parsed));
    oc_json_set(payload, "resolved", oc_take(&f.resolved));
    oc_json_set_bool(payload, "valid", !f.issues->child);
    oc_json_set(payload, "config", config);
    oc_json_set_str(payload, "hash", hash);
    oc_json_set(payload, "issues", oc_take(&f.issues));
    oc_json_set(payload, "warnings", oc_take(&f.warnings));
    cJSON_AddArrayToObject(payload, "legacyIssues");
    gw_call_ok(call, payload);
}

void gw_method_config_schema(const struct gw_call *call) {
    struct oc_blob *text = gw_config_schema_text(&call->gw->schema, call->gw->clock);
    gw_conn_answer_blob(call->conn, call->id, text);
}
