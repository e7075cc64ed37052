#include "lib/config/config_patch.h"

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/config/config_path.h"
#include "lib/json/json_index.h"

#include <string.h>

/* Beyond it two lists count as the same only when they are equal: comparing each with each takes
 * too long. */
#define MAX_COMPARED_ITEMS 256
#define MAX_NAMED_LISTS 16

struct merge {
    struct oc_strv replace; /* normalized */
    struct oc_strv lost;    /* lists that would lose items */
    struct oc_error *err;
    enum oc_code rc;
};

/* "list[3].x" means the same as "list[].x", and "list[]" as "list". */
static void add_normalized(struct oc_strv *into, const char *path) {
    OC_AUTO_FREE char *copy = oc_strdup(path);
    char *in = oc_trim(copy), *out = in;
    const char *start = in;
    if (oc_ends_with(in, "[]")) {
        in[strlen(in) - 2] = '\0';
    }
    while (*in) {
        size_t digits = *in == '[' ? strspn(in + 1, "0123456789") : 0;
        *out++ = *in++;
        if (digits > 0 && in[digits] == ']' && in[digits + 1] == '.') {
            in += digits;
        }
    }
    *out = '\0';
    if (*start) {
        oc_strv_add_unique(into, start);
    }
}

static char *child_path(const char *parent, const char *key) {
    return *parent ? oc_strfmt("%s.%s", parent, key) : oc_strdup(key);
}

static const char *id_of(const cJSON *item) {
    const char *id = cJSON_IsObject(item) ? oc_json_get_str(item, "id") : NULL;
    return id && *id ? id : NULL;
}

static bool is_keyed(const cJSON *list) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list) {
        if (!id_of(item)) {
            return false;
        }
    }
    return true;
}

static void fail_twice(struct merge *m, const char *path, const char *id, const char *where) {
    OC_AUTO_FREE char *shown = oc_printable(id, strlen(id), 60);
    if (m->rc == OC_OK) {
        m->rc = oc_fail(m->err, OC_E_INVALID, "%s has the id '%s' twice in %s", path, shown, where);
    }
}

static cJSON *merge_value(struct merge *m, const cJSON *base, const cJSON *patch, const char *path);

/* Items with a known id are merged, others appended. */
static cJSON *merge_list(struct merge *m, const cJSON *base, const cJSON *patch, const char *path) {
    OC_AUTO_FREE char *inside = oc_strfmt("%s[]", path);
    cJSON *merged = cJSON_Duplicate(base, true), *item = NULL;
    struct oc_map *by_id = oc_map_create(), *patched = oc_map_create();
    cJSON_ArrayForEach(item, merged) {
        if (oc_map_put(by_id, id_of(item), item)) {
            fail_twice(m, path, id_of(item), "the config; name the list in replacePaths");
        }
    }
    const cJSON *change = NULL;
    cJSON_ArrayForEach(change, patch) {
        const char *id = id_of(change);
        cJSON *old = id ? oc_map_get(by_id, id) : NULL;
        if (id && oc_map_put(patched, id, m)) {
            fail_twice(m, path, id, "the patch");
        } else if (old) {
            cJSON *fresh = merge_value(m, old, change, inside);
            cJSON_ReplaceItemViaPointer(merged, old, fresh);
            oc_map_put(by_id, id, fresh);
        } else {
            cJSON_AddItemToArray(merged, cJSON_Duplicate(change, true));
        }
    }
    oc_map_destroy(by_id);
    oc_map_destroy(patched);
    return merged;
}

/* old may be NULL. NULL: it is not there any more. */
static cJSON *merge_member(
        struct merge *m, const cJSON *old, const cJSON *change, const char *path) {
    if (!oc_config_key_is_safe(change->string)) {
        if (m->rc == OC_OK) {
            m->rc = oc_fail(m->err, OC_E_INVALID, "'%s' cannot be patched", change->string);
        }
        return NULL;
    }
    if (cJSON_IsNull(change)) {
        return NULL;
    }
    OC_AUTO_FREE char *here = child_path(path, change->string);
    bool by_id = cJSON_IsArray(change) && cJSON_IsArray(old) && is_keyed(old) &&
                 !oc_strv_has(&m->replace, here);
    return by_id ? merge_list(m, old, change, here) : merge_value(m, old, change, here);
}

