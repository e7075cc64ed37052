/* An item's properties. */
#include "canvas/build.h"

#include "base/utf8.h"

#include <string.h>

#define MAX_JSON_TEXT 4096 /* of a map or array that is shown as text */

const struct oc_value *oc_item_prop(const struct oc_item *it, const char *name) {
    return oc_value_get(it->component->props, name);
}

const struct oc_value *oc_item_value(const struct oc_item *it, const char *name) {
    return oc_bound_resolve(it->surface, it->context, oc_item_prop(it, name));
}

const char *oc_value_arena_text(struct oc_scene *s, const struct oc_value *v) {
    bool is_text = oc_value_type(v) == OC_V_STRING;
    size_t most = is_text ? OC_CANVAS_MAX_STRING : MAX_JSON_TEXT;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(OC_CANVAS_MAX_STRING * 3);
    struct oc_slice text = oc_value_string(v);
    if (!is_text || memchr(text.ptr, 0, text.len)) {
        out.max_bytes = is_text ? out.max_bytes : most + 1;
        (void)oc_value_to_text(&out, v); /* too long: what fits */
        text = (struct oc_slice){ out.data ? out.data : "", out.len };
    }
    if (text.len > most)
        text.len = oc_utf8_cut(text.ptr, text.len, most);
    if (text.len > s->text_left)
        return "";
    s->text_left -= text.len;
    return oc_arena_strndup(s->arena, text.ptr, text.len);
}

/* An input that is empty is nothing to tell. */
static bool is_entered(const struct oc_item *it, const char *name) {
    return strcmp(name, "value") == 0 ||
           (strcmp(name, "text") == 0 && strcmp(it->component->type, "TextField") == 0);
}

const char *oc_item_text(struct oc_scene *s, const struct oc_item *it, const char *name) {
    const struct oc_value *v = oc_item_value(it, name);
    struct oc_slice path = oc_item_path(it, name), none = { NULL, 0 };
    if (!v && path.ptr && !is_entered(it, name))
        oc_build_tell(s, OC_DIAG_NOTE, it->component, "no-data", path, "no data at");
    if (oc_value_string(v).len > OC_CANVAS_MAX_STRING)
        oc_build_tell(s, OC_DIAG_WARNING, it->component, "text-too-long", none,
                "a text of more than 1 MiB: cut off");
    const char *text = oc_value_arena_text(s, v);
    if (!*text && oc_value_string(v).len)
        oc_build_tell(s, OC_DIAG_WARNING, NULL, "too-much-text", none,
                "more text than a scene may have: the rest is left out");
    return text;
}

int oc_item_choice(struct oc_scene *s, const struct oc_item *it, const char *name,
        const char *const *names, int def) {
    (void)s;
    const struct oc_value *v = oc_item_value(it, name);
    for (int i = 0; names[i]; i++) {
        if (oc_value_is(v, names[i]))
            return i;
    }
    return def;
}

struct oc_slice oc_item_path(const struct oc_item *it, const char *name) {
    return oc_bound_path(oc_item_prop(it, name));
}

void oc_item_shows(struct oc_item *it, struct oc_text *text) {
    it->unknown_glyphs += oc_text_unknown_glyphs(text, -1);
}
