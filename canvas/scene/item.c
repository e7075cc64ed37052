/* An item's properties. */
#include "canvas/scene/build.h"

#include "canvas/model/data_path.h"
#include "lib/base/utf8.h"

#include <string.h>

#define MAX_JSON_TEXT 4096 /* of a map or array that is shown as text */

const struct cv_value *cv_item_prop(const struct cv_item *it, const char *name) {
    return cv_value_get(it->component->props, name);
}

const struct cv_value *cv_item_value(const struct cv_item *it, const char *name) {
    return cv_bound_resolve(it->surface, it->context, cv_item_prop(it, name));
}

static bool take_from(struct cv_scene *s, size_t *left, size_t bytes) {
    if (bytes <= *left) {
        *left -= bytes;
        return true;
    }
    cv_build_tell(s, CV_DIAG_WARNING, NULL, "too-much-text", (struct oc_slice){ NULL, 0 },
            "more text than a scene may have: the rest is left out");
    return false;
}

bool cv_scene_take(struct cv_scene *s, size_t bytes) {
    return take_from(s, &s->text_left, bytes);
}

size_t cv_scene_parts(struct cv_scene *s, size_t wanted) {
    if (wanted <= s->parts_left) {
        s->parts_left -= wanted;
        return wanted;
    }
    cv_build_tell(s, CV_DIAG_WARNING, NULL, "too-many-parts", (struct oc_slice){ NULL, 0 },
            "more tabs and options than a scene may have: the rest is left out");
    size_t given = s->parts_left;
    s->parts_left = 0;
    return given;
}

/* Looks at no more of the value than it gives, and at nothing when there is none left. */
static const char *item_give(
        struct cv_scene *s, const struct cv_value *v, size_t most, size_t *left) {
    bool is_text = cv_value_type_of(v) == CV_V_STRING;
    struct oc_slice text = cv_value_string(v);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(3 * most);
    if (is_text && text.len > most) {
        text.len = oc_utf8_cut(text.ptr, text.len, most);
    }
    size_t least = is_text ? text.len : 1;
    if (cv_value_type_of(v) == CV_V_NULL || (least > *left && !take_from(s, left, least))) {
        return "";
    }
    if (!is_text || memchr(text.ptr, 0, text.len)) {
        most = is_text || most < MAX_JSON_TEXT ? most : MAX_JSON_TEXT;
        out.max_bytes = is_text ? out.max_bytes : most + 1;
        (void)(is_text ? cv_string_to_text(&out, text)
                       : cv_value_to_text(&out, v)); /* too long: what fits */
        text.ptr = out.data ? out.data : "";
        text.len = out.len ? oc_utf8_cut(out.data, out.len, most) : 0;
    }
    return take_from(s, left, text.len) ? cv_arena_strndup(s->arena, text.ptr, text.len) : "";
}

const char *cv_scene_text(struct cv_scene *s, const struct cv_value *v, size_t most) {
    return item_give(s, v, most, &s->text_left);
}

/* An input that is empty is nothing to tell. */
static bool is_entered(const struct cv_item *it, const char *name) {
    return strcmp(name, "value") == 0 ||
           (strcmp(name, "text") == 0 && strcmp(it->component->type, "TextField") == 0);
}

static void tell_missing(struct cv_scene *s, const struct cv_item *it, struct oc_slice path) {
    struct cv_place place;
    place.count = 0;
    if (cv_path_split(&place, path)) {
        cv_build_tell(s, CV_DIAG_NOTE, it->component, "no-data", path, "no data at");
    } else {
        cv_build_tell(s, CV_DIAG_WARNING, it->component, "path-too-long", path,
                "a path of too many parts names nothing:");
    }
}

static const struct cv_value *told_value(
        struct cv_scene *s, const struct cv_item *it, const char *name) {
    const struct cv_value *v = cv_item_value(it, name);
    struct oc_slice path = cv_item_path(it, name), none = { NULL, 0 };
    if (!v && path.ptr && !is_entered(it, name)) {
        tell_missing(s, it, path);
    }
    if (cv_value_string(v).len > CV_MAX_STRING) {
        cv_build_tell(s, CV_DIAG_WARNING, it->component, "text-too-long", none,
                "a text of more than 1 MiB: cut off");
    }
    return v;
}

const char *cv_item_text(struct cv_scene *s, const struct cv_item *it, const char *name) {
    return cv_scene_text(s, told_value(s, it, name), CV_MAX_STRING);
}

const char *cv_item_url(struct cv_scene *s, const struct cv_item *it, const char *name) {
    return item_give(s, told_value(s, it, name), CV_MAX_STRING, &s->url_left);
}

int cv_item_choice(struct cv_scene *s, const struct cv_item *it, const char *name,
        const char *const *names, int def) {
    (void)s;
    const struct cv_value *v = cv_item_value(it, name);
    for (int i = 0; names[i]; i++) {
        if (cv_value_is(v, names[i])) {
            return i;
        }
    }
    return def;
}

struct oc_slice cv_item_path(const struct cv_item *it, const char *name) {
    return cv_bound_path(cv_item_prop(it, name));
}

void cv_item_shows(struct cv_item *it, struct cv_text *text) {
    it->unknown_glyphs += cv_text_unknown_glyphs(text, -1);
}