static void add_member(cJSON *object, const char *name, cJSON *take_value) {
    if (take_value) {
        cJSON_AddItemToObject(object, name, take_value);
    }
}

static cJSON *merge_value(
        struct merge *m, const cJSON *base, const cJSON *patch, const char *path) {
    if (!cJSON_IsObject(patch)) {
        return cJSON_Duplicate(patch, true);
    }
    cJSON *merged = cJSON_CreateObject();
    OC_AUTO_INDEX struct oc_json_index in_base = oc_json_index_of(base),
                                       in_patch = oc_json_index_of(patch);
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, in_base.object) {
        const cJSON *change = oc_json_index_get(&in_patch, member->string);
        add_member(merged, member->string,
                change ? merge_member(m, member, change, path) : cJSON_Duplicate(member, true));
    }
    cJSON_ArrayForEach(member, patch) {
        if (!oc_json_index_get(&in_base, member->string)) {
            add_member(merged, member->string, merge_member(m, NULL, member, path));
        }
    }
    return merged;
}

static void config_patch_lose(struct merge *m, const char *path) {
    if (!oc_strv_has(&m->replace, path) && m->lost.count < MAX_NAMED_LISTS) {
        oc_strv_add_unique(&m->lost, path);
    }
}

static void lose_all(struct merge *m, const cJSON *base, const char *path) {
    if (cJSON_IsArray(base)) {
        config_patch_lose(m, path);
        return;
    }
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, base) {
        OC_AUTO_FREE char *here = child_path(path, member->string);
        lose_all(m, member, here);
    }
}

/* Whether every item of a list is still there, in any order. */
static bool keeps_items(const cJSON *base, const cJSON *merged) {
    if (oc_json_same(base, merged)) {
        return true;
    }
    int n = cJSON_GetArraySize(merged);
    if (n > MAX_COMPARED_ITEMS || cJSON_GetArraySize(base) > n) {
        return false;
    }
    OC_AUTO_FREE bool *is_used = oc_new_array(bool, (size_t)n);
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, base) {
        const cJSON *other = merged->child;
        int i = 0;
        while (other && (is_used[i] || !oc_json_same(item, other))) {
            other = other->next;
            i++;
        }
        if (!other) {
            return false;
        }
        is_used[i] = true;
    }
    return true;
}

static struct oc_map *map_ids(const cJSON *list) {
    struct oc_map *by_id = oc_map_create();
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list) {
        if (id_of(item)) {
            oc_map_put(by_id, id_of(item), (void *)(uintptr_t)item);
        }
    }
    return by_id;
}

static void find_lost(struct merge *m, const cJSON *base, const cJSON *patch, const cJSON *merged,
        const char *path);

static void find_lost_in_list(struct merge *m, const cJSON *base, const cJSON *patch,
        const cJSON *merged, const char *path) {
    if (!is_keyed(base) || oc_strv_has(&m->replace, path)) {
        if (!keeps_items(base, merged)) {
            config_patch_lose(m, path);
        }
        return;
    }
    OC_AUTO_FREE char *inside = oc_strfmt("%s[]", path);
    struct oc_map *before = map_ids(base), *after = map_ids(merged);
    const cJSON *change = NULL;
    cJSON_ArrayForEach(change, patch) { /* merged by id: only the items themselves can lose */
        const char *id = id_of(change);
        const cJSON *old = id ? oc_map_get(before, id) : NULL;
        if (old) {
            find_lost(m, old, change, oc_map_get(after, id), inside);
        }
    }
    oc_map_destroy(before);
    oc_map_destroy(after);
}

