/* The data of a surface: dataModelUpdate, and what people enter. */
#include "canvas/model/model_parts.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <string.h>

#define WARN(blame, code, ...)                                                                 \
    oc_diags_add((blame)->diags, OC_DIAG_WARNING, (blame)->line, (blame)->surface, NULL, code, \
            __VA_ARGS__)
#define VALUE_BYTES 64 /* what one value costs besides its text, about */

struct conversion {
    size_t budget; /* values that may still be made */
    const struct oc_blame *blame;
    bool cut;
};

/* Puts a value into a tree, making maps on the way. Returns how many it made, or -1: an array has no such element. */
static int put(struct oc_value *at, const struct oc_slice *segments, unsigned count,
        struct oc_value *take_value) {
    int made = 0;
    for (unsigned i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        struct oc_value *next = oc_value_mutable(at, segments[i]);
        enum oc_value_type type = oc_value_type(next);
        if (!is_last && (type == OC_V_MAP || type == OC_V_ARRAY)) {
            at = next;
            continue;
        }
        size_t index = 0;
        if (oc_value_type(at) == OC_V_ARRAY &&
                (!oc_value_index(segments[i], &index) || index > oc_value_count(at))) {
            oc_value_destroy(take_value);
            return -1;
        }
        next = is_last ? take_value : oc_value_create(OC_V_MAP);
        made += !is_last;
        if (oc_value_type(at) == OC_V_ARRAY) {
            oc_value_put_at(at, index, next);
        } else {
            oc_value_set(at, segments[i], next);
        }
        at = next;
    }
    return made;
}

static const char *refusal(
        const struct oc_place *place, const struct oc_value *v, const struct oc_value_size *size) {
    if (!place->count && oc_value_type(v) != OC_V_MAP) {
        return "the root can only be a map";
    }
    if (place->count + size->depth > OC_VALUE_MAX_DEPTH) {
        return "nested too deep";
    }
    return size->values > OC_CANVAS_MAX_VALUES ? "too many values" : NULL;
}

