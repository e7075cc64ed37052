#include "canvas/model/data_path.h"

#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Length of "[12]" at s, or 0. */
static size_t data_path_bracket(const char *s, size_t len) {
    size_t i = 1;
    if (len < 3 || s[0] != '[') {
        return 0;
    }
    while (i < len && is_digit(s[i])) {
        i++;
    }
    return i > 1 && i < len && s[i] == ']' ? i + 1 : 0;
}

static bool data_path_add(struct cv_place *place, const char *s, size_t len) {
    if (!len) {
        return true;
    }
    if (place->count == CV_MAX_PATH) {
        return false;
    }
    place->segments[place->count++] = (struct oc_slice){ s, len };
    return true;
}

bool cv_path_split(struct cv_place *place, struct oc_slice path) {
    const char *from = path.ptr, *end = path.ptr + path.len;
    for (const char *s = path.ptr; s < end;) {
        size_t n = *s == '[' ? data_path_bracket(s, (size_t)(end - s)) : 0;
        if (n) {
            if (!data_path_add(place, from, (size_t)(s - from)) ||
                    !data_path_add(place, s + 1, n - 2)) {
                return false;
            }
            from = s += n;
        } else if (*s == '.' || *s == '/') {
            if (!data_path_add(place, from, (size_t)(s - from))) {
                return false;
            }
            from = ++s;
        } else {
            s++;
        }
    }
    return data_path_add(place, from, (size_t)(end - from));
}

const struct cv_value *cv_path_walk(const struct cv_value *v, const struct cv_place *place) {
    for (unsigned i = 0; v && i < place->count; i++) {
        size_t index;
        if (cv_value_type_of(v) == CV_V_ARRAY) {
            v = cv_value_index(place->segments[i], &index) ? cv_value_at(v, index) : NULL;
        } else {
            v = cv_value_find(v, place->segments[i]);
        }
    }
    return v;
}

static void data_path_copy(struct cv_place *to, const struct cv_place *from) {
    to->count = from->count;
    memcpy(to->segments, from->segments, from->count * sizeof(from->segments[0]));
}

/* The context's segments, then those of own from `skip` on. */
static bool data_path_join(const struct cv_context *c, const struct cv_place *own, unsigned skip,
        struct cv_place *ret) {
    if (c->count + own->count - skip > CV_MAX_PATH) {
        return false;
    }
    ret->count = c->count + own->count - skip;
    if (c->count) {
        memcpy(ret->segments, c->segments, c->count * sizeof(c->segments[0]));
    }
    memcpy(ret->segments + c->count, own->segments + skip,
            (own->count - skip) * sizeof(own->segments[0]));
    return true;
}

/* "/item/…" and "./item/…" mean the item in every deployed renderer; so do "/text" and "/label" of
 * an item that is a bare value. */
static bool names_item(const struct cv_surface *s, const struct cv_context *c, struct oc_slice path,
        const struct cv_place *own) {
    if (!own->count || path.len < 2 || (path.ptr[0] != '/' && memcmp(path.ptr, "./", 2) != 0)) {
        return false;
    }
    if (oc_slice_eq(own->segments[0], "item")) {
        return true;
    }
    if (own->count != 1 ||
            (!oc_slice_eq(own->segments[0], "text") && !oc_slice_eq(own->segments[0], "label"))) {
        return false;
    }
    struct cv_place item;
    const struct cv_value *v =
            data_path_join(c, own, 1, &item) ? cv_path_walk(s->data, &item) : NULL;
    return v && cv_value_type_of(v) != CV_V_MAP && cv_value_type_of(v) != CV_V_ARRAY;
}

const struct cv_value *cv_path_locate(const struct cv_surface *s, const struct cv_context *c,
        struct oc_slice path, enum cv_path_use use, struct cv_place *ret, bool *ret_ok) {
    struct cv_place own; /* a kilobyte: nothing here clears or copies it whole */
    own.count = 0;
    *ret_ok = false;
    ret->count = 0;
    if (!cv_path_split(&own, path)) {
        return NULL;
    }
    bool from_root = path.len && path.ptr[0] == '/';
    const struct cv_value *v;
    if (!c || (use == CV_PATH_BINDING && from_root)) {
        *ret_ok = true;
        data_path_copy(ret, &own);
        v = cv_path_walk(s->data, &own);
        if (v || !c) {
            return v;
        }
    }
    struct cv_place item;
    if (data_path_join(c, &own, 0, &item)) {
        *ret_ok = true;
        data_path_copy(ret, &item);
        v = cv_path_walk(s->data, &item);
        if (v) {
            return v;
        }
    }
    if (names_item(s, c, path, &own) && data_path_join(c, &own, 1, &item)) {
        *ret_ok = true;
        data_path_copy(ret, &item);
        v = cv_path_walk(s->data, &item);
        if (v) {
            return v;
        }
    }
    if (!from_root) {
        return NULL;
    }
    v = cv_path_walk(s->data, &own);
    if (v) {
        *ret_ok = true;
        data_path_copy(ret, &own);
    }
    return v;
}
