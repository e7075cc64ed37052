/* A change to openclaw.json as clients send it: a merge patch (RFC 7396) that knows lists.
 *
 * A list whose items all have an "id" is merged item by item; any other list is replaced. Losing
 * items of a list is easily done by mistake (a client that knows an older schema, or only one
 * item), so it has to be asked for: the path of the list must be among replace_paths, which also
 * turns merging by id off for it. Paths are "agents.list", and "agents.list[].tools" inside of
 * items. */
#ifndef LIB_CONFIG_CONFIG_PATCH_H
#define LIB_CONFIG_CONFIG_PATCH_H

#include "lib/base/error.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

struct oc_config_patch {
    const cJSON *patch;
    struct oc_strv replace_paths; /* as clients write them: "a.b", "a.b[]", "list[0].x" */
    bool may_lose_items;          /* older clients do not know replace_paths */
};

/* ret: what the config would be. OC_E_INVALID names the lists that would lose items, or the id that
 * is there twice. */
enum oc_code oc_config_patch_apply(const struct oc_config_patch *p, const cJSON *config,
        cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The settings that differ, as "gateway.port"; lists count as one. At most max. */
void oc_config_diff(const cJSON *before, const cJSON *after, size_t max, struct oc_strv *ret);
/* The plain merge patch that makes one config of the other: what differs, with null for what is
 * gone. */
cJSON *oc_config_diff_patch(const cJSON *before, const cJSON *after);

#endif
