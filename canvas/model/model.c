#include "canvas/model/model_parts.h"

#include "lib/base/mem.h"
#include "lib/json/json.h"

#include <string.h>

struct cv_model *cv_model_create(void) {
    return oc_new(struct cv_model);
}

static void entry_destroy(struct cv_component_entry *c) {
    oc_free(c->id);
    oc_free(c->type);
    cv_value_destroy(c->props);
    oc_free(c);
}

static void surface_destroy(struct cv_surface_full *s) {
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(s->components, &pos, &key, &value)) {
        entry_destroy(value);
    }
    oc_map_destroy(s->components);
    oc_map_destroy(s->templated);
    cv_value_destroy(s->styles);
    cv_value_destroy(s->data);
    oc_free(s->id);
    oc_free(s->root);
    oc_free(s->catalog_id);
    oc_free(s);
}

void cv_model_reset(struct cv_model *m) {
    for (size_t i = 0; i < m->count; i++) {
        surface_destroy(m->surfaces[i]);
    }
    m->count = 0;
}

void cv_model_destroy(struct cv_model *m) {
    if (!m) {
        return;
    }
    cv_model_reset(m);
    oc_free(m);
}

size_t cv_model_surface_count(const struct cv_model *m) {
    return m->count;
}

const struct cv_surface *cv_model_surface(const struct cv_model *m, size_t i) {
    return i < m->count ? &m->surfaces[i]->pub : NULL;
}

static size_t model_find(const struct cv_model *m, const char *surface_id) {
    size_t i = 0;
    while (i < m->count && strcmp(m->surfaces[i]->id, surface_id) != 0) {
        i++;
    }
    return i;
}

const struct cv_surface *cv_model_find(const struct cv_model *m, const char *surface_id) {
    return cv_model_surface(m, model_find(m, surface_id));
}

struct cv_surface_full *cv_model_full(const struct cv_model *m, const struct cv_surface *s) {
    for (size_t i = 0; i < m->count; i++) {
        if (&m->surfaces[i]->pub == s) {
            return m->surfaces[i];
        }
    }
    return NULL;
}

void cv_model_drop(struct cv_model *m, const char *surface_id) {
    size_t i = model_find(m, surface_id);
    if (i == m->count) {
        return;
    }
    surface_destroy(m->surfaces[i]);
    m->count--;
    for (; i < m->count; i++) {
        m->surfaces[i] = m->surfaces[i + 1];
    }
}

struct cv_surface_full *cv_model_make(struct cv_model *m, const char *surface_id) {
    size_t i = model_find(m, surface_id);
    if (i < m->count) {
        return m->surfaces[i];
    }
    if (m->count == CV_MAX_SURFACES) {
        return NULL;
    }
    struct cv_surface_full *s = oc_new(struct cv_surface_full);
    s->id = oc_strdup(surface_id);
    s->components = oc_map_create();
    s->templated = oc_map_create();
    s->data = cv_value_create(CV_V_MAP);
    s->values = 1;
    s->born = m->messages;
    s->pub = (struct cv_surface){ .id = s->id, .data = s->data };
    m->surfaces[m->count++] = s;
    return s;
}

bool cv_model_has_room(const struct cv_model *m, size_t more_bytes) {
    for (size_t i = 0; i < m->count; i++) {
        more_bytes += m->surfaces[i]->bytes;
    }
    return more_bytes <= CV_MAX_MODEL_BYTES;
}

const struct cv_component *cv_surface_component(const struct cv_surface *s, const char *id) {
    return oc_map_get(((const struct cv_surface_full *)s)->components, id);
}

size_t cv_surface_component_count(const struct cv_surface *s) {
    return oc_map_count(((const struct cv_surface_full *)s)->components);
}

char *cv_id_from(struct oc_slice s) {
    if (!s.len || s.len > CV_MAX_ID) {
        return NULL;
    }
    if (!memchr(s.ptr, 0, s.len)) {
        return oc_strndup(s.ptr, s.len);
    }
    OC_AUTO_BUF struct oc_buf id = OC_BUF_INIT(3 * CV_MAX_ID + 1);
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i]) {
            oc_buf_putc(&id, s.ptr[i]);
        } else {
            oc_buf_puts(&id, "\xef\xbf\xbd");
        }
    }
    return oc_buf_take(&id);
}

char *cv_id_of(const struct cv_value *v) {
    return cv_id_from(cv_value_string(v));
}

enum oc_code cv_model_print_data(struct oc_buf *out, const struct cv_model *m) {
    oc_buf_puts(out, "{\"surfaces\":[");
    for (size_t i = 0; i < m->count; i++) {
        oc_buf_puts(out, i ? ",{\"id\":" : "{\"id\":");
        oc_json_append_string(out, m->surfaces[i]->id, strlen(m->surfaces[i]->id));
        oc_buf_puts(out, ",\"data\":");
        cv_value_print(out, m->surfaces[i]->data);
        oc_buf_putc(out, '}');
    }
    return oc_buf_puts(out, "]}");
}
