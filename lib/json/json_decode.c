/* Field tables: one loop that fills a struct from an object and words its complaints like the
 * reference. */
#include "lib/json/json.h"

#include <math.h>
#include <string.h>

struct decode_place {
    const char *where, *key;
    struct oc_error *err;
};

static enum oc_code json_decode_wrong(const struct decode_place *p, const char *what) {
    return oc_fail(p->err, OC_E_INVALID, "at %s/%s: %s", p->where, p->key, what);
}

static enum oc_code json_decode_missing(const struct decode_place *p) {
    if (!*p->where) {
        return oc_fail(p->err, OC_E_INVALID, "must have required property '%s'", p->key);
    }
    return oc_fail(
            p->err, OC_E_INVALID, "at %s: must have required property '%s'", p->where, p->key);
}

static enum oc_code read_string(
        const struct decode_place *p, const struct oc_json_field *f, const cJSON *v, void *to) {
    if (!cJSON_IsString(v)) {
        return json_decode_wrong(p, "must be string");
    }
    if ((f->flags & OC_NONEMPTY) && !*v->valuestring) {
        return json_decode_wrong(p, "must NOT have fewer than 1 characters");
    }
    *(const char **)to = v->valuestring;
    return OC_OK;
}

static enum oc_code read_int(
        const struct decode_place *p, const struct oc_json_field *f, const cJSON *v, void *to) {
    int64_t i;
    if (!oc_json_as_int(v, INT64_MIN, INT64_MAX, &i)) {
        double d = cJSON_IsNumber(v) ? v->valuedouble : NAN;
        if (!isfinite(d) || d != floor(d)) {
            return json_decode_wrong(p, "must be integer");
        }
        i = d > 0 ? INT64_MAX
                  : INT64_MIN; /* beyond what a double holds exactly: out of any range */
        if (f->min == INT64_MIN || f->max == INT64_MAX) {
            return json_decode_wrong(p, "must be integer");
        }
    }
    if (i < f->min) {
        return oc_fail(p->err, OC_E_INVALID, "at %s/%s: must be >= %lld", p->where, p->key,
                (long long)f->min);
    }
    if (i > f->max) {
        return oc_fail(p->err, OC_E_INVALID, "at %s/%s: must be <= %lld", p->where, p->key,
                (long long)f->max);
    }
    *(int64_t *)to = i;
    return OC_OK;
}

static enum oc_code read_strv(const struct decode_place *p, const struct oc_json_field *f,
        const cJSON *v, struct oc_strv *to) {
    if (!cJSON_IsArray(v)) {
        return json_decode_wrong(p, "must be array");
    }
    oc_strv_finish(to);
    const cJSON *item;
    cJSON_ArrayForEach(item, v) {
        if (to->count >= (size_t)f->max) {
            return oc_fail(p->err, OC_E_INVALID, "at %s/%s: must NOT have more than %lld items",
                    p->where, p->key, (long long)f->max);
        }
        const char *complaint = !cJSON_IsString(item) ? "must be string"
                                : (f->flags & OC_NONEMPTY) && !*item->valuestring
                                        ? "must NOT have fewer than 1 characters"
                                        : NULL;
        if (complaint) {
            return oc_fail(p->err, OC_E_INVALID, "at %s/%s/%zu: %s", p->where, p->key, to->count,
                    complaint);
        }
        oc_strv_add(to, item->valuestring);
    }
    return OC_OK;
}

static enum oc_code read_field(
        const struct decode_place *p, const struct oc_json_field *f, const cJSON *v, void *to) {
    switch (f->type) {
    case OC_JT_STR:
        return read_string(p, f, v, to);
    case OC_JT_BOOL:
        if (!cJSON_IsBool(v)) {
            return json_decode_wrong(p, "must be boolean");
        }
        *(bool *)to = cJSON_IsTrue(v);
        return OC_OK;
    case OC_JT_INT:
        return read_int(p, f, v, to);
    case OC_JT_OBJ:
        if (!cJSON_IsObject(v)) {
            return json_decode_wrong(p, "must be object");
        }
        *(const cJSON **)to = v;
        return OC_OK;
    case OC_JT_ANY:
        *(const cJSON **)to = v;
        return OC_OK;
    case OC_JT_STRV:
        return read_strv(p, f, v, to);
    }
    return OC_E_INTERNAL;
}

static const cJSON *json_decode_member(const cJSON *o, const char *key) {
    const cJSON *child;
    cJSON_ArrayForEach(child, o) {
        if (strcmp(child->string, key) == 0) {
            return child;
        }
    }
    return NULL;
}

enum oc_code oc_json_decode(const cJSON *o, const char *where, const struct oc_json_field *fields,
        size_t n, void *ret, struct oc_error *err) {
    if (!cJSON_IsObject(o)) {
        return *where ? oc_fail(err, OC_E_INVALID, "at %s: must be object", where)
                      : oc_fail(err, OC_E_INVALID, "must be object");
    }
    for (size_t i = 0; i < n; i++) {
        const struct oc_json_field *f = &fields[i];
        struct decode_place p = { where, f->key, err };
        const cJSON *v = json_decode_member(o, f->key);
        if (v && cJSON_IsNull(v) && (f->flags & OC_NULLABLE)) {
            v = NULL;
        }
        if (!v && (f->flags & OC_REQUIRED)) {
            return json_decode_missing(&p);
        }
        if (!v) {
            continue;
        }
        enum oc_code rc = read_field(&p, f, v, (char *)ret + f->offset);
        if (rc != OC_OK) {
            return rc;
        }
        if (f->has_offset != SIZE_MAX) {
            *(bool *)((char *)ret + f->has_offset) = true;
        }
    }
    return OC_OK;
}
