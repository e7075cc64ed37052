#include "lib/json/json.h"

#include "lib/base/utf8.h"
#include "lib/json/json_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* cJSON gives NULL where we abort, and a tree with holes in it would be worse than no process. */
static void *alloc_or_abort(size_t size) {
    return oc_realloc(NULL, size);
}

__attribute__((constructor)) static void set_allocator(void) {
    cJSON_Hooks hooks = { .malloc_fn = alloc_or_abort, .free_fn = oc_free };
    cJSON_InitHooks(&hooks);
}

/* cJSON stops a string at \u0000 and refuses lone surrogates. The first we refuse; the second
 * become \ufffd, which has the same length, in a copy. */
static enum oc_code mend_escapes(
        const char *text, size_t len, char **ret_copy, struct oc_error *err) {
    static const char mark[] = { '\\', 'u', 'f', 'f', 'f', 'd' };
    const char *end = text + len, *p = text;
    while ((p = memchr(p, '\\', (size_t)(end - p)))) {
        size_t used;
        unsigned c = oc_json_escape_at(p, (size_t)(end - p), &used);
        if (c == 0) {
            return oc_fail(err, OC_E_INVALID, "\\u0000 in a string at byte %zu is not allowed",
                    (size_t)(p - text));
        }
        if (c == OC_JSON_LONE_SURROGATE) {
            if (!*ret_copy) {
                *ret_copy = oc_realloc(NULL, len + 1);
                memcpy(*ret_copy, text, len);
                (*ret_copy)[len] = '\0';
            }
            memcpy(*ret_copy + (p - text), mark, sizeof(mark));
        }
        p += used;
    }
    return OC_OK;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *duplicate_key(const cJSON *object) {
    size_t n = 0, i = 0;
    const cJSON *child;
    cJSON_ArrayForEach(child, object) {
        n++;
    }
    if (n < 2) {
        return NULL;
    }
    OC_AUTO_FREE const char **keys = oc_new_array(const char *, n);
    cJSON_ArrayForEach(child, object) {
        keys[i++] = child->string;
    }
    qsort(keys, n, sizeof(*keys), by_text);
    for (i = 1; i < n; i++) {
        if (strcmp(keys[i - 1], keys[i]) == 0) {
            return keys[i];
        }
    }
    return NULL;
}

/* Recursion is bounded by OC_JSON_MAX_DEPTH. */
static enum oc_code refuse_duplicates(const cJSON *v, struct oc_error *err) {
    const char *key = cJSON_IsObject(v) ? duplicate_key(v) : NULL;
    if (key) {
        OC_AUTO_FREE char *shown = oc_printable(key, strlen(key), 60);
        return oc_fail(err, OC_E_INVALID, "duplicate key '%s'", shown);
    }
    const cJSON *child;
    cJSON_ArrayForEach(child, v) {
        enum oc_code rc = child->child ? refuse_duplicates(child, err) : OC_OK;
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

enum oc_code oc_json_parse(const char *text, size_t len, cJSON **ret, struct oc_error *err) {
    return oc_json_parse_within(text, len, OC_JSON_MAX_VALUES, ret, err);
}

enum oc_code oc_json_parse_within(
        const char *text, size_t len, size_t max_values, cJSON **ret, struct oc_error *err) {
    if (!oc_json_valid(text, len, OC_JSON_MAX_DEPTH)) {
        if (oc_json_valid(text, len, 4 * OC_JSON_MAX_DEPTH)) {
            return oc_fail(err, OC_E_INVALID, "nested deeper than %d levels", OC_JSON_MAX_DEPTH);
        }
        return oc_fail(err, OC_E_INVALID, "not valid JSON");
    }
    if (oc_json_count_values(text, len) > max_values) {
        return oc_fail(err, OC_E_TOO_LARGE, "more than %zu values", max_values);
    }
    OC_AUTO_FREE char *mended = NULL;
    enum oc_code rc = mend_escapes(text, len, &mended, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_JSON cJSON *v = cJSON_ParseWithLengthOpts(mended ? mended : text, len, NULL, false);
    if (!v) {
        return oc_fail(err, OC_E_INVALID, "not valid JSON (a number has too many digits)");
    }
    rc = refuse_duplicates(v, err);
    if (rc != OC_OK) {
        return rc;
    }
    *ret = oc_take(&v);
    return OC_OK;
}

const cJSON *oc_json_get(const cJSON *o, const char *key) {
    const cJSON *child;
    if (!cJSON_IsObject(o)) {
        return NULL;
    }
    cJSON_ArrayForEach(child, o) {
        if (child->string && strcmp(child->string, key) == 0) {
            return cJSON_IsNull(child) ? NULL : child;
        }
    }
    return NULL;
}

const char *oc_json_get_str(const cJSON *o, const char *key) {
    const cJSON *v = oc_json_get(o, key);
    return cJSON_IsString(v) ? v->valuestring : NULL;
}

bool oc_json_get_bool(const cJSON *o, const char *key, bool def) {
    const cJSON *v = oc_json_get(o, key);
    return cJSON_IsBool(v) ? cJSON_IsTrue(v) : def;
}

bool oc_json_as_int(const cJSON *v, int64_t min, int64_t max, int64_t *ret) {
    if (cJSON_IsRaw(v)) {
        return oc_parse_int(v->valuestring, min, max, ret); /* one of oc_json_set_int */
    }
    if (!cJSON_IsNumber(v) || !(fabs(v->valuedouble) <= OC_JSON_MAX_EXACT) ||
            v->valuedouble != floor(v->valuedouble)) {
        return false;
    }
    int64_t i = (int64_t)v->valuedouble;
    if (i < min || i > max) {
        return false;
    }
    *ret = i;
    return true;
}

bool oc_json_as_num(const cJSON *v, double min, double max, double *ret) {
    if (!cJSON_IsNumber(v) || !(v->valuedouble >= min && v->valuedouble <= max)) {
        return false;
    }
    *ret = v->valuedouble;
    return true;
}

int64_t oc_json_get_int(const cJSON *o, const char *key, int64_t min, int64_t max, int64_t def) {
    int64_t v;
    return oc_json_as_int(oc_json_get(o, key), min, max, &v) ? v : def;
}

int64_t oc_json_clamp_int(const cJSON *o, const char *key, int64_t min, int64_t max, int64_t def) {
    const cJSON *v = oc_json_get(o, key);
    int64_t i;
    if (cJSON_IsRaw(v)) {
        if (!oc_json_as_int(v, INT64_MIN, INT64_MAX, &i)) {
            return def;
        }
        return i < min ? min : i > max ? max : i;
    }
    if (!cJSON_IsNumber(v) || isnan(v->valuedouble)) {
        return def;
    }
    /* Compared as doubles, before anything is cast. */
    return v->valuedouble <= (double)min   ? min
           : v->valuedouble >= (double)max ? max
                                           : (int64_t)v->valuedouble;
}

int64_t oc_json_get_ms(const cJSON *o, const char *key, int64_t def) {
    return oc_json_get_int(o, key, 0, OC_JSON_MAX_MS, def);
}

double oc_json_get_num(const cJSON *o, const char *key, double min, double max, double def) {
    double v;
    return oc_json_as_num(oc_json_get(o, key), min, max, &v) ? v : def;
}

double oc_json_clamp_num(const cJSON *o, const char *key, double min, double max, double def) {
    double v;
    if (!oc_json_as_num(oc_json_get(o, key), -INFINITY, INFINITY, &v)) {
        return def;
    }
    return v < min ? min : v > max ? max : v;
}

const cJSON *oc_json_path(const cJSON *o, const char *path) {
    while (o) {
        size_t n = strcspn(path, ".");
        OC_AUTO_FREE char *key = oc_strndup(path, n);
        o = oc_json_get(o, key);
        if (!path[n]) {
            return o;
        }
        path += n + 1;
    }
    return NULL;
}

void oc_json_get_strv(const cJSON *o, const char *key, struct oc_strv *ret) {
    const cJSON *array = oc_json_get(o, key), *item;
    if (!cJSON_IsArray(array)) {
        return;
    }
    cJSON_ArrayForEach(item, array) {
        if (cJSON_IsString(item)) {
            oc_strv_add(ret, item->valuestring);
        }
    }
}

bool oc_json_strv_covers(const cJSON *a, const cJSON *b, const char *key) {
    OC_AUTO_STRV struct oc_strv has = { 0 }, wanted = { 0 };
    oc_json_get_strv(a, key, &has);
    oc_json_get_strv(b, key, &wanted);
    return oc_strv_covers(&has, &wanted);
}

/* A key that is there already is replaced: an object never gets the same key twice. */
void oc_json_set(cJSON *o, const char *key, cJSON *take_value) {
    if (!take_value) {
        return;
    }
    cJSON *child;
    cJSON_ArrayForEach(child, o) {
        if (child->string && strcmp(child->string, key) == 0) {
            /* The replacement must bring its key along; _ViaPointer does not set it. */
            cJSON holder = { .type = cJSON_Object };
            cJSON_AddItemToObject(&holder, key, take_value);
            take_value = cJSON_DetachItemViaPointer(&holder, holder.child);
            cJSON_ReplaceItemViaPointer(o, child, take_value);
            return;
        }
    }
    cJSON_AddItemToObject(o, key, take_value);
}

void oc_json_set_str(cJSON *o, const char *key, const char *value) {
    oc_json_set(o, key, value ? cJSON_CreateString(value) : NULL);
}

void oc_json_set_str_or_null(cJSON *o, const char *key, const char *value) {
    oc_json_set(o, key, value ? cJSON_CreateString(value) : cJSON_CreateNull());
}

void oc_json_set_int(cJSON *o, const char *key, int64_t value) {
    if (value >= -OC_JSON_MAX_EXACT && value <= OC_JSON_MAX_EXACT) {
        oc_json_set(o, key, cJSON_CreateNumber((double)value));
        return;
    }
    OC_AUTO_FREE char *digits = oc_strfmt("%lld", (long long)value);
    oc_json_set(o, key, cJSON_CreateRaw(digits));
}

void oc_json_set_bool(cJSON *o, const char *key, bool value) {
    oc_json_set(o, key, cJSON_CreateBool(value));
}

void oc_json_set_strv(cJSON *o, const char *key, const struct oc_strv *v) {
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < v->count; i++) {
        cJSON_AddItemToArray(array, cJSON_CreateString(v->items[i]));
    }
    oc_json_set(o, key, array);
}
