/* The data of a surface: dataModelUpdate, and what people enter. */
#include "canvas/model/model_parts.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <string.h>

#define WARN(blame, code, ...)                                                                 \
    cv_diags_add((blame)->diags, CV_DIAG_WARNING, (blame)->line, (blame)->surface, NULL, code, \
            __VA_ARGS__)
#define VALUE_BYTES 64 /* what one value costs besides its text, about */

struct conversion {
    size_t budget; /* values that may still be made */
    const struct cv_blame *blame;
    bool cut;
};

/* Puts a value into a tree, making maps on the way. Returns how many it made, or -1: an array has
 * no such element. */
static int model_data_put(struct cv_value *at, const struct oc_slice *segments, unsigned count,
        struct cv_value *take_value) {
    int made = 0;
    for (unsigned i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        struct cv_value *next = cv_value_mutable(at, segments[i]);
        enum cv_value_type type = cv_value_type_of(next);
        if (!is_last && (type == CV_V_MAP || type == CV_V_ARRAY)) {
            at = next;
            continue;
        }
        size_t index = 0;
        if (cv_value_type_of(at) == CV_V_ARRAY &&
                (!cv_value_index(segments[i], &index) || index > cv_value_count(at))) {
            cv_value_destroy(take_value);
            return -1;
        }
        next = is_last ? take_value : cv_value_create(CV_V_MAP);
        made += !is_last;
        if (cv_value_type_of(at) == CV_V_ARRAY) {
            cv_value_put_at(at, index, next);
        } else {
            cv_value_set(at, segments[i], next);
        }
        at = next;
    }
    return made;
}

static const char *model_data_refusal(
        const struct cv_place *place, const struct cv_value *v, const struct cv_value_size *size) {
    if (!place->count && cv_value_type_of(v) != CV_V_MAP) {
        return "the root can only be a map";
    }
    if (place->count + size->depth > CV_VALUE_MAX_DEPTH) {
        return "nested too deep";
    }
    return size->values > CV_MAX_VALUES ? "too many values" : NULL;
}

bool cv_data_put(struct cv_model *m, struct cv_surface_full *s, const struct cv_place *place,
        struct cv_value *take_value, const char **ret_why) {
    struct cv_value_size size = cv_value_measure(take_value), gone = { 0 };
    size_t bytes = size.values * VALUE_BYTES + size.bytes, gone_bytes = 0;
    *ret_why = model_data_refusal(place, take_value, &size);
    /* what is there may be large: it is not looked at for what is refused anyway, as often as
     * somebody likes */
    const struct cv_value *old = *ret_why ? NULL : cv_path_walk(s->data, place);
    if (old) {
        gone = cv_value_measure(old);
        gone_bytes = gone.values * VALUE_BYTES + gone.bytes;
    }
    if (!*ret_why && s->values - gone.values + size.values + place->count > CV_MAX_VALUES) {
        *ret_why = "too many values";
    }
    if (!*ret_why && bytes > gone_bytes && !cv_model_has_room(m, bytes - gone_bytes)) {
        *ret_why = "all surfaces together would be too large";
    }
    if (*ret_why) {
        cv_value_destroy(take_value);
        return false;
    }
    if (!place->count) {
        cv_value_destroy(s->data);
        s->data = take_value;
        s->pub.data = take_value;
        s->values = 0;
        gone.values = 0;
    } else {
        int made = model_data_put(s->data, place->segments, place->count, take_value);
        if (made < 0) {
            *ret_why = "the array has no such element";
            return false;
        }
        s->values += (size_t)made;
        s->bytes += (size_t)made * VALUE_BYTES;
    }
    s->values += size.values - gone.values;
    s->bytes += bytes - gone_bytes;
    return true;
}

static bool is_wrapped_in(struct oc_slice s, char open, char close) {
    return s.len >= 2 && s.ptr[0] == open && s.ptr[s.len - 1] == close;
}

