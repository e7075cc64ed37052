/* The grammar of a push of A2UI v0.8: where its messages are, and what makes an object a message.
 * The command line looks at a push before it sends it, the canvas before it shows it, and the node
 * keeps it; each has its own JSON and its own words for what is wrong. */
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

/* The messages of a push, one after the other. A push is a message a line, as the reference has it;
 * or, as the examples of the specification come, objects of many lines and arrays of messages. By
 * brackets alone: what is between them is for the caller's parser. */
struct oc_a2ui_reader {
    size_t line;     /* on which the message that was returned last starts; the first is 1 */
    bool is_lines;   /* a message a line */
    bool has_arrays; /* some came in an array: it is not the reference's form */
    /* private: */
    const char *text, *at, *end, *counted;
    struct oc_slice array; /* what is left of one */
};

void oc_a2ui_begin(struct oc_a2ui_reader *r, const char *text, size_t len);
/* The next message without the space around it. What is not JSON is returned as well, for the
 * caller to complain about: a line of it, or all that is left when there are no lines. */
bool oc_a2ui_next(struct oc_a2ui_reader *r, struct oc_slice *ret);
/* Where a byte of the message that was returned last is; the column in characters from 1. */
void oc_a2ui_place(
        const struct oc_a2ui_reader *r, const char *at, size_t *ret_line, size_t *ret_column);
/* A message as a line of JSONL. */
enum oc_code oc_a2ui_put_line(struct oc_buf *out, struct oc_slice message);

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
