/* Messages change surfaces. What does not fit is left out and told; nothing stops a push that has
 * been accepted. */
#include "canvas/model/model_parts.h"
#include "canvas/model/push.h"
#include "canvas/model/theme.h"

#include "lib/base/mem.h"

#include <math.h>
#include <string.h>

#define DEFAULT_SURFACE "@default" /* messages without a surfaceId */
#define MAX_WEIGHT 1e6
#define WARN(blame, component, code, ...)                                                     \
    cv_diags_add((blame)->diags, CV_DIAG_WARNING, (blame)->line, (blame)->surface, component, \
            code, __VA_ARGS__)

static const char *const type_names[] = { "null", "a boolean", "a number", "a string", "an object",
    "an array" };

static const char *type_name(const struct cv_value *v) {
    return v ? type_names[cv_value_type_of(v)] : "nothing";
}

/* Ids in messages to people. */
static char *surface_id(const struct cv_value *body, struct cv_blame *blame) {
    const struct cv_value *v = cv_value_get(body, "surfaceId");
    char *id = cv_id_of(v);
    if (id) {
        return id;
    }
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(100);
    if (!v) {
        WARN(blame, NULL, "missing-surface-id", "no surfaceId: taken as '" DEFAULT_SURFACE "'");
    } else if (cv_value_type_of(v) == CV_V_NUMBER) {
        WARN(blame, NULL, "wrong-type", "surfaceId is %s, not a string", type_name(v));
        cv_value_to_text(&text, v);
        return oc_buf_take(&text);
    } else {
        WARN(blame, NULL, "wrong-type",
                "surfaceId is not a string of 1 to %d bytes: taken as '" DEFAULT_SURFACE "'",
                CV_MAX_ID);
    }
    return oc_strdup(DEFAULT_SURFACE);
}

static void read_weight(
        struct cv_component_entry *c, const struct cv_value *v, const struct cv_blame *blame) {
    c->pub.has_weight = false;
    c->pub.weight = 0;
    if (!v) {
        return;
    }
    if (cv_value_type_of(v) != CV_V_NUMBER) {
        WARN(blame, c->id, "wrong-type", "weight is %s, not a number: ignored", type_name(v));
        return;
    }
    double w = cv_value_number(v);
    if (w < 0 || w > MAX_WEIGHT) {
        WARN(blame, c->id, "bad-weight", "weight must be 0 … 1000000: clamped");
    }
    c->pub.has_weight = true;
    c->pub.weight = fmin(fmax(w, 0), MAX_WEIGHT);
}

static struct cv_component_entry *entry_of(struct cv_surface_full *s, char *take_id) {
    struct cv_component_entry *c = oc_map_get(s->components, take_id);
    if (c) {
        oc_free(take_id);
        return c;
    }
    c = oc_new(struct cv_component_entry);
    c->id = take_id;
    c->pub.id = take_id;
    oc_map_put(s->components, take_id, c);
    return c;
}

/* The type of a component: the name of the wrapper's first member. NULL: there is none. */
static const struct cv_value *model_apply_unwrap(const struct cv_value *wrapper, const char *id,
        char **ret_type, const struct cv_blame *blame) {
    if (cv_value_type_of(wrapper) != CV_V_MAP) {
        WARN(blame, id, "bad-wrapper", "'component' is %s, not {\"Type\":{…}}: component left out",
                type_name(wrapper));
        return NULL;
    }
    size_t count = cv_value_count(wrapper);
    *ret_type = count ? cv_id_from(cv_value_key(wrapper, 0)) : NULL;
    if (!*ret_type) {
        WARN(blame, id, "bad-wrapper", "'component' names no type: component left out");
        return NULL;
    }
    if (count > 1) {
        WARN(blame, id, "wrapper-keys",
                "'component' has %zu members instead of one: only '%.80s' counts", count,
                *ret_type);
    }
    return cv_value_at(wrapper, 0);
}

