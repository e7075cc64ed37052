#include "canvas/rich/rich.h"

#include <math.h>

#define CELL_PAD_X 10.0
#define CELL_PAD_Y 4.0
#define CODE_PAD_X 12.0
#define CODE_PAD_Y 8.0
#define MARKER_GAP 8.0
#define BAR_PX 3.0
#define OUTSIDE_PX 64.0 /* letters hang out of their lines no further */
#define RULE_PX 2.0     /* with the line in its upper half, as in browsers */

static double cell_max(const struct cv_rich_table *t, size_t column, bool is_min) {
    double w = 0;
    for (size_t row = 0; row < t->rows; row++) {
        struct cv_text *cell = t->cells[row * t->columns + column];
        w = fmax(w, is_min ? cv_text_min_width(cell) : cv_text_max_width(cell));
    }
    return w + 2 * CELL_PAD_X;
}

static double table_width(const struct cv_rich_table *t, bool is_min) {
    double w = 0;
    for (size_t c = 0; c < t->columns; c++) {
        w += cell_max(t, c, is_min);
    }
    return w;
}

static double block_width(const struct cv_rich_block *b, bool is_min) {
    switch (b->kind) {
    case CV_RICH_TEXT:
        return is_min ? cv_text_min_width(b->text) : cv_text_max_width(b->text);
    case CV_RICH_CODE:
        return (is_min ? cv_text_min_width(b->text) : cv_text_max_width(b->text)) + 2 * CODE_PAD_X;
    case CV_RICH_TABLE:
        return table_width(b->table, is_min);
    case CV_RICH_RULE:
        break;
    }
    return 0;
}

static double rich_widest(struct cv_rich *r, bool is_min) {
    double w = 0;
    for (const struct cv_rich_block *b = r->first; b; b = b->next) {
        w = fmax(w, b->left + b->right + block_width(b, is_min));
    }
    return w;
}

double cv_rich_min_width(struct cv_rich *r) {
    return rich_widest(r, true);
}

double cv_rich_max_width(struct cv_rich *r) {
    return rich_widest(r, false);
}

/* Columns get what they ask for, or share what there is between their least and their most. */
static void size_table(struct cv_rich_table *t, double width, double *ret_w, double *ret_h) {
    double least = table_width(t, true), most = table_width(t, false);
    double share = most <= width ? 1 : most > least ? fmax(width - least, 0) / (most - least) : 0;
    *ret_w = *ret_h = 0;
    for (size_t c = 0; c < t->columns; c++) {
        double lo = cell_max(t, c, true), hi = cell_max(t, c, false);
        t->widths[c] = lo + (hi - lo) * share;
        *ret_w += t->widths[c];
    }
    for (size_t row = 0; row < t->rows; row++) {
        t->heights[row] = 0;
        for (size_t c = 0; c < t->columns; c++) {
            t->heights[row] = fmax(t->heights[row],
                    cv_text_height(t->cells[row * t->columns + c], t->widths[c] - 2 * CELL_PAD_X));
        }
        t->heights[row] += 2 * CELL_PAD_Y + 1;
        *ret_h += t->heights[row];
    }
}

static void size_block(struct cv_rich_block *b, double width) {
    b->x = fmin(b->left, width * 0.6); /* deep lists keep some room for their words */
    b->w = fmax(width - b->x - fmin(b->right, width * 0.2), 1);
    switch (b->kind) {
    case CV_RICH_TEXT:
        b->h = cv_text_height(b->text, b->w);
        break;
    case CV_RICH_CODE:
        b->h = cv_text_height(b->text, fmax(b->w - 2 * CODE_PAD_X, 1));
        break;
    case CV_RICH_RULE:
        b->h = RULE_PX;
        break;
    case CV_RICH_TABLE:
        size_table(b->table, b->w, &b->w, &b->h);
        break;
    }
}

double cv_rich_height(struct cv_rich *r, double width) {
    if (r->width == width) {
        return r->height;
    }
    double y = 0;
    for (struct cv_rich_block *b = r->first; b; b = b->next) {
        size_block(b, width);
        b->y = y + b->above;
        y = b->y + b->h;
    }
    r->width = width;
    r->height = y + r->below;
    return r->height;
}

static bool is_near(struct cv_rect shown, double y, double h) {
    return y + h + OUTSIDE_PX > shown.y && y - OUTSIDE_PX < shown.y + shown.h;
}