static void find_lost(struct merge *m, const cJSON *base, const cJSON *patch, const cJSON *merged,
        const char *path) {
    OC_AUTO_INDEX struct oc_json_index in_base = oc_json_index_of(base),
                                       in_merged = oc_json_index_of(merged);
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, patch) {
        OC_AUTO_FREE char *here = child_path(path, member->string);
        const cJSON *old = oc_json_index_get(&in_base, member->string);
        const cJSON *now = oc_json_index_get(&in_merged, member->string);
        if (cJSON_IsArray(old) && cJSON_IsArray(member)) {
            find_lost_in_list(m, old, member, now, here);
        } else if (cJSON_IsObject(old) && cJSON_IsObject(member)) {
            find_lost(m, old, member, now, here);
        } else {
            lose_all(m, old, here);
        }
    }
}

static enum oc_code config_patch_verdict(struct merge *m, bool may_lose_items) {
    if (m->rc == OC_OK && m->lost.count > 0 && !may_lose_items) {
        OC_AUTO_FREE char *lists = oc_strv_join(&m->lost, ", ");
        m->rc = oc_fail(m->err, OC_E_INVALID,
                "config.patch would remove entries from array path(s): %s. Pass replacePaths with "
                "the exact path(s) when this is intentional, or use config.apply for full-config "
                "replacement.",
                lists);
    }
    return m->rc;
}

enum oc_code oc_config_patch_apply(
        const struct oc_config_patch *p, const cJSON *config, cJSON **ret, struct oc_error *err) {
    struct merge m = { .err = err, .rc = OC_OK };
    for (size_t i = 0; i < p->replace_paths.count; i++) {
        add_normalized(&m.replace, p->replace_paths.items[i]);
    }
    OC_AUTO_JSON cJSON *merged = merge_value(&m, config, p->patch, "");
    if (m.rc == OC_OK) {
        find_lost(&m, config, p->patch, merged, "");
    }
    enum oc_code rc = config_patch_verdict(&m, p->may_lose_items);
    if (rc == OC_OK) {
        *ret = oc_take(&merged);
    }
    oc_strv_finish(&m.replace);
    oc_strv_finish(&m.lost);
    return rc;
}

static void config_patch_diff(const cJSON *before, const cJSON *after, const char *path, size_t max,
        struct oc_strv *ret) {
    OC_AUTO_INDEX struct oc_json_index in_before = oc_json_index_of(before),
                                       in_after = oc_json_index_of(after);
    const cJSON *const sides[] = { in_before.object, in_after.object };
    const cJSON *member = NULL;
    for (size_t side = 0; side < OC_COUNT(sides); side++) {
        cJSON_ArrayForEach(member, sides[side]) {
            const cJSON *old = oc_json_index_get(&in_before, member->string);
            const cJSON *new = oc_json_index_get(&in_after, member->string);
            bool was_seen = side == 1 && old;
            if (was_seen || ret->count >= max || oc_json_same(old, new)) {
                continue;
            }
            OC_AUTO_FREE char *here = child_path(path, member->string);
            if (cJSON_IsObject(old) && cJSON_IsObject(new)) {
                config_patch_diff(old, new, here, max, ret);
            } else {
                oc_strv_add(ret, here);
            }
        }
    }
}

void oc_config_diff(const cJSON *before, const cJSON *after, size_t max, struct oc_strv *ret) {
    config_patch_diff(before, after, "", max, ret);
}

cJSON *oc_config_diff_patch(const cJSON *before, const cJSON *after) {
    cJSON *patch = cJSON_CreateObject();
    OC_AUTO_INDEX struct oc_json_index in_before = oc_json_index_of(before),
                                       in_after = oc_json_index_of(after);
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, before) {
        if (!oc_json_index_get(&in_after, member->string)) {
            cJSON_AddItemToObject(patch, member->string, cJSON_CreateNull());
        }
    }
    cJSON_ArrayForEach(member, after) {
        const cJSON *old = oc_json_index_get(&in_before, member->string);
        if (cJSON_IsObject(old) && cJSON_IsObject(member)) {
            cJSON *deeper = oc_config_diff_patch(old, member);
            if (deeper->child) {
                cJSON_AddItemToObject(patch, member->string, deeper);
            } else {
                cJSON_Delete(deeper);
            }
        } else if (!oc_json_same(old, member)) {
            cJSON_AddItemToObject(patch, member->string, cJSON_Duplicate(member, true));
        }
    }
    return patch;
}