/* NULL when it is left out. */
static struct cv_component_entry *model_apply_define(struct cv_model *m, struct cv_surface_full *s,
        const struct cv_value *given, const struct cv_blame *blame) {
    if (cv_value_type_of(given) != CV_V_MAP) {
        WARN(blame, NULL, "wrong-type", "a component is %s, not an object: left out",
                type_name(given));
        return NULL;
    }
    OC_AUTO_FREE char *id = cv_id_of(cv_value_get(given, "id"));
    if (!id) {
        WARN(blame, NULL, "missing-id",
                "a component has no id, or none that is a string of 1 to %d bytes: left out",
                CV_MAX_ID);
        return NULL;
    }
    OC_AUTO_FREE char *type = NULL;
    const struct cv_value *props =
            model_apply_unwrap(cv_value_get(given, "component"), id, &type, blame);
    if (!props) {
        return NULL;
    }
    bool is_new = !oc_map_get(s->components, id);
    if (is_new && oc_map_count(s->components) == CV_MAX_COMPONENTS) {
        WARN(blame, id, "too-many-components", "more than %d components in one surface: left out",
                CV_MAX_COMPONENTS);
        return NULL;
    }
    struct cv_value_size size = cv_value_measure(props);
    size_t bytes = size.values * 64 + size.bytes + 200;
    if (!cv_model_has_room(m, bytes)) {
        WARN(blame, id, "too-large", "all surfaces together would be too large: left out");
        return NULL;
    }
    struct cv_component_entry *c = entry_of(s, oc_take(&id));
    if (c->message == m->messages) {
        WARN(blame, c->id, "duplicate-id",
                "id is there twice in one surfaceUpdate: the last one counts");
    }
    c->message = m->messages;
    c->pub.defined = ++m->definitions;
    s->bytes += bytes - c->bytes;
    c->bytes = bytes;
    oc_free(c->type);
    c->type = oc_take(&type);
    cv_value_destroy(c->props);
    if (cv_value_type_of(props) == CV_V_MAP) {
        c->props = cv_value_ref(props);
    } else {
        WARN(blame, c->id, "wrong-type", "the properties of %.80s are %s, not an object", c->type,
                type_name(props));
        c->props = cv_value_create(CV_V_MAP);
    }
    c->pub.type = c->type;
    c->pub.props = c->props;
    c->pub.line = blame->line;
    read_weight(c, cv_value_get(given, "weight"), blame);
    return c;
}

static void surface_update(struct cv_model *m, struct cv_surface_full *s,
        const struct cv_value *body, const struct cv_blame *blame) {
    const struct cv_value *list = cv_value_get(body, "components");
    if (cv_value_type_of(list) != CV_V_ARRAY) {
        WARN(blame, NULL, list ? "wrong-type" : "missing-property",
                "surfaceUpdate: 'components' is %s, not an array", type_name(list));
        return;
    }
    size_t count = cv_value_count(list);
    if (!count) {
        WARN(blame, NULL, "empty-update", "surfaceUpdate: 'components' is empty");
    }
    struct cv_component_entry **defined = oc_new_array(struct cv_component_entry *, count);
    for (size_t i = 0; i < count; i++) {
        defined[i] = model_apply_define(m, s, cv_value_at(list, i), blame);
        if (defined[i]) {
            cv_init_mark_templates(s, defined[i]);
        }
    }
    /* After all of them: a template further down the message may stand above an earlier
     * component. */
    for (size_t i = 0; i < count; i++) {
        if (!defined[i]) {
            continue;
        }
        cv_catalog_check(&defined[i]->pub, blame);
        cv_init_component(m, s, defined[i], blame);
    }
    oc_free(defined);
}

static void check_styles(const struct cv_value *styles, const struct cv_blame *blame) {
    for (size_t i = 0; i < cv_value_count(styles); i++) {
        struct oc_slice key = cv_value_key(styles, i);
        const struct cv_value *v = cv_value_at(styles, i);
        cv_color color;
        if (oc_slice_eq(key, "primaryColor")) {
            if (!cv_color_parse(cv_value_string(v), &color)) {
                WARN(blame, NULL, "bad-color", "styles.primaryColor is not \"#rrggbb\": ignored");
            }
        } else if (!oc_slice_eq(key, "font") && !oc_slice_eq(key, "logoUrl")) {
            WARN(blame, NULL, "unknown-property", "styles has no '%.*s'", cv_diag_shown(key),
                    key.ptr);
        } else if (cv_value_type_of(v) != CV_V_STRING) {
            WARN(blame, NULL, "wrong-type", "styles.%.*s is %s, not a string: ignored",
                    cv_diag_shown(key), key.ptr, type_name(v));
        }
    }
}

