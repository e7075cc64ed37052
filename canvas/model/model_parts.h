/* What a model is made of, for model*.c. */
#ifndef CANVAS_MODEL_MODEL_PARTS_H
#define CANVAS_MODEL_MODEL_PARTS_H

#include "canvas/model/data_path.h"
#include "canvas/model/model.h"
#include "lib/base/map.h"

struct oc_component_entry {
    struct oc_component pub; /* first: the public pointer is this one's */
    char *id, *type;
    struct oc_value *props;
    size_t bytes;
    uint64_t message; /* number of the message that defined it last */
    bool has_both;    /* a property with a path and a literal */
};

struct oc_surface_full {
    struct oc_surface pub; /* first */
    char *id, *root, *catalog_id;
    struct oc_value *styles, *data;
    struct oc_map *components; /* id → struct oc_component_entry */
    struct oc_map *templated; /* ids that stand at or below a template's component → themselves */
    uint64_t born;            /* number of the message that made it: an id may be used again */
    size_t values;            /* in data */
    bool has_new_data;        /* in this push: literals may be gone */
    size_t bytes;             /* about, of data and components */
};

struct oc_model {
    struct oc_surface_full *surfaces[OC_CANVAS_MAX_SURFACES]; /* in order of first mention */
    size_t count;
    uint64_t messages; /* applied so far */
    uint64_t definitions;
};

/* Words of one message's diagnostics. */
struct oc_blame {
    struct oc_diags *diags;
    unsigned line;
    const char *surface;
};

struct oc_surface_full *oc_model_full(const struct oc_model *m, const struct oc_surface *s);
void oc_model_drop(struct oc_model *m, const char *surface_id);
/* The surface of this id, made when it is new; NULL when there are too many. */
struct oc_surface_full *oc_model_make(struct oc_model *m, const char *surface_id);
bool oc_model_has_room(const struct oc_model *m, size_t more_bytes);

/* A string as an id: U+0000 becomes U+FFFD. NULL when it is not a string, empty, or too long. */
char *oc_id_from(struct oc_slice s);
char *oc_id_of(const struct oc_value *v);

/* model_data.c */
void oc_data_update(struct oc_model *m, struct oc_surface_full *s, const struct oc_value *body,
        const struct oc_blame *blame);
/* Puts a value at a place: missing and scalar parents become maps. False past the limits, or inside an array where no element
 * is; why says so. */
bool oc_data_put(struct oc_model *m, struct oc_surface_full *s, const struct oc_place *place,
        struct oc_value *take_value, const char **ret_why);

/* model_init.c: "path" and a literal together. */
void oc_init_mark_templates(struct oc_surface_full *s, struct oc_component_entry *c);
void oc_init_component(struct oc_model *m, struct oc_surface_full *s, struct oc_component_entry *c,
        const struct oc_blame *blame);
/* After data came: literals whose place has no value any more are written again. */
void oc_init_again(struct oc_model *m, struct oc_surface_full *s, struct oc_diags *diags);
/* In a template: what the item has no value for. Called for each instance. */
void oc_init_instance(struct oc_model *m, const struct oc_surface *s, const struct oc_context *c,
        const struct oc_component *component);

/* catalog.c */
void oc_catalog_check(const struct oc_component *c, const struct oc_blame *blame);

#endif