static void paint_row(const struct cv_rich *r, const struct cv_rich_block *b, size_t row,
        struct cv_display_list *dl, double x, double y) {
    const struct cv_rich_table *t = b->table;
    double at = x;
    for (size_t c = 0; c < t->columns; c++) {
        cv_dl_text(dl, at + CELL_PAD_X, y + CELL_PAD_Y, t->widths[c] - 2 * CELL_PAD_X,
                t->cells[row * t->columns + c]);
        at += t->widths[c];
    }
    cv_dl_box(dl, (struct cv_rect){ x, y + t->heights[row] - 1, b->w, 1 }, 0, r->rule, 0, 0);
}

static void paint_table(const struct cv_rich *r, const struct cv_rich_block *b,
        struct cv_display_list *dl, double x, double y, struct cv_rect shown) {
    const struct cv_rich_table *t = b->table;
    if (t->rows) {
        cv_dl_box(dl, (struct cv_rect){ x, y, b->w, t->heights[0] }, 4, r->code_back, 0, 0);
    }
    for (size_t row = 0; row < t->rows; row++) {
        if (is_near(shown, y, t->heights[row])) {
            paint_row(r, b, row, dl, x, y);
        }
        y += t->heights[row];
    }
}

static void paint_block(const struct cv_rich *r, const struct cv_rich_block *b,
        struct cv_display_list *dl, double x, double y, struct cv_rect shown) {
    for (unsigned i = 0; i < b->bar_count; i++) {
        double up = b->joins_bar ? b->above : 0;
        cv_dl_box(dl, (struct cv_rect){ x + b->bars[i], y + b->y - up, BAR_PX, b->h + up },
                BAR_PX / 2, r->bar, 0, 0);
    }
    x += b->x;
    y += b->y;
    if (b->marker) {
        double w = cv_text_max_width(b->marker);
        cv_dl_text(dl, x - w - MARKER_GAP, y, w, b->marker);
    }
    switch (b->kind) {
    case CV_RICH_TEXT:
        cv_dl_text(dl, x, y, b->w, b->text);
        break;
    case CV_RICH_CODE: {
        struct cv_rect back = { x, y - CODE_PAD_Y, b->w, b->h + 2 * CODE_PAD_Y };
        cv_dl_box(dl, back, 6, r->code_back, 0, 0);
        cv_dl_text(dl, x + CODE_PAD_X, y, fmax(b->w - 2 * CODE_PAD_X, 1), b->text);
        break;
    }
    case CV_RICH_RULE:
        cv_dl_box(dl, (struct cv_rect){ x, y, b->w, RULE_PX / 2 }, 0, r->rule, 0, 0);
        break;
    case CV_RICH_TABLE:
        paint_table(r, b, dl, x, y, shown);
        break;
    }
}

void cv_rich_paint(struct cv_rich *r, struct cv_display_list *dl, double x, double y, double width,
        struct cv_rect shown) {
    (void)cv_rich_height(r, width);
    for (const struct cv_rich_block *b = r->first; b; b = b->next) {
        if (is_near(shown, y + b->y - b->above, b->h + b->above)) {
            paint_block(r, b, dl, x, y, shown);
        }
    }
}

unsigned cv_rich_unknown_glyphs(struct cv_rich *r) {
    unsigned n = 0;
    for (const struct cv_rich_block *b = r->first; b; b = b->next) {
        if (b->text) {
            n += cv_text_unknown_glyphs(b->text, b->w);
        }
        for (size_t i = 0; b->table && i < b->table->columns * b->table->rows; i++) {
            n += cv_text_unknown_glyphs(b->table->cells[i], b->w);
        }
    }
    return n;
}

const char *cv_rich_link_at(struct cv_rich *r, double width, double x, double y) {
    (void)cv_rich_height(r, width);
    for (const struct cv_rich_block *b = r->first; b; b = b->next) {
        if (!b->links || x < b->x || x >= b->x + b->w || y < b->y || y >= b->y + b->h) {
            continue;
        }
        size_t at = cv_text_index_at(b->text, b->w, x - b->x, y - b->y);
        for (const struct cv_rich_link *l = b->links; l; l = l->next) {
            if (at >= l->from && at < l->to) {
                return l->url;
            }
        }
    }
    return NULL;
}