/* The only way to get arrays: a text that is JSON becomes what it says. */
static struct cv_value *from_text(struct conversion *c, const struct cv_value *text) {
    struct oc_slice s = cv_value_string(text);
    while (s.len && oc_is_one_of(*s.ptr, " \t\r\n")) {
        s.ptr++;
        s.len--;
    }
    while (s.len && oc_is_one_of(s.ptr[s.len - 1], " \t\r\n")) {
        s.len--;
    }
    struct cv_value *v = NULL;
    if (is_wrapped_in(s, '{', '}') || is_wrapped_in(s, '[', ']')) {
        size_t before = c->budget;
        if (cv_value_parse_within(s.ptr, s.len, &c->budget, &v, NULL) == OC_OK) {
            return v;
        }
        c->budget = before; /* it stays text */
    }
    return cv_value_ref(text);
}

static struct cv_value *to_map(
        struct conversion *c, const struct cv_value *entries, unsigned depth);

static struct cv_value *model_data_convert(struct conversion *c, const struct cv_value *v,
        const char *member, struct oc_slice key, unsigned depth) {
    static const struct {
        const char *member;
        enum cv_value_type type;
        const char *want;
    } kinds[] = { { "valueString", CV_V_STRING, "a string" },
        { "valueNumber", CV_V_NUMBER, "a number" }, { "valueBoolean", CV_V_BOOL, "a boolean" },
        { "valueMap", CV_V_ARRAY, "an array of entries" } };
    for (size_t i = 0; i < OC_COUNT(kinds); i++) {
        if (strcmp(kinds[i].member, member) == 0 && cv_value_type_of(v) != kinds[i].type) {
            WARN(c->blame, "wrong-type", "data '%.*s': %s is not %s", cv_diag_shown(key), key.ptr,
                    member, kinds[i].want);
        }
    }
    if (cv_value_type_of(v) == CV_V_STRING) {
        return from_text(c, v);
    }
    if (strcmp(member, "valueMap") == 0 && cv_value_type_of(v) == CV_V_ARRAY) {
        return to_map(c, v, depth + 1);
    }
    return cv_value_copy(v);
}

/* The first value member of an entry, in the order written; NULL: none. */
static const struct cv_value *value_of(
        struct conversion *c, const struct cv_value *entry, struct oc_slice key, const char **ret) {
    static const char *const members[] = { "valueString", "valueNumber", "valueBoolean",
        "valueMap" };
    const struct cv_value *first = NULL;
    for (size_t i = 0; i < cv_value_count(entry); i++) {
        for (size_t k = 0; k < OC_COUNT(members); k++) {
            if (!oc_slice_eq(cv_value_key(entry, i), members[k])) {
                continue;
            }
            if (first) {
                WARN(c->blame, "two-value-members",
                        "data '%.*s' has several values: only %s counts", cv_diag_shown(key),
                        key.ptr, *ret);
                return first;
            }
            first = cv_value_at(entry, i);
            *ret = members[k];
        }
    }
    return first;
}

static bool take_one(struct conversion *c) {
    if (c->budget && c->budget--) {
        return true;
    }
    if (!c->cut) {
        WARN(c->blame, "too-many-values", "more than %d values: the rest is left out",
                CV_MAX_VALUES);
    }
    c->cut = true;
    return false;
}

