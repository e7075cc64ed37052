/* The name of one setting: "gateway.auth.token", "agents.list[0].id", "a[\"dotted.key\"]". */
#ifndef LIB_CONFIG_CONFIG_PATH_H
#define LIB_CONFIG_CONFIG_PATH_H

#include "lib/base/error.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

/* Not __proto__ and its like, which would do harm in the programs that share the file, and not
 * $include, which is no setting. */
bool oc_config_key_is_safe(const char *key);
/* Splits into keys and item numbers. Refuses empty parts and keys that are not safe. ret must be
 * empty and needs oc_strv_finish. */
enum oc_code oc_config_path_parse(
        const char *text, struct oc_strv *ret, struct oc_error *err) OC_MUST_USE;
/* The value there, null included; NULL when there is none. parts beyond count are not looked at. */
const cJSON *oc_config_path_get(const cJSON *config, const struct oc_strv *path, size_t count);
/* A copy of value inside of what the parts from this one on stand for: objects, and lists for [0].
 * OC_E_INVALID for another number, which a new list does not have. The path must be one that
 * oc_config_path_parse takes. */
enum oc_code oc_config_path_wrap(const char *text, size_t from, const cJSON *value, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;
/* Puts one more part behind a path: "a" + "b" is "a.b", an item number is "a[0]". Caller frees. */
char *oc_config_path_add(const char *parent, const char *key, size_t index);

#endif
