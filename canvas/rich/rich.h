/* Text with structure: paragraphs, headings, lists, quotes, code, tables, rules. markdown.c makes it, rich.c measures and paints.
 * All of it lives in an arena; its shaped texts in the cache of text.h. */
#ifndef CANVAS_RICH_RICH_H
#define CANVAS_RICH_RICH_H

#include "canvas/display/display_list.h"
#include "canvas/model/arena.h"

struct oc_rich_link {
    size_t from, to; /* bytes of the block's text */
    const char *url;
    struct oc_rich_link *next;
};

struct oc_rich_table {
    size_t columns, rows;
    struct oc_text **cells; /* row by row; the first row is the head */
    double *widths;         /* of the columns, set by measuring */
    double *heights;        /* of the rows */
};

enum oc_rich_kind { OC_RICH_TEXT, OC_RICH_CODE, OC_RICH_RULE, OC_RICH_TABLE };
#define OC_RICH_MAX_BARS 8

struct oc_rich_block {
    enum oc_rich_kind kind;
    struct oc_rich_block *next;
    double left, right;     /* indents of lists and quotes */
    double above;           /* to the block before, margins collapsed */
    struct oc_text *text;   /* TEXT, CODE */
    struct oc_text *marker; /* of a list's item, stands left of it; NULL: none */
    struct oc_rich_table *table;
    struct oc_rich_link *links;
    const double *bars; /* where quotes' bars stand */
    unsigned bar_count;
    bool joins_bar;    /* the block before stands in the same quote */
    double x, y, w, h; /* set by measuring */
};

struct oc_rich {
    struct oc_rich_block *first, *last;
    double below; /* margin under the last block */
    const char *plain;
    oc_color rule, bar, code_back;
    double width; /* what y, w, h were made for; negative: none yet */
    double height;
};

double oc_rich_min_width(struct oc_rich *r);
double oc_rich_max_width(struct oc_rich *r);
double oc_rich_height(struct oc_rich *r, double width);
/* Leaves out what is far outside `shown`. */
void oc_rich_paint(struct oc_rich *r, struct oc_display_list *dl, double x, double y, double width,
        struct oc_rect shown);
unsigned oc_rich_unknown_glyphs(struct oc_rich *r); /* that no font has */
/* The link at this point of it, or NULL. */
const char *oc_rich_link_at(struct oc_rich *r, double width, double x, double y);

/* What the texts of a scene may still be: blocks and cells of tables; work is about what the parser does 25 ns long. */
struct oc_rich_budget {
    size_t blocks, work;
    bool is_cut; /* there were more blocks */
};

/* markdown.c. The hint makes the first line a heading, or everything a caption. Whatever cannot be drawn as it is meant is shown as
 * text: raw HTML, pictures' descriptions, links with odd schemes. */
struct oc_rich *oc_markdown_parse(struct oc_arena *arena, struct oc_texts *texts,
        struct oc_slice source, const struct oc_theme *theme, enum oc_text_hint hint,
        struct oc_rich_budget *budget);

#endif
