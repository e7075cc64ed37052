/* Tables drawn with box characters. Cells are one line of printable UTF-8 each (peer text through
 * cli_shown first). A table that would be wider than the terminal shortens ids and names, then
 * leaves out columns, then wraps texts. A no-break space keeps two words of a cell on one line; it
 * is printed as a space. */
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

enum cli_column_kind {
    CLI_COLUMN_WHOLE, /* wraps as often as it must: nothing of it is lost */
    CLI_COLUMN_TEXT,  /* wraps, three lines at most */
    CLI_COLUMN_NAME,  /* stays on one line, cut with "…" */
    CLI_COLUMN_FIXED, /* a time, a request: never cut, and broken only where nothing else helps */
    CLI_COLUMN_ID,    /* cut to a prefix that the command line still accepts */
};

struct cli_column {
    const char *header; /* borrowed */
    enum cli_column_kind kind;
    unsigned drop; /* 0: always shown; else empty ones are left out first, then 1, 2 … */
};

/* All columns are whole. A header that starts with '#' (not shown) marks ids. */
struct cli_table *cli_table_create(const char *const *headers, size_t count);
struct cli_table *cli_table_create_of(const struct cli_column *columns, size_t count);
void cli_table_destroy(struct cli_table *t);
/* Fills the rows cell by cell, left to right; text is copied, NULL counts as empty. */
void cli_table_add(struct cli_table *t, const char *text);
void cli_table_add_styled(struct cli_table *t, const char *text, enum cli_style style);
size_t cli_table_rows(const struct cli_table *t);

struct cli_table_look {
    size_t width; /* at most, where that is possible at all */
    bool colour;
    bool is_terse; /* for a person at a terminal: otherwise no column is left out, no text cut */
};
void cli_table_render(
        const struct cli_table *t, const struct cli_table_look *look, struct oc_buf *out);

/* Escape sequence that starts the style, "" for plain; the end is always "\x1b[0m". */
const char *cli_style_start(enum cli_style style);

static inline void cli_auto_table(struct cli_table **t) {
    cli_table_destroy(*t);
}
#define CLI_AUTO_TABLE __attribute__((cleanup(cli_auto_table)))

#endif