static bool is_known_catalog(struct oc_slice id) {
    static const char *const ends[] = { "/standard_catalog_definition.json",
        "/minimal_catalog.json" };
    for (size_t i = 0; i < OC_COUNT(ends); i++) {
        size_t len = strlen(ends[i]);
        if (id.len >= len && memcmp(id.ptr + id.len - len, ends[i], len) == 0) {
            return true;
        }
    }
    return false;
}

static void begin_rendering(
        struct cv_surface_full *s, const struct cv_value *body, const struct cv_blame *blame) {
    const struct cv_value *root = cv_value_get(body, "root"),
                          *styles = cv_value_get(body, "styles"),
                          *catalog = cv_value_get(body, "catalogId");
    oc_free(s->root);
    s->root = cv_id_of(root);
    if (!s->root) {
        WARN(blame, NULL, root ? "wrong-type" : "missing-property",
                "beginRendering: 'root' is %s, not a component's id: taken as 'root'",
                type_name(root));
        s->root = oc_strdup("root");
    }
    cv_value_destroy(s->styles);
    s->styles = NULL;
    if (cv_value_type_of(styles) == CV_V_MAP) {
        s->styles = cv_value_ref(styles);
        check_styles(styles, blame);
    } else if (styles && cv_value_type_of(styles) != CV_V_NULL) {
        WARN(blame, NULL, "wrong-type", "beginRendering: 'styles' is %s, not an object",
                type_name(styles));
    }
    oc_free(s->catalog_id);
    s->catalog_id = cv_id_of(catalog);
    if (s->catalog_id && !is_known_catalog(cv_value_string(catalog))) {
        cv_diags_add(blame->diags, CV_DIAG_NOTE, blame->line, blame->surface, NULL,
                "unknown-catalog", "catalogue '%.120s' is not known: the standard one is used",
                s->catalog_id);
    }
    s->pub.root = s->root;
    s->pub.styles = s->styles;
    s->pub.catalog_id = s->catalog_id;
}

static void model_apply_apply(
        struct cv_model *m, const struct cv_message *msg, struct cv_diags *diags) {
    struct cv_blame blame = { .diags = diags, .line = msg->line };
    if (cv_value_type_of(msg->body) != CV_V_MAP) {
        WARN(&blame, NULL, "wrong-type", "%s is %s, not an object: ignored",
                oc_message_names[msg->kind], type_name(msg->body));
        return;
    }
    m->messages++;
    OC_AUTO_FREE char *id = surface_id(msg->body, &blame);
    blame.surface = id;
    if (msg->kind == OC_MESSAGE_DELETE_SURFACE) {
        cv_model_drop(m, id);
        return;
    }
    struct cv_surface_full *s = cv_model_make(m, id);
    if (!s) {
        WARN(&blame, NULL, "too-many-surfaces", "more than %d surfaces: ignored", CV_MAX_SURFACES);
        return;
    }
    switch (msg->kind) {
    case OC_MESSAGE_SURFACE_UPDATE:
        surface_update(m, s, msg->body, &blame);
        break;
    case OC_MESSAGE_DATA_MODEL_UPDATE:
        cv_data_update(m, s, msg->body, &blame);
        s->has_new_data = true;
        break;
    case OC_MESSAGE_BEGIN_RENDERING:
        begin_rendering(s, msg->body, &blame);
        break;
    case OC_MESSAGE_DELETE_SURFACE:
    case OC_MESSAGE_KINDS:
        break;
    }
}

/* Lines are those of the last push. */
static void forget_lines(struct cv_model *m) {
    for (size_t i = 0; i < m->count; i++) {
        size_t pos = 0;
        const char *key;
        void *value;
        while (oc_map_next(m->surfaces[i]->components, &pos, &key, &value)) {
            ((struct cv_component_entry *)value)->pub.line = 0;
        }
    }
}

void cv_model_apply(struct cv_model *m, const struct cv_push *p, struct cv_diags *diags) {
    forget_lines(m);
    for (size_t i = 0; i < p->count; i++) {
        model_apply_apply(m, &p->items[i], diags);
    }
    for (size_t i = 0; i < m->count; i++) {
        if (m->surfaces[i]->has_new_data) {
            cv_init_again(m, m->surfaces[i], diags);
        }
        m->surfaces[i]->has_new_data = false;
    }
}
