/* The A2UI messages that the canvas has taken, so that a canvas program that died comes back with
 * the same surfaces. Messages whose effect is gone are dropped: of deleted surfaces, data that was
 * replaced, components that were all sent again. */
#ifndef NODE_CANVAS_CANVAS_KEPT_H
#define NODE_CANVAS_CANVAS_KEPT_H

#include "lib/base/buf.h"

#include <stdbool.h>

#define ND_MAX_CANVAS_KEPT ((size_t)32 * 1024 * 1024)
#define ND_MAX_CANVAS_MESSAGES 100000
/* As canvas/model/limits.h has them: the canvas ignores what is past these, and so it is not
 * kept. */
#define ND_MAX_CANVAS_SURFACES 64
#define ND_MAX_CANVAS_PATH 64
#define ND_MAX_CANVAS_ID 1024

struct nd_canvas_kept;

struct nd_canvas_kept *nd_canvas_kept_create(void);
void nd_canvas_kept_destroy(struct nd_canvas_kept *k); /* NULL is fine */
/* Lines that the canvas has accepted. Past a ceiling all is forgotten, and false says so: it will
 * not come back. */
bool nd_canvas_kept_add(struct nd_canvas_kept *k, const char *jsonl, size_t len);
/* What a person entered: {"surfaceId","path":[…],"value"}. Kept until a message says something else
 * about its place. */
void nd_canvas_kept_enter(struct nd_canvas_kept *k, const char *entry, size_t len);
void nd_canvas_kept_clear(struct nd_canvas_kept *k);
bool nd_canvas_kept_is_empty(const struct nd_canvas_kept *k);
/* Messages from *at on, as JSONL of about max bytes, and one at least; *at, at first 0, moves on.
 * Or, with *ret_entered, what was entered between two of them. False: there are no more. */
bool nd_canvas_kept_next(
        struct nd_canvas_kept *k, size_t *at, size_t max, struct oc_buf *ret, bool *ret_entered);

#endif
