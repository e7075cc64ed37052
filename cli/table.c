#include "cli/table.h"

#include "cli/text.h"
#include "lib/base/mem.h"

#include <string.h>

#define MAX_COLUMNS 8
#define ID_PREFIX 12    /* of 64 hex digits; six would already do */
#define MIN_WIDTH 8     /* no column gets narrower, whatever it holds */
#define NAME_WIDTH 12   /* of a name that is still told from others */
#define TEXT_WIDTH 16   /* of a text that reads well in lines */
#define LONGEST_WORD 24 /* what is longer is broken */
#define MAX_LINES 3     /* of a text in one row */

struct cell {
    char *text;
    enum cli_style style;
};

struct cli_table {
    struct cli_column columns[MAX_COLUMNS];
    size_t count;       /* of columns */
    struct cell *cells; /* row by row */
    size_t cell_count;
};

struct cli_table *cli_table_create(const char *const *headers, size_t count) {
    struct cli_column columns[MAX_COLUMNS] = { 0 };
    for (size_t c = 0; c < count && c < MAX_COLUMNS; c++) {
        bool is_id = headers[c][0] == '#';
        columns[c].header = headers[c] + is_id;
        columns[c].kind = is_id ? CLI_COLUMN_ID : CLI_COLUMN_WHOLE;
    }
    return cli_table_create_of(columns, count);
}

