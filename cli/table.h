/* Tables drawn with box characters. Cells are one line of printable UTF-8 each (peer text through
 * oc_shown first); the table wraps them when it would be wider than the terminal. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum oc_style {
    OC_STYLE_PLAIN,
    OC_STYLE_BOLD,
    OC_STYLE_DIM,
    OC_STYLE_GOOD,
    OC_STYLE_WARN,
    OC_STYLE_BAD
};

struct oc_table;

/* Headers borrow. A header that starts with '#' (not shown) marks ids: when space is short they are
 * cut to a prefix that the command line still accepts, not wrapped. */
struct oc_table *oc_table_create(const char *const *headers, size_t columns);
void oc_table_destroy(struct oc_table *t);
/* Fills the rows cell by cell, left to right; text is copied, NULL counts as empty. */
void oc_table_add(struct oc_table *t, const char *text);
void oc_table_add_styled(struct oc_table *t, const char *text, enum oc_style style);
size_t oc_table_rows(const struct oc_table *t);
/* At most `width` columns wide where that is possible at all. */
void oc_table_render(const struct oc_table *t, size_t width, bool colour, struct oc_buf *out);

/* Escape sequence that starts the style, "" for plain; the end is always "\x1b[0m". */
const char *oc_style_start(enum oc_style style);

static inline void oc_auto_table(struct oc_table **t) {
    oc_table_destroy(*t);
}
#define OC_AUTO_TABLE __attribute__((cleanup(oc_auto_table)))

#endif
