/* Reading the members of a frame that stays text, with complaints worded like the reference's and
 * joined by "; ".
 *
 * For frames and params that stay text; what becomes a tree is read through field tables. */
#ifndef LIB_PROTOCOL_SHAPE_H
#define LIB_PROTOCOL_SHAPE_H

#include "lib/json/json_scan.h"

struct oc_shape {
    struct oc_buf complaints;
    enum oc_cause cause; /* of one of them that somebody acts on */
};

#define OC_SHAPE_INIT ((struct oc_shape){ .complaints = OC_BUF_INIT(390) })

void oc_shape_complain(struct oc_shape *s, const char *fmt, ...) OC_PRINTF(2, 3);
/* "must have required property", if it is not there. */
void oc_shape_require(struct oc_shape *s, const struct oc_json_pick *p);
/* "unexpected property" about every member of a valid object whose name is none of names, which has
 * spaces between them. */
void oc_shape_names(struct oc_shape *s, struct oc_slice object, const char *names);
/* A copy of the string, 1…max bytes; NULL when absent, or wrong (after complaining). */
char *oc_shape_string(struct oc_shape *s, const struct oc_json_pick *p, size_t max);
/* As above, null counts as absent. */
char *oc_shape_string_or_null(struct oc_shape *s, const struct oc_json_pick *p, size_t max);
bool oc_shape_bool(struct oc_shape *s, const struct oc_json_pick *p);
/* An integer ≥ 0, or -1 when absent or null. */
int64_t oc_shape_count(struct oc_shape *s, const struct oc_json_pick *p);
/* OC_E_INVALID with all complaints if there were any; UNKNOWN_PROPERTY, if one is about a name. */
enum oc_code oc_shape_finish(struct oc_shape *s, struct oc_error *err);

/* Present and not null. */
static inline bool oc_pick_has(const struct oc_json_pick *p) {
    return p->found && p->value.kind != OC_JK_NULL;
}

#endif
