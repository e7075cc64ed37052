#include "canvas/scene/locals.h"

#include "canvas/model/model_parts.h"
#include "canvas/scene/history.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"

#include <string.h>

#define MAX_UNSEEN ((size_t)2 * CV_MAX_ITEMS) /* kept for components that are not shown now */

struct local_entry {
    struct cv_local pub; /* first */
    char *key;           /* begins with the ids of surface and component, a line end between them */
    uint32_t surface_len, component_len;
    bool is_claimed; /* ever */
    unsigned copies; /* further items with the same id in that build */
    uint64_t born;   /* of its surface */
    uint64_t claim;  /* the build that has used it */
};

struct cv_locals {
    struct oc_map *entries; /* key → struct local_entry */
    uint64_t builds;
};

struct cv_locals *cv_locals_create(void) {
    struct cv_locals *l = oc_new(struct cv_locals);
    l->entries = oc_map_create();
    return l;
}

static void locals_forget(struct local_entry *e) {
    cv_value_destroy(e->pub.draft);
    cv_value_destroy(e->pub.draft_of);
    oc_free(e->pub.filter);
    oc_free(e->pub.preedit);
    cv_history_destroy(e->pub.history);
    e->pub = (struct cv_local){ .highlight = -1 };
}

static void entry_destroy(struct local_entry *e) {
    locals_forget(e);
    oc_free(e->key);
    oc_free(e);
}

void cv_locals_destroy(struct cv_locals *l) {
    if (!l) {
        return;
    }
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(l->entries, &pos, &key, &value)) {
        entry_destroy(value);
    }
    oc_map_destroy(l->entries);
    oc_free(l);
}

static struct local_entry *entry_of(struct cv_locals *l, const char *key) {
    struct local_entry *e = oc_map_get(l->entries, key);
    if (e) {
        return e;
    }
    e = oc_new(struct local_entry);
    e->key = oc_strdup(key);
    locals_forget(e);
    oc_map_put(l->entries, key, e);
    return e;
}

void cv_locals_begin(struct cv_locals *l) {
    l->builds++;
}

struct cv_local *cv_locals_claim(struct cv_locals *l, const struct cv_surface *surface,
        const struct cv_component *component, const char *id, const char **ret_key) {
    uint64_t born = ((const struct cv_surface_full *)surface)->born;
    char small[256];
    size_t before = strlen(surface->id), len = strlen(id), size = before + len + 2;
    OC_AUTO_FREE char *large = size <= sizeof(small) ? NULL : oc_alloc(size);
    char *wanted = large ? large : small;
    memcpy(wanted, surface->id, before);
    wanted[before] = '\n';
    memcpy(wanted + before + 1, id, len + 1);
    struct local_entry *e = entry_of(l, wanted);
    for (struct local_entry *first = e;
            e->claim == l->builds;) { /* ids may look like a copy's key */
        OC_AUTO_FREE char *key = oc_strfmt("%s\n%u", first->key, ++first->copies + 1);
        e = entry_of(l, key);
    }
    e->claim = l->builds;
    e->copies = 0;
    if (e->born != born || !e->is_claimed) {
        locals_forget(e);
        e->is_claimed = true;
        e->surface_len = (uint32_t)before;
        e->component_len = (uint32_t)strlen(component->id);
        e->born = born;
    }
    *ret_key = e->key;
    return &e->pub;
}

/* A field in a tab that is not shown keeps what was typed, as long as the agent keeps the
 * component. */
static bool is_alive(const struct local_entry *e, const struct cv_model *m) {
    if (!e->is_claimed) {
        return false;
    }
    OC_AUTO_FREE char *surface = oc_strndup(e->key, e->surface_len),
                      *component = oc_strndup(e->key + e->surface_len + 1, e->component_len);
    const struct cv_surface *s = cv_model_find(m, surface);
    return s && ((const struct cv_surface_full *)s)->born == e->born &&
           cv_surface_component(s, component);
}

/* Made anew it would be the same. */
static bool is_untouched(const struct cv_local *l) {
    return l->selected == 0 && !l->open && !(l->scroll_x > 0) && !(l->scroll_y > 0) &&
           l->caret == 0 && l->anchor == 0 && !l->draft && !l->draft_of && !l->filter &&
           !l->preedit && !l->history && l->highlight == -1 && l->over == 0 && l->closed == 0;
}

void cv_locals_end(struct cv_locals *l, const struct cv_model *m) {
    size_t pos = 0, unseen = 0, count = 0;
    const char *key;
    void *value;
    struct local_entry **dead = oc_new_array(struct local_entry *, oc_map_count(l->entries));
    while (oc_map_next(l->entries, &pos, &key, &value)) {
        struct local_entry *e = value;
        bool is_shown = e->claim == l->builds;
        if (!is_shown && (is_untouched(&e->pub) || !is_alive(e, m) || unseen++ >= MAX_UNSEEN)) {
            dead[count++] = e;
        }
    }
    for (size_t i = 0; i < count; i++) {
        oc_map_remove(l->entries, dead[i]->key);
        entry_destroy(dead[i]);
    }
    oc_free(dead);
}

size_t cv_locals_count(const struct cv_locals *l) {
    return oc_map_count(l->entries);
}
