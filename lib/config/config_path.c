#include "lib/config/config_path.h"

#include <string.h>

#define MAX_PARTS OC_JSON_MAX_DEPTH

bool oc_config_key_is_safe(const char *key) {
    static const char *const harmful[] = { "__proto__", "prototype", "constructor", "$include" };
    for (size_t i = 0; i < OC_COUNT(harmful); i++) {
        if (strcmp(key, harmful[i]) == 0) {
            return false;
        }
    }
    return true;
}

static enum oc_code add_part(
        struct oc_strv *v, const char *from, size_t len, struct oc_error *err) {
    OC_AUTO_FREE char *part = oc_strndup(from, len);
    if (oc_str_blank(part)) {
        return oc_fail(err, OC_E_INVALID, "the path has an empty part");
    }
    if (!oc_config_key_is_safe(part)) {
        return oc_fail(err, OC_E_INVALID, "'%s' cannot be part of a path", part);
    }
    if (v->count == MAX_PARTS) {
        return oc_fail(err, OC_E_INVALID, "the path has more than %d parts", MAX_PARTS);
    }
    oc_strv_add(v, part);
    return OC_OK;
}

/* At '[': a number, or a key in quotes. Moves *p behind the bracket. */
static enum oc_code add_bracket(const char **p, struct oc_strv *v, struct oc_error *err) {
    const char *from = *p + 1, *end;
    char quote = '\0';
    if (*from == '"' || *from == '\'') {
        quote = *from++;
    }
    end = quote ? strchr(from, quote) : strchr(from, ']');
    if (!end || (quote && end[1] != ']')) {
        return oc_fail(err, OC_E_INVALID, "the path has a '[' that is not closed");
    }
    *p = end + (quote ? 2 : 1);
    return add_part(v, from, (size_t)(end - from), err);
}

enum oc_code oc_config_path_parse(const char *text, struct oc_strv *ret, struct oc_error *err) {
    enum oc_code rc = OC_OK;
    const char *p = text;
    if (oc_str_blank(text)) {
        return oc_fail(err, OC_E_INVALID, "the path is empty");
    }
    while (rc == OC_OK && *p) {
        if (*p == '[') {
            rc = add_bracket(&p, ret, err);
        } else {
            size_t n = strcspn(p, ".[");
            rc = add_part(ret, p, n, err);
            p += n;
        }
        if (rc == OC_OK && *p == '.') {
            p++;
            if (!*p) {
                rc = oc_fail(err, OC_E_INVALID, "the path ends with a dot");
            }
        }
    }
    return rc;
}

/* The parts that are item numbers: [0], but neither .0 nor ["0"]. */
static uint64_t find_numbers(const char *text) {
    uint64_t numbers = 0;
    size_t part = 0;
    for (const char *p = text; *p; part++) {
        if (*p == '[') {
            bool is_number = p[1] >= '0' && p[1] <= '9';
            numbers |= is_number && part < 64 ? UINT64_C(1) << part : 0;
            int end = p[1] == '"' || p[1] == '\'' ? p[1] : ']';
            const char *close = p[1] ? strchr(p + 2, end) : NULL;
            p = close ? close + (end == ']' ? 1 : 2) : p + strlen(p);
        } else {
            p += strcspn(p, ".[");
        }
        p += *p == '.';
    }
    return numbers;
}

enum oc_code oc_config_path_wrap(
        const char *text, size_t from, const cJSON *value, cJSON **ret, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    enum oc_code rc = oc_config_path_parse(text, &parts, err);
    if (rc != OC_OK) {
        return rc;
    }
    uint64_t numbers = find_numbers(text);
    OC_AUTO_JSON cJSON *v = cJSON_Duplicate(value, true);
    for (size_t i = parts.count; i-- > from;) {
        bool is_item = i < 64 && (numbers >> i & 1) != 0;
        if (is_item && strcmp(parts.items[i], "0") != 0) {
            return oc_fail(
                    err, OC_E_INVALID, "a new list begins with [0], not [%s]", parts.items[i]);
        }
        cJSON *box = is_item ? cJSON_CreateArray() : cJSON_CreateObject();
        if (is_item) {
            cJSON_AddItemToArray(box, oc_take(&v));
        } else {
            cJSON_AddItemToObject(box, parts.items[i], oc_take(&v));
        }
        v = box;
    }
    *ret = oc_take(&v);
    return OC_OK;
}

const cJSON *oc_config_path_get(const cJSON *config, const struct oc_strv *path, size_t count) {
    const cJSON *v = config;
    for (size_t i = 0; v && i < count; i++) {
        int64_t index;
        if (cJSON_IsArray(v)) {
            v = oc_parse_int(path->items[i], 0, INT32_MAX, &index)
                        ? cJSON_GetArrayItem(v, (int)index)
                        : NULL;
        } else {
            v = cJSON_IsObject(v) ? cJSON_GetObjectItemCaseSensitive(v, path->items[i]) : NULL;
        }
    }
    return v;
}

char *oc_config_path_add(const char *parent, const char *key, size_t index) {
    if (!key) {
        return oc_strfmt("%s[%zu]", parent, index);
    }
    if (key[strcspn(key, ".[]\"")]) {
        return oc_strfmt("%s[\"%s\"]", parent, key);
    }
    return oc_strfmt("%s%s%s", parent, *parent ? "." : "", key);
}
