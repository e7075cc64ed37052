/* Where things stand in a JSON5 text, so that one value can be changed and the rest, comments and
 * all, stays as the owner wrote it.
 *
 * Only for texts that oc_json5_parse has accepted. Positions are byte offsets. */
#ifndef LIB_JSON_JSON5_SCAN_H
#define LIB_JSON_JSON5_SCAN_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Where the one value of the text stands, without the space around it. */
struct oc_slice oc_json5_root(struct oc_slice text);

/* One member of an object or item of an array. */
struct oc_json5_item {
    char *key;             /* decoded; NULL in arrays */
    size_t index;          /* 0, 1, … */
    struct oc_slice name;  /* the key as written; empty in arrays */
    struct oc_slice value; /* borrowed from the text */
    const char *comma;     /* behind the value, or NULL */
};
void oc_json5_item_finish(struct oc_json5_item *item);

/* Walks over a container, which is the raw text of one with its brackets. Start with a zeroed
 * cursor; the item is owned by the caller until oc_json5_item_finish. False at the end. */
struct oc_json5_cursor {
    size_t pos, index;
};
bool oc_json5_next(struct oc_slice container, struct oc_json5_cursor *c, struct oc_json5_item *ret);
/* The member with this key, or the item with this number. False when there is none or the value is
 * no container. */
bool oc_json5_find(struct oc_slice value, const char *key, struct oc_json5_item *ret);

/* Bytes of space and comments at the start of text. */
size_t oc_json5_blank(struct oc_slice text);
/* 1-based line and column (in characters) of a position. */
void oc_json5_position(struct oc_slice text, const char *at, unsigned *ret_line, unsigned *ret_col);

#endif