struct cli_table *cli_table_create_of(const struct cli_column *columns, size_t count) {
    struct cli_table *t = oc_new(struct cli_table);
    t->count = count < MAX_COLUMNS ? count : MAX_COLUMNS;
    memcpy(t->columns, columns, t->count * sizeof(t->columns[0]));
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
    return t->count > 0 ? t->cell_count / t->count : 0;
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

/* How a table is laid out: what each column holds, and what is left of it. */
struct table_fit {
    const struct cli_table *table;
    bool is_terse;
    size_t natural[MAX_COLUMNS]; /* as wide as its widest cell */
    size_t least[MAX_COLUMNS];   /* narrower, and words are broken */
    size_t widths[MAX_COLUMNS];
    bool is_empty[MAX_COLUMNS]; /* all of its cells */
    bool is_shown[MAX_COLUMNS];
};

static size_t smaller_of(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t larger_of(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t whole_width(const char *s) {
    return cli_text_width(s, strlen(s));
}

/* Of the words that a line may be broken between. */
static size_t longest_word(const char *s) {
    size_t longest = 0;
    while (*s) {
        size_t next = 0, len = cli_text_word(s, &next);
        longest = larger_of(longest, cli_text_width(s, len));
        s += next;
    }
    return longest;
}

static enum cli_column_kind kind_of(const struct table_fit *f, size_t c) {
    enum cli_column_kind kind = f->table->columns[c].kind;
    bool is_cut = kind == CLI_COLUMN_NAME || kind == CLI_COLUMN_TEXT;
    return is_cut && !f->is_terse ? CLI_COLUMN_WHOLE : kind;
}

static void measure_column(struct table_fit *f, size_t c) {
    const struct cli_table *t = f->table;
    enum cli_column_kind kind = kind_of(f, c);
    size_t header = whole_width(t->columns[c].header), word = header;
    f->natural[c] = header;
    f->is_empty[c] = true;
    for (size_t i = c; i < t->cell_count; i += t->count) {
        f->natural[c] = larger_of(f->natural[c], whole_width(t->cells[i].text));
        word = larger_of(word, longest_word(t->cells[i].text));
        f->is_empty[c] = f->is_empty[c] && !*t->cells[i].text;
    }
    size_t least = kind == CLI_COLUMN_FIXED  ? f->natural[c]
                   : kind == CLI_COLUMN_ID   ? ID_PREFIX
                   : kind == CLI_COLUMN_NAME ? MIN_WIDTH
                                             : smaller_of(word, LONGEST_WORD);
    f->least[c] = smaller_of(larger_of(larger_of(least, header), MIN_WIDTH), f->natural[c]);
}

/* What is still good to read. */
static size_t comfort_of(const struct table_fit *f, size_t c) {
    enum cli_column_kind kind = kind_of(f, c);
    size_t want = kind == CLI_COLUMN_FIXED || kind == CLI_COLUMN_ID ? f->least[c]
                  : kind == CLI_COLUMN_NAME                         ? NAME_WIDTH
                                                                    : TEXT_WIDTH;
    return smaller_of(larger_of(want, f->least[c]), f->natural[c]);
}

static size_t total_of(const struct table_fit *f, const size_t *widths) {
    size_t sum = 1;
    for (size_t c = 0; c < f->table->count; c++) {
        sum += f->is_shown[c] ? widths[c] + 3 : 0;
    }
    return sum;
}

/* Smaller is left out first: a column in which there is nothing, then by its `drop`. */
static size_t drop_rank(const struct table_fit *f, size_t c) {
    return f->is_empty[c] ? 0 : f->table->columns[c].drop;
}

static bool drop_column(struct table_fit *f) {
    size_t found = f->table->count;
    for (size_t c = 0; c < f->table->count; c++) {
        bool is_next = found == f->table->count || drop_rank(f, c) < drop_rank(f, found);
        if (f->is_shown[c] && f->table->columns[c].drop > 0 && is_next) {
            found = c;
        }
    }
    if (found < f->table->count) {
        f->is_shown[found] = false;
    }
    return found < f->table->count;
}

/* Makes the widest column narrower until the table fits, none beyond its floor. */
static void narrow_columns(struct table_fit *f, size_t width, const size_t *floors) {
    size_t count = f->table->count;
    while (total_of(f, f->widths) > width) {
        size_t widest = count;
        for (size_t c = 0; c < count; c++) {
            bool can = f->is_shown[c] && f->widths[c] > floors[c];
            if (can && (widest == count || f->widths[c] > f->widths[widest])) {
                widest = c;
            }
        }
        if (widest == count) {
            return;
        }
        f->widths[widest]--;
    }
}

/* Ids are shortened first, then columns are left out, then texts wrap. */
static void fit_table(
        struct table_fit *f, const struct cli_table *t, const struct cli_table_look *look) {
    size_t comfort[MAX_COLUMNS], broken[MAX_COLUMNS];
    *f = (struct table_fit){ .table = t, .is_terse = look->is_terse };
    for (size_t c = 0; c < t->count; c++) {
        f->is_shown[c] = true;
        measure_column(f, c);
        comfort[c] = comfort_of(f, c);
        broken[c] = smaller_of(f->least[c], MIN_WIDTH);
        f->widths[c] = f->natural[c];
    }
    if (total_of(f, f->natural) <= look->width) {
        return;
    }
    bool can_drop = look->is_terse;
    while (can_drop && total_of(f, comfort) > look->width) {
        can_drop = drop_column(f);
    }
    for (size_t c = 0; c < t->count && total_of(f, f->widths) > look->width; c++) {
        f->widths[c] = kind_of(f, c) == CLI_COLUMN_ID ? f->least[c] : f->widths[c];
    }
    narrow_columns(f, look->width, comfort);
    narrow_columns(f, look->width, f->least);
    narrow_columns(f, look->width, broken); /* what is left is wrapped by the terminal */
}

static void table_pad(struct oc_buf *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        oc_buf_putc(out, ' ');
    }
}

static void table_rule(const struct table_fit *f, const char *left, const char *middle,
        const char *right, struct oc_buf *out) {
    const char *before = left;
    for (size_t c = 0; c < f->table->count; c++) {
        if (!f->is_shown[c]) {
            continue;
        }
        oc_buf_puts(out, before);
        for (size_t i = 0; i < f->widths[c] + 2; i++) {
            oc_buf_puts(out, "─");
        }
        before = middle;
    }
    oc_buf_puts(out, right);
    oc_buf_putc(out, '\n');
}

/* What keeps words together is a space to who copies it. */
static void put_spaced(struct oc_buf *out, const char *text, size_t len) {
    const char *end = text + len, *space;
    while ((space = memmem(text, (size_t)(end - text), CLI_NO_BREAK_SPACE, 2))) {
        oc_buf_append(out, text, (size_t)(space - text));
        oc_buf_putc(out, ' ');
        text = space + 2;
    }
    oc_buf_append(out, text, (size_t)(end - text));
}

struct table_piece {
    const char *text;
    size_t len, width;
    bool is_cut; /* "…" behind it */
};

static void put_piece(
        struct oc_buf *out, const struct table_piece *p, enum cli_style style, bool colour) {
    bool styled = colour && style != CLI_STYLE_PLAIN && p->len > 0;
    oc_buf_putc(out, ' ');
    if (styled) {
        oc_buf_puts(out, cli_style_start(style));
    }
    put_spaced(out, p->text, p->len);
    oc_buf_puts(out, p->is_cut ? "…" : "");
    if (styled) {
        oc_buf_puts(out, "\x1b[0m");
    }
    size_t used = cli_text_width(p->text, p->len) + p->is_cut;
    table_pad(out, (used < p->width ? p->width - used : 0) + 1);
}

/* The next line of a cell, and where the one after it starts. */
static struct table_piece next_piece(
        const struct table_fit *f, size_t c, size_t line, const char **at) {
    enum cli_column_kind kind = kind_of(f, c);
    struct table_piece p = { .text = *at, .width = f->widths[c] };
    size_t next = 0, room = f->widths[c];
    bool is_last = kind == CLI_COLUMN_NAME || (kind == CLI_COLUMN_TEXT && line + 1 == MAX_LINES);
    if (is_last && whole_width(*at) > room) {
        p.is_cut = true;
        p.len = cli_text_cut(*at, room - 1);
        next = strlen(*at);
    } else {
        p.len = cli_text_wrap(*at, room, &next);
    }
    *at += kind == CLI_COLUMN_ID ? strlen(*at) : next;
    return p;
}

static void put_row(const struct table_fit *f, const char *const *texts,
        const enum cli_style *styles, bool colour, struct oc_buf *out) {
    const char *at[MAX_COLUMNS];
    memcpy(at, texts, f->table->count * sizeof(at[0]));
    bool more = true;
    for (size_t line = 0; more; line++) {
        more = false;
        for (size_t c = 0; c < f->table->count; c++) {
            if (f->is_shown[c]) {
                struct table_piece p = next_piece(f, c, line, &at[c]);
                oc_buf_puts(out, "│");
                put_piece(out, &p, styles[c], colour);
                more = more || *at[c];
            }
        }
        oc_buf_puts(out, "│\n");
    }
}

void cli_table_render(
        const struct cli_table *t, const struct cli_table_look *look, struct oc_buf *out) {
    const char *texts[MAX_COLUMNS];
    enum cli_style styles[MAX_COLUMNS];
    struct table_fit f;
    fit_table(&f, t, look);
    table_rule(&f, "┌", "┬", "┐", out);
    for (size_t c = 0; c < t->count; c++) {
        texts[c] = t->columns[c].header;
        styles[c] = CLI_STYLE_BOLD;
    }
    put_row(&f, texts, styles, look->colour, out);
    table_rule(&f, "├", "┼", "┤", out);
    for (size_t r = 0; r < cli_table_rows(t); r++) {
        for (size_t c = 0; c < t->count; c++) {
            texts[c] = t->cells[r * t->count + c].text;
            styles[c] = t->cells[r * t->count + c].style;
        }
        put_row(&f, texts, styles, look->colour, out);
    }
    table_rule(&f, "└", "┴", "┘", out);
}
