/* Tables drawn with box characters. Cells are one line of printable UTF-8 each (peer text through
 * cli_shown first); the table wraps them when it would be wider than the terminal. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum cli_style {
    CLI_STYLE_PLAIN,
    CLI_STYLE_BOLD,
    CLI_STYLE_DIM,
    CLI_STYLE_GOOD,
    CLI_STYLE_WARN,
    CLI_STYLE_BAD
};

struct cli_table;

/* Headers borrow. A header that starts with '#' (not shown) marks ids: when space is short they are
 * cut to a prefix that the command line still accepts, not wrapped. */
struct cli_table *cli_table_create(const char *const *headers, size_t columns);
void cli_table_destroy(struct cli_table *t);
/* Fills the rows cell by cell, left to right; text is copied, NULL counts as empty. */
void cli_table_add(struct cli_table *t, const char *text);
void cli_table_add_styled(struct cli_table *t, const char *text, enum cli_style style);
size_t cli_table_rows(const struct cli_table *t);
/* At most `width` columns wide where that is possible at all. */
void cli_table_render(const struct cli_table *t, size_t width, bool colour, struct oc_buf *out);

/* Escape sequence that starts the style, "" for plain; the end is always "\x1b[0m". */
const char *cli_style_start(enum cli_style style);

static inline void cli_auto_table(struct cli_table **t) {
    cli_table_destroy(*t);
}
#define CLI_AUTO_TABLE __attribute__((cleanup(cli_auto_table)))

#endif
