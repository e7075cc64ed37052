/* What the agent said: surfaces with components and data. Knows nothing of drawing.
 *
 *   JSONL ─ cv_push_parse ─▶ struct cv_push (all lines are good) ─ cv_model_apply ─▶ surfaces
 *
 * Component graph, data, bound values and templates follow the A2UI v0.8 rules that docs/CANVAS.md
 * lists. */
#ifndef CANVAS_MODEL_MODEL_H
#define CANVAS_MODEL_MODEL_H

#include "canvas/model/diag.h"
#include "canvas/model/limits.h"
#include "canvas/value/value.h"
#include "lib/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct cv_model;

struct cv_component {
    const char *id;
    const char *type;             /* "Button", as it was sent */
    const struct cv_value *props; /* a map, perhaps empty */
    bool has_weight;
    double weight; /* ≥ 0 */
    unsigned line;
    uint64_t defined; /* grows with every definition: another one is a new one */
};

struct cv_surface {
    const char *id;
    const char *root;              /* component id; NULL until beginRendering */
    const char *catalog_id;        /* or NULL */
    const struct cv_value *styles; /* map or NULL */
    const struct cv_value *data;   /* map, never NULL */
};

/* A push that has been read and checked as a whole. */
struct cv_push;

enum cv_push_fault {
    CV_PUSH_SYNTAX,     /* detail: what is wrong with the JSON */
    CV_PUSH_NOT_OBJECT, /* JSON, but not an object */
    CV_PUSH_V09,        /* detail: the key that is of A2UI v0.9 */
    CV_PUSH_KEYS,       /* detail: the keys that were found instead of exactly one, sorted */
    CV_PUSH_TOO_LARGE   /* detail: which ceiling */
};
struct cv_push_error {
    size_t line;   /* physical line from 1; of an array: the index from 0 */
    size_t column; /* from 1; 0: not known */
    enum cv_push_fault fault;
    char *detail;
};
struct cv_push_errors {
    struct cv_push_error *items;
    size_t count, dropped; /* past CV_MAX_DIAGNOSTICS only counted */
    size_t good;           /* messages that are right */
};
void cv_push_errors_clear(struct cv_push_errors *e); /* also frees */
/* "A2UI JSONL line 3: expected a JSON object" */
void cv_push_error_print(struct oc_buf *out, const struct cv_push_error *e);

/* All that is wrong, for a caller with words of its own. No message at all is no error here. True:
 * *ret is set. */
bool cv_push_read(
        const char *jsonl, size_t len, struct cv_push **ret, struct cv_push_errors *ret_errors);
/* The same in one text: every bad line as "A2UI JSONL line N: …", one a line, as many as fit. */
enum oc_code cv_push_parse(
        const char *jsonl, size_t len, struct cv_push **ret, struct oc_error *err) OC_MUST_USE;
/* The "messages" form: an array of objects; errors say messages[i]. */
enum oc_code cv_push_parse_array(
        const struct cv_value *messages, struct cv_push **ret, struct oc_error *err) OC_MUST_USE;
/* For tests. */
size_t cv_push_count(const struct cv_push *p);
void cv_push_destroy(struct cv_push *p);

struct cv_model *cv_model_create(void);
void cv_model_destroy(struct cv_model *m);
/* model_apply.c. Cannot fail; what is odd goes to diags (may be NULL). */
void cv_model_apply(struct cv_model *m, const struct cv_push *p, struct cv_diags *diags);
void cv_model_reset(struct cv_model *m);

size_t cv_model_surface_count(const struct cv_model *m); /* in order of first mention */
const struct cv_surface *cv_model_surface(const struct cv_model *m, size_t i);
const struct cv_surface *cv_model_find(const struct cv_model *m, const char *surface_id);
const struct cv_component *cv_surface_component(const struct cv_surface *s, const char *id);
/* For tests. */
size_t cv_surface_component_count(const struct cv_surface *s);

/* Where relative paths start. NULL is the root; template instances chain. Owned by the scene's
 * arena. */
struct cv_context {
    const struct cv_context *parent;
    const char *path;                /* absolute, normalised: "/items/2"; for people */
    const struct oc_slice *segments; /* the same, whatever is in the keys: "items", "2" */
    unsigned count;
};

/* The value that a path names, or NULL. In a template a leading "/" means the item first, the root
 * second. */
const struct cv_value *cv_surface_lookup(
        const struct cv_surface *s, const struct cv_context *c, struct oc_slice path);
/* Writes what a person entered; missing parents become maps. False past the limits. Inside a
 * template writes to the place that lookup reads, or below the item when there is none yet. */
bool cv_surface_write(struct cv_model *m, const struct cv_surface *s, const struct cv_context *c,
        struct oc_slice path, struct cv_value *take_value);

/* A BoundValue property: the literal, or the value at its path. NULL when unresolved or absent.
 * `bv` may be a bare literal (tolerated). */
const struct cv_value *cv_bound_resolve(
        const struct cv_surface *s, const struct cv_context *c, const struct cv_value *bv);
/* The path that an input writes to; an empty slice with NULL ptr when it has none. */
struct oc_slice cv_bound_path(const struct cv_value *bv);

/* {"surfaces":[{"id":…,"data":{…}}]} of `--dump data`. */
enum oc_code cv_model_print_data(struct oc_buf *out, const struct cv_model *m);

OC_DEFINE_AUTO(cv_push, struct cv_push);
OC_DEFINE_AUTO(cv_model, struct cv_model);

#endif
