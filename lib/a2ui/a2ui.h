/* The grammar of a push of A2UI v0.8: what its lines are, and what makes an object a message. The
 * command line looks at a push before it sends it, the canvas before it shows it; each has its own
 * JSON and its own words for what is wrong. */
#ifndef LIB_A2UI_A2UI_H
#define LIB_A2UI_A2UI_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* A push without messages, in the words of the reference. */
#define OC_A2UI_EMPTY "no JSONL messages found"

enum oc_message_kind {
    OC_MESSAGE_BEGIN_RENDERING,
    OC_MESSAGE_DATA_MODEL_UPDATE,
    OC_MESSAGE_DELETE_SURFACE,
    OC_MESSAGE_SURFACE_UPDATE,
    OC_MESSAGE_KINDS
};
extern const char *const oc_message_names[OC_MESSAGE_KINDS];

/* Starts as { .at = jsonl, .end = jsonl + len }. */
struct oc_a2ui_lines {
    const char *at, *end;
    size_t number; /* of the line that was returned last; the first is 1 */
};

/* The next line that is not blank, without the space around it. */
bool oc_a2ui_next_line(struct oc_a2ui_lines *lines, struct oc_slice *ret);

/* Which of A2UI's keys an object has. A message of v0.8 has exactly one kind and no key of v0.9. */
struct oc_a2ui_keys {
    size_t kinds;              /* how many */
    enum oc_message_kind kind; /* one of them, if any */
    bool creates_surface;      /* as only v0.9 does */
    const char *newer;         /* a key of v0.9, or NULL; createSurface before others */
};

typedef bool oc_a2ui_has_fn(const void *object, const char *key);
struct oc_a2ui_keys oc_a2ui_keys_of(const void *object, oc_a2ui_has_fn *has);

#endif
