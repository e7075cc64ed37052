#include "cli/table.h"

#include "cli/text.h"
#include "lib/base/mem.h"

#include <string.h>

#define MAX_COLUMNS 8
#define ID_PREFIX 12 /* of 64 hex digits; six would already do */
#define MIN_WRAP 8   /* a wrapped column is never narrower */

struct cell {
    char *text;
    enum cli_style style;
};

struct cli_table {
    const char *headers[MAX_COLUMNS];
    bool is_id[MAX_COLUMNS];
    size_t columns;
    struct cell *cells; /* row by row */
    size_t cell_count;
};

struct cli_table *cli_table_create(const char *const *headers, size_t columns) {
    struct cli_table *t = oc_new(struct cli_table);
    t->columns = columns < MAX_COLUMNS ? columns : MAX_COLUMNS;
    for (size_t c = 0; c < t->columns; c++) {
        t->is_id[c] = headers[c][0] == '#';
        t->headers[c] = headers[c] + t->is_id[c];
    }
    return t;
}

void cli_table_destroy(struct cli_table *t) {
    if (!t) {
        return;
    }
    for (size_t i = 0; i < t->cell_count; i++) {
        oc_free(t->cells[i].text);
    }
    oc_free(t->cells);
    oc_free(t);
}

void cli_table_add_styled(struct cli_table *t, const char *text, enum cli_style style) {
    t->cells = oc_realloc(t->cells, (t->cell_count + 1) * sizeof(t->cells[0]));
    t->cells[t->cell_count++] =
            (struct cell){ .text = oc_strdup(text ? text : ""), .style = style };
}

void cli_table_add(struct cli_table *t, const char *text) {
    cli_table_add_styled(t, text, CLI_STYLE_PLAIN);
}

size_t cli_table_rows(const struct cli_table *t) {
    return t->columns > 0 ? t->cell_count / t->columns : 0;
}

const char *cli_style_start(enum cli_style style) {
    switch (style) {
    case CLI_STYLE_BOLD:
        return "\x1b[1m";
    case CLI_STYLE_DIM:
        return "\x1b[2m";
    case CLI_STYLE_GOOD:
        return "\x1b[32m";
    case CLI_STYLE_WARN:
        return "\x1b[33m";
    case CLI_STYLE_BAD:
        return "\x1b[31m";
    case CLI_STYLE_PLAIN:
        break;
    }
    return "";
}

static size_t table_total(const size_t *widths, size_t columns) {
    size_t sum = 1;
    for (size_t c = 0; c < columns; c++) {
        sum += widths[c] + 3;
    }
    return sum;
}

static void table_fit(const struct cli_table *t, size_t width, size_t *widths) {
    size_t least[MAX_COLUMNS];
    for (size_t c = 0; c < t->columns; c++) {
        size_t header = cli_text_width(t->headers[c], strlen(t->headers[c]));
        widths[c] = header;
        for (size_t i = c; i < t->cell_count; i += t->columns) {
            size_t w = cli_text_width(t->cells[i].text, strlen(t->cells[i].text));
            widths[c] = w > widths[c] ? w : widths[c];
        }
        least[c] = header > MIN_WRAP ? header : MIN_WRAP;
        least[c] = least[c] < widths[c] ? least[c] : widths[c];
    }
    for (size_t c = 0; c < t->columns && table_total(widths, t->columns) > width; c++) {
        if (t->is_id[c] && widths[c] > ID_PREFIX) {
            widths[c] = least[c] = ID_PREFIX;
        }
    }
    while (table_total(widths, t->columns) > width) {
        size_t widest = t->columns;
        for (size_t c = 0; c < t->columns; c++) {
            if (widths[c] > least[c] && (widest == t->columns || widths[c] > widths[widest])) {
                widest = c;
            }
        }
        if (widest == t->columns) {
            return; /* a very narrow terminal: let it wrap the lines */
        }
        widths[widest]--;
    }
}

static void table_pad(struct oc_buf *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        oc_buf_putc(out, ' ');
    }
}

static void table_rule(const struct cli_table *t, const size_t *widths, const char *left,
        const char *middle, const char *right, struct oc_buf *out) {
    oc_buf_puts(out, left);
    for (size_t c = 0; c < t->columns; c++) {
        for (size_t i = 0; i < widths[c] + 2; i++) {
            oc_buf_puts(out, "─");
        }
        oc_buf_puts(out, c + 1 < t->columns ? middle : right);
    }
    oc_buf_putc(out, '\n');
}

static void put_piece(struct oc_buf *out, const char *text, size_t len, size_t width,
        enum cli_style style, bool colour) {
    bool styled = colour && style != CLI_STYLE_PLAIN && len > 0;
    oc_buf_putc(out, ' ');
    if (styled) {
        oc_buf_puts(out, cli_style_start(style));
    }
    oc_buf_append(out, text, len);
    if (styled) {
        oc_buf_puts(out, "\x1b[0m");
    }
    size_t used = cli_text_width(text, len);
    table_pad(out, (used < width ? width - used : 0) + 1);
}

static void put_row(const struct cli_table *t, const size_t *widths, const char *const *texts,
        const enum cli_style *styles, bool colour, struct oc_buf *out) {
    const char *at[MAX_COLUMNS];
    memcpy(at, texts, t->columns * sizeof(at[0]));
    bool more = true;
    while (more) {
        more = false;
        for (size_t c = 0; c < t->columns; c++) {
            size_t next = 0, len = cli_text_wrap(at[c], widths[c], &next);
            oc_buf_puts(out, "│");
            put_piece(out, at[c], len, widths[c], styles[c], colour);
            at[c] += t->is_id[c] ? strlen(at[c]) : next;
            more = more || *at[c];
        }
        oc_buf_puts(out, "│\n");
    }
}

void cli_table_render(const struct cli_table *t, size_t width, bool colour, struct oc_buf *out) {
    size_t widths[MAX_COLUMNS];
    const char *texts[MAX_COLUMNS];
    enum cli_style styles[MAX_COLUMNS];
    table_fit(t, width, widths);
    table_rule(t, widths, "┌", "┬", "┐", out);
    for (size_t c = 0; c < t->columns; c++) {
        texts[c] = t->headers[c];
        styles[c] = CLI_STYLE_BOLD;
    }
    put_row(t, widths, texts, styles, colour, out);
    table_rule(t, widths, "├", "┼", "┤", out);
    for (size_t r = 0; r < cli_table_rows(t); r++) {
        for (size_t c = 0; c < t->columns; c++) {
            texts[c] = t->cells[r * t->columns + c].text;
            styles[c] = t->cells[r * t->columns + c].style;
        }
        put_row(t, widths, texts, styles, colour, out);
    }
    table_rule(t, widths, "└", "┴", "┘", out);
}