bool oc_data_put(struct oc_model *m, struct oc_surface_full *s, const struct oc_place *place,
        struct oc_value *take_value, const char **ret_why) {
    struct oc_value_size size = oc_value_size(take_value), gone = { 0 };
    size_t bytes = size.values * VALUE_BYTES + size.bytes, gone_bytes = 0;
    *ret_why = refusal(place, take_value, &size);
    /* what is there may be large: it is not looked at for what is refused anyway, as often as somebody likes */
    const struct oc_value *old = *ret_why ? NULL : oc_path_walk(s->data, place);
    if (old) {
        gone = oc_value_size(old);
        gone_bytes = gone.values * VALUE_BYTES + gone.bytes;
    }
    if (!*ret_why && s->values - gone.values + size.values + place->count > OC_CANVAS_MAX_VALUES) {
        *ret_why = "too many values";
    }
    if (!*ret_why && bytes > gone_bytes && !oc_model_has_room(m, bytes - gone_bytes)) {
        *ret_why = "all surfaces together would be too large";
    }
    if (*ret_why) {
        oc_value_destroy(take_value);
        return false;
    }
    if (!place->count) {
        oc_value_destroy(s->data);
        s->data = take_value;
        s->pub.data = take_value;
        s->values = 0;
        gone.values = 0;
    } else {
        int made = put(s->data, place->segments, place->count, take_value);
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
static struct oc_value *from_text(struct conversion *c, const struct oc_value *text) {
    struct oc_slice s = oc_value_string(text);
    while (s.len && oc_is_one_of(*s.ptr, " \t\r\n")) {
        s.ptr++;
        s.len--;
    }
    while (s.len && oc_is_one_of(s.ptr[s.len - 1], " \t\r\n")) {
        s.len--;
    }
    struct oc_value *v = NULL;
    if (is_wrapped_in(s, '{', '}') || is_wrapped_in(s, '[', ']')) {
        size_t before = c->budget;
        if (oc_value_parse_within(s.ptr, s.len, &c->budget, &v, NULL) == OC_OK) {
            return v;
        }
        c->budget = before; /* it stays text */
    }
    return oc_value_ref(text);
}

static struct oc_value *to_map(
        struct conversion *c, const struct oc_value *entries, unsigned depth);

static struct oc_value *convert(struct conversion *c, const struct oc_value *v, const char *member,
        struct oc_slice key, unsigned depth) {
    static const struct {
        const char *member;
        enum oc_value_type type;
        const char *want;
    } kinds[] = { { "valueString", OC_V_STRING, "a string" },
        { "valueNumber", OC_V_NUMBER, "a number" }, { "valueBoolean", OC_V_BOOL, "a boolean" },
        { "valueMap", OC_V_ARRAY, "an array of entries" } };
    for (size_t i = 0; i < OC_COUNT(kinds); i++) {
        if (strcmp(kinds[i].member, member) == 0 && oc_value_type(v) != kinds[i].type) {
            WARN(c->blame, "wrong-type", "data '%.*s': %s is not %s", oc_diag_shown(key), key.ptr,
                    member, kinds[i].want);
        }
    }
    if (oc_value_type(v) == OC_V_STRING) {
        return from_text(c, v);
    }
    if (strcmp(member, "valueMap") == 0 && oc_value_type(v) == OC_V_ARRAY) {
        return to_map(c, v, depth + 1);
    }
    return oc_value_copy(v);
}

/* The first value member of an entry, in the order written; NULL: none. */
static const struct oc_value *value_of(
        struct conversion *c, const struct oc_value *entry, struct oc_slice key, const char **ret) {
    static const char *const members[] = { "valueString", "valueNumber", "valueBoolean",
        "valueMap" };
    const struct oc_value *first = NULL;
    for (size_t i = 0; i < oc_value_count(entry); i++) {
        for (size_t k = 0; k < OC_COUNT(members); k++) {
            if (!oc_slice_eq(oc_value_key(entry, i), members[k])) {
                continue;
            }
            if (first) {
                WARN(c->blame, "two-value-members",
                        "data '%.*s' has several values: only %s counts", oc_diag_shown(key),
                        key.ptr, *ret);
                return first;
            }
            first = oc_value_at(entry, i);
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
                OC_CANVAS_MAX_VALUES);
    }
    c->cut = true;
    return false;
}

/* Recurses along valueMap: as deep as JSON may be. */
static struct oc_value *to_map(
        struct conversion *c, const struct oc_value *entries, unsigned depth) {
    struct oc_value *map = oc_value_create(OC_V_MAP);
    for (size_t i = 0; i < oc_value_count(entries) && take_one(c); i++) {
        const struct oc_value *entry = oc_value_at(entries, i), *given;
        struct oc_slice key = oc_value_string(oc_value_get(entry, "key"));
        const char *member = NULL;
        struct oc_place place;
        place.count = 0;
        bool fits = oc_path_split(&place, key);
        if (!fits || depth + place.count > OC_VALUE_MAX_DEPTH) {
            WARN(c->blame, "path-too-long", "data '%.*s' is nested too deep: left out",
                    oc_diag_shown(key), key.ptr);
        } else if (!place.count) {
            WARN(c->blame, "missing-key", "an entry of the data has no key: left out");
        } else if (!(given = value_of(c, entry, key, &member))) {
            WARN(c->blame, "missing-value", "data '%.*s' has no value: left out",
                    oc_diag_shown(key), key.ptr);
        } else {
            put(map, place.segments, place.count, convert(c, given, member, key, depth));
        }
    }
    return map;
}

/* {"key":".", …} alone: the value itself instead of a map. */
static struct oc_value *bare_value(struct conversion *c, const struct oc_value *contents) {
    const struct oc_value *entry = oc_value_at(contents, 0);
    const char *member = NULL;
    if (oc_value_count(contents) != 1 || !oc_value_is(oc_value_get(entry, "key"), ".")) {
        return NULL;
    }
    struct oc_slice key = oc_value_string(oc_value_get(entry, "key"));
    const struct oc_value *given = value_of(c, entry, key, &member);
    return given ? convert(c, given, member, key, 0) : NULL;
}

void oc_data_update(struct oc_model *m, struct oc_surface_full *s, const struct oc_value *body,
        const struct oc_blame *blame) {
    const struct oc_value *contents = oc_value_get(body, "contents"),
                          *path = oc_value_get(body, "path");
    struct conversion c = { .budget = OC_CANVAS_MAX_VALUES, .blame = blame };
    struct oc_slice where = oc_value_string(path);
    struct oc_place place;
    place.count = 0;
    if (path && oc_value_type(path) != OC_V_STRING && oc_value_type(path) != OC_V_NULL) {
        WARN(blame, "wrong-type", "dataModelUpdate: 'path' is not a string: taken as '/'");
    }
    if (!oc_path_split(&place, where)) {
        WARN(blame, "path-too-long", "dataModelUpdate: path of more than %d parts: ignored",
                OC_CANVAS_MAX_PATH);
        return;
    }
    struct oc_value *value = NULL;
    if (oc_value_type(contents) == OC_V_ARRAY) {
        value = bare_value(&c, contents);
        if (!value) {
            value = to_map(&c, contents, 0);
        }
    } else if (oc_value_type(contents) == OC_V_MAP) {
        if (oc_value_count(contents)) {
            WARN(blame, "wrong-type",
                    "dataModelUpdate: 'contents' is an object, not an array of entries: taken as "
                    "plain data");
        }
        value = oc_value_copy(contents);
    } else {
        WARN(blame, contents ? "wrong-type" : "missing-property",
                "dataModelUpdate: 'contents' is not an array of entries: ignored");
        return;
    }
    const char *why;
    if (!oc_data_put(m, s, &place, value, &why)) {
        WARN(blame, "data-refused", "dataModelUpdate at '%.*s': %s: ignored",
                where.len ? oc_diag_shown(where) : 1, where.len ? where.ptr : "/", why);
    }
}

const struct oc_value *oc_surface_lookup(
        const struct oc_surface *s, const struct oc_context *c, struct oc_slice path) {
    struct oc_place place;
    bool ok;
    return oc_path_locate(s, c, path, OC_PATH_VALUE, &place, &ok);
}

bool oc_surface_write(struct oc_model *m, const struct oc_surface *s, const struct oc_context *c,
        struct oc_slice path, struct oc_value *take_value) {
    struct oc_surface_full *full = oc_model_full(m, s);
    struct oc_place place;
    bool ok = false;
    if (full) {
        oc_path_locate(s, c, path, OC_PATH_VALUE, &place, &ok);
    }
    const char *why;
    if (ok) {
        return oc_data_put(m, full, &place, take_value, &why);
    }
    oc_value_destroy(take_value);
    return false;
}
