#include "lib/config/config_place.h"

#include "lib/base/mem.h"
#include "lib/config/config_edit.h"
#include "lib/config/config_parts.h"
#include "lib/files/file.h"
#include "lib/json/json.h"
#include "lib/json/json5_scan.h"

#define MAX_LEVELS 10

/* One file on the way, and how much of the path is behind us. */
struct place_search {
    const char *file;
    struct oc_slice text;
    const struct oc_strv *path;
    unsigned level;
};

static bool find_in(const struct place_search *s, struct oc_slice box, size_t depth,
        const char *found, struct oc_config_place *ret);

static bool find_in_file(const struct place_search *from, const char *name, size_t depth,
        struct oc_config_place *ret) {
    OC_AUTO_FREE char *file = oc_config_include_path(from->file, name);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    if (from->level == MAX_LEVELS ||
            oc_file_read(file, OC_CONFIG_MAX_BYTES, &text, NULL) != OC_OK || text.len == 0) {
        return false;
    }
    struct place_search s = { file, { text.data, text.len }, from->path, from->level + 1 };
    return find_in(&s, oc_json5_root(s.text), depth, NULL, ret);
}

/* The last file wins where they say different things, so it is asked first. */
static bool find_included(const struct place_search *s, struct oc_slice box, size_t depth,
        struct oc_config_place *ret) {
    struct oc_json5_item include = { 0 };
    OC_AUTO_JSON cJSON *names = NULL;
    struct oc_error ignored;
    bool is_found = false;
    if (box.ptr[0] == '{' && oc_json5_find(box, "$include", &include) &&
            oc_json5_parse(include.value.ptr, include.value.len, &names, &ignored) == OC_OK) {
        if (cJSON_IsString(names)) {
            is_found = find_in_file(s, names->valuestring, depth, ret);
        }
        for (int i = cJSON_GetArraySize(names); !is_found && i-- > 0;) {
            const cJSON *name = cJSON_GetArrayItem(names, i);
            is_found = cJSON_IsString(name) && find_in_file(s, name->valuestring, depth, ret);
        }
    }
    oc_json5_item_finish(&include);
    return is_found;
}

/* box is the value that the first depth parts of the path lead to; found is where its name
 * stands. */
static bool find_in(const struct place_search *s, struct oc_slice box, size_t depth,
        const char *found, struct oc_config_place *ret) {
    if (depth == s->path->count) {
        if (!found) {
            return false;
        }
        ret->file = oc_strdup(s->file);
        oc_json5_position(s->text, found, &ret->line, &ret->column);
        return true;
    }
    struct oc_json5_item item;
    bool is_found = false;
    if (box.len > 0 && oc_json5_find(box, s->path->items[depth], &item)) {
        is_found = find_in(
                s, item.value, depth + 1, item.name.ptr ? item.name.ptr : item.value.ptr, ret);
        oc_json5_item_finish(&item);
    }
    return is_found || (box.len > 0 && find_included(s, box, depth, ret));
}

bool oc_config_place_find(const char *file, struct oc_slice text, const struct oc_strv *path,
        struct oc_config_place *ret) {
    struct place_search s = { file, text, path, 0 };
    return find_in(&s, oc_json5_root(text), 0, NULL, ret);
}