/* Recurses along valueMap: as deep as JSON may be. */
static struct cv_value *to_map(
        struct conversion *c, const struct cv_value *entries, unsigned depth) {
    struct cv_value *map = cv_value_create(CV_V_MAP);
    for (size_t i = 0; i < cv_value_count(entries) && take_one(c); i++) {
        const struct cv_value *entry = cv_value_at(entries, i), *given;
        struct oc_slice key = cv_value_string(cv_value_get(entry, "key"));
        const char *member = NULL;
        struct cv_place place;
        place.count = 0;
        bool fits = cv_path_split(&place, key);
        if (!fits || depth + place.count > CV_VALUE_MAX_DEPTH) {
            WARN(c->blame, "path-too-long", "data '%.*s' is nested too deep: left out",
                    cv_diag_shown(key), key.ptr);
        } else if (!place.count) {
            WARN(c->blame, "missing-key", "an entry of the data has no key: left out");
        } else if (!(given = value_of(c, entry, key, &member))) {
            WARN(c->blame, "missing-value", "data '%.*s' has no value: left out",
                    cv_diag_shown(key), key.ptr);
        } else {
            model_data_put(map, place.segments, place.count,
                    model_data_convert(c, given, member, key, depth));
        }
    }
    return map;
}

/* {"key":".", …} alone: the value itself instead of a map. */
static struct cv_value *bare_value(struct conversion *c, const struct cv_value *contents) {
    const struct cv_value *entry = cv_value_at(contents, 0);
    const char *member = NULL;
    if (cv_value_count(contents) != 1 || !cv_value_is(cv_value_get(entry, "key"), ".")) {
        return NULL;
    }
    struct oc_slice key = cv_value_string(cv_value_get(entry, "key"));
    const struct cv_value *given = value_of(c, entry, key, &member);
    return given ? model_data_convert(c, given, member, key, 0) : NULL;
}

void cv_data_update(struct cv_model *m, struct cv_surface_full *s, const struct cv_value *body,
        const struct cv_blame *blame) {
    const struct cv_value *contents = cv_value_get(body, "contents"),
                          *path = cv_value_get(body, "path");
    struct conversion c = { .budget = CV_MAX_VALUES, .blame = blame };
    struct oc_slice where = cv_value_string(path);
    struct cv_place place;
    place.count = 0;
    if (path && cv_value_type_of(path) != CV_V_STRING && cv_value_type_of(path) != CV_V_NULL) {
        WARN(blame, "wrong-type", "dataModelUpdate: 'path' is not a string: taken as '/'");
    }
    if (!cv_path_split(&place, where)) {
        WARN(blame, "path-too-long", "dataModelUpdate: path of more than %d parts: ignored",
                CV_MAX_PATH);
        return;
    }
    struct cv_value *value = NULL;
    if (cv_value_type_of(contents) == CV_V_ARRAY) {
        value = bare_value(&c, contents);
        if (!value) {
            value = to_map(&c, contents, 0);
        }
    } else if (cv_value_type_of(contents) == CV_V_MAP) {
        if (cv_value_count(contents)) {
            WARN(blame, "wrong-type",
                    "dataModelUpdate: 'contents' is an object, not an array of entries: taken as "
                    "plain data");
        }
        value = cv_value_copy(contents);
    } else {
        WARN(blame, contents ? "wrong-type" : "missing-property",
                "dataModelUpdate: 'contents' is not an array of entries: ignored");
        return;
    }
    const char *why;
    if (!cv_data_put(m, s, &place, value, &why)) {
        WARN(blame, "data-refused", "dataModelUpdate at '%.*s': %s: ignored",
                where.len ? cv_diag_shown(where) : 1, where.len ? where.ptr : "/", why);
    }
}

const struct cv_value *cv_surface_lookup(
        const struct cv_surface *s, const struct cv_context *c, struct oc_slice path) {
    struct cv_place place;
    bool ok;
    return cv_path_locate(s, c, path, CV_PATH_VALUE, &place, &ok);
}

bool cv_surface_write(struct cv_model *m, const struct cv_surface *s, const struct cv_context *c,
        struct oc_slice path, struct cv_value *take_value) {
    struct cv_surface_full *full = cv_model_full(m, s);
    struct cv_place place;
    bool ok = false;
    if (full) {
        cv_path_locate(s, c, path, CV_PATH_VALUE, &place, &ok);
    }
    const char *why;
    if (ok) {
        return cv_data_put(m, full, &place, take_value, &why);
    }
    cv_value_destroy(take_value);
    return false;
}
