#include "gateway/exec/run_binding.h"

#include "lib/base/mem.h"
#include "lib/identity/identity.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_portable_name(const char *name) {
    if (!isalpha((unsigned char)name[0]) && name[0] != '_') {
        return false;
    }
    for (const char *p = name; *p; p++) {
        if (!isalnum((unsigned char)*p) && *p != '_') {
            return false;
        }
    }
    return true;
}

bool gw_run_env_hash(const cJSON *env, char ret_hash[65], struct oc_strv *ret_keys) {
    const cJSON *v;
    oc_json_for_each_member(v, env) {
        if (cJSON_IsString(v) && is_portable_name(v->string)) {
            oc_strv_add(ret_keys, v->string);
        }
    }
    if (ret_keys->count == 0) {
        return false;
    }
    oc_strv_sort_unique(ret_keys);
    OC_AUTO_JSON cJSON *pairs = cJSON_CreateArray();
    for (size_t i = 0; i < ret_keys->count; i++) {
        const char *const pair[] = { ret_keys->items[i], oc_json_get_str(env, ret_keys->items[i]) };
        cJSON_AddItemToArray(pairs, cJSON_CreateStringArray(pair, 2));
    }
    OC_AUTO_FREE char *text = oc_json_print(pairs, false);
    oc_sha256_hex(text, strlen(text), ret_hash);
    return true;
}

cJSON *gw_run_env_bound(const cJSON *env) {
    char hash[65];
    OC_AUTO_STRV struct oc_strv keys = { 0 };
    if (!gw_run_env_hash(env, hash, &keys)) {
        return NULL;
    }
    cJSON *bound = cJSON_CreateObject();
    for (size_t i = 0; i < keys.count; i++) {
        oc_json_set_str(bound, keys.items[i], oc_json_get_str(env, keys.items[i]));
    }
    return bound;
}

cJSON *gw_run_binding_build(const struct gw_run_facts *facts) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "version", 1);
    oc_json_set_strv(o, "argv", &facts->argv);
    oc_json_set_str_or_null(o, "cwd", oc_str_or_null(facts->cwd));
    oc_json_set_str_or_null(o, "agentId", oc_str_or_null(facts->agent_id));
    oc_json_set_str_or_null(o, "sessionKey", oc_str_or_null(facts->session_key));
    char hash[65];
    OC_AUTO_STRV struct oc_strv keys = { 0 };
    bool has_env = gw_run_env_hash(facts->env, hash, &keys);
    oc_json_set_str_or_null(o, "envHash", has_env ? hash : NULL);
    return o;
}

static bool same_argv(const cJSON *list, const struct oc_strv *argv) {
    OC_AUTO_STRV struct oc_strv approved = { 0 };
    oc_json_get_strv(list, "argv", &approved);
    bool is_same = approved.count == argv->count && argv->count > 0;
    for (size_t i = 0; is_same && i < argv->count; i++) {
        is_same = strcmp(approved.items[i], argv->items[i]) == 0;
    }
    return is_same;
}

bool gw_run_binding_matches(const cJSON *binding, const struct gw_run_facts *facts,
        const char **ret_code, const char **ret_message) {
    if (!binding || !same_argv(binding, &facts->argv) ||
            !oc_streq(oc_json_get_str(binding, "cwd"), oc_str_or_null(facts->cwd)) ||
            !oc_streq(oc_json_get_str(binding, "agentId"), oc_str_or_null(facts->agent_id)) ||
            !oc_streq(oc_json_get_str(binding, "sessionKey"), oc_str_or_null(facts->session_key))) {
        *ret_code = "APPROVAL_REQUEST_MISMATCH";
        *ret_message = "approval id does not match request";
        return false;
    }
    const char *approved = oc_json_get_str(binding, "envHash");
    char hash[65];
    OC_AUTO_STRV struct oc_strv keys = { 0 };
    bool has_env = gw_run_env_hash(facts->env, hash, &keys);
    if (!approved && has_env) {
        *ret_code = "APPROVAL_ENV_BINDING_MISSING";
        *ret_message = "approval id missing env binding for requested env overrides";
        return false;
    }
    if (!oc_streq(approved, has_env ? hash : NULL)) {
        *ret_code = "APPROVAL_ENV_MISMATCH";
        *ret_message = "approval id env binding mismatch";
        return false;
    }
    return true;
}
