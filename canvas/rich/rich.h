/* Text with structure: paragraphs, headings, lists, quotes, code, tables, rules. markdown.c makes
 * it, rich.c measures and paints. All of it lives in an arena; its shaped texts in the cache of
 * text.h. */
#ifndef CANVAS_RICH_RICH_H
#define CANVAS_RICH_RICH_H

#include "canvas/display/display_list.h"
#include "canvas/value/arena.h"

struct cv_rich_link {
    size_t from, to; /* bytes of the block's text */
    const char *url;
    struct cv_rich_link *next;
};

struct cv_rich_table {
    size_t columns, rows;
    struct cv_text **cells; /* row by row; the first row is the head */
    double *widths;         /* of the columns, set by measuring */
    double *heights;        /* of the rows */
};

enum cv_rich_kind { CV_RICH_TEXT, CV_RICH_CODE, CV_RICH_RULE, CV_RICH_TABLE };
#define CV_RICH_MAX_BARS 8

struct cv_rich_block {
    enum cv_rich_kind kind;
    struct cv_rich_block *next;
    double left, right;     /* indents of lists and quotes */
    double above;           /* to the block before, margins collapsed */
    struct cv_text *text;   /* TEXT, CODE */
    struct cv_text *marker; /* of a list's item, stands left of it; NULL: none */
    struct cv_rich_table *table;
    struct cv_rich_link *links;
    const double *bars; /* where quotes' bars stand */
    unsigned bar_count;
    bool joins_bar;    /* the block before stands in the same quote */
    double x, y, w, h; /* set by measuring */
};

struct cv_rich {
    struct cv_rich_block *first, *last;
    double below; /* margin under the last block */
    const char *plain;
    cv_color rule, bar, code_back;
    double width; /* what y, w, h were made for; negative: none yet */
    double height;
};

double cv_rich_min_width(struct cv_rich *r);
double cv_rich_max_width(struct cv_rich *r);
double cv_rich_height(struct cv_rich *r, double width);
/* Leaves out what is far outside `shown`. */
void cv_rich_paint(struct cv_rich *r, struct cv_display_list *dl, double x, double y, double width,
        struct cv_rect shown);
unsigned cv_rich_unknown_glyphs(struct cv_rich *r); /* that no font has */
/* The link at this point of it, or NULL. */
const char *cv_rich_link_at(struct cv_rich *r, double width, double x, double y);

/* What the texts of a scene may still be: blocks and cells of tables; work is about what the parser
 * does 25 ns long. */
struct cv_rich_budget {
    size_t blocks, work;
    bool is_cut; /* there were more blocks */
};

/* markdown.c. The hint makes the first line a heading, or everything a caption. Whatever cannot be
 * drawn as it is meant is shown as text: raw HTML, pictures' descriptions, links with odd
 * schemes. */
struct cv_rich *cv_markdown_parse(struct cv_arena *arena, struct cv_texts *texts,
        struct oc_slice source, const struct cv_theme *theme, enum cv_text_hint hint,
        struct cv_rich_budget *budget);

#endif
