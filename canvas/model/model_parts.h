/* What a model is made of, for model*.c. */
#ifndef CANVAS_MODEL_MODEL_PARTS_H
#define CANVAS_MODEL_MODEL_PARTS_H

#include "canvas/model/data_path.h"
#include "canvas/model/model.h"
#include "lib/base/map.h"

struct cv_component_entry {
    struct cv_component pub; /* first: the public pointer is this one's */
    char *id, *type;
    struct cv_value *props;
    size_t bytes;
    uint64_t message; /* number of the message that defined it last */
    bool has_both;    /* a property with a path and a literal */
};

struct cv_surface_full {
    struct cv_surface pub; /* first */
    char *id, *root, *catalog_id;
    struct cv_value *styles, *data;
    struct oc_map *components; /* id → struct cv_component_entry */
    struct oc_map *templated; /* ids that stand at or below a template's component → themselves */
    uint64_t born;            /* number of the message that made it: an id may be used again */
    size_t values;            /* in data */
    bool has_new_data;        /* in this push: literals may be gone */
    size_t bytes;             /* about, of data and components */
};

struct cv_model {
    struct cv_surface_full *surfaces[CV_MAX_SURFACES]; /* in order of first mention */
    size_t count;
    uint64_t messages; /* applied so far */
    uint64_t definitions;
};

/* Words of one message's diagnostics. */
struct cv_blame {
    struct cv_diags *diags;
    unsigned line;
    const char *surface;
};

struct cv_surface_full *cv_model_full(const struct cv_model *m, const struct cv_surface *s);
void cv_model_drop(struct cv_model *m, const char *surface_id);
/* The surface of this id, made when it is new; NULL when there are too many. */
struct cv_surface_full *cv_model_make(struct cv_model *m, const char *surface_id);
bool cv_model_has_room(const struct cv_model *m, size_t more_bytes);

/* A string as an id: U+0000 becomes U+FFFD. NULL when it is not a string, empty, or too long. */
char *cv_id_from(struct oc_slice s);
char *cv_id_of(const struct cv_value *v);

/* model_data.c */
void cv_data_update(struct cv_model *m, struct cv_surface_full *s, const struct cv_value *body,
        const struct cv_blame *blame);
/* Puts a value at a place: missing and scalar parents become maps. False past the limits, or inside
 * an array where no element is; why says so. */
bool cv_data_put(struct cv_model *m, struct cv_surface_full *s, const struct cv_place *place,
        struct cv_value *take_value, const char **ret_why);

/* model_init.c: "path" and a literal together. */
void cv_init_mark_templates(struct cv_surface_full *s, struct cv_component_entry *c);
void cv_init_component(struct cv_model *m, struct cv_surface_full *s, struct cv_component_entry *c,
        const struct cv_blame *blame);
/* After data came: literals whose place has no value any more are written again. */
void cv_init_again(struct cv_model *m, struct cv_surface_full *s, struct cv_diags *diags);
/* In a template: what the item has no value for. Called for each instance. */
void cv_init_instance(struct cv_model *m, const struct cv_surface *s, const struct cv_context *c,
        const struct cv_component *component);

/* catalog.c */
void cv_catalog_check(const struct cv_component *c, const struct cv_blame *blame);

#endif
