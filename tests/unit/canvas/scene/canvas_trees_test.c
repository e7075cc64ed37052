/* Random trees of containers: nothing overlaps or leaves its parent that should not, and all
 * numbers are good. */
#include "tests/unit/canvas/canvas_world.h"

#include <math.h>

#define EPS 0.02

static uint32_t seed;

static unsigned dice(unsigned n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 10) % n;
}

static const char *one_of(const char *const *names, unsigned n) {
    return names[dice(n)];
}

static void add_props(struct oc_buf *out, const char *type) {
    static const char *const distributions[] = { "start", "center", "end", "spaceBetween",
        "spaceAround", "spaceEvenly" };
    static const char *const alignments[] = { "start", "center", "end", "stretch" };
    if (dice(2)) {
        oc_buf_printf(out, "'distribution':'%s',", one_of(distributions, 6));
    }
    if (dice(2)) {
        oc_buf_printf(out, "'alignment':'%s',", one_of(alignments, 4));
    }
    if (strcmp(type, "List") == 0 && dice(2)) {
        oc_buf_puts(out, "'direction':'horizontal',");
    }
}

/* Component i has its children among the later ones, so that there are no cycles; some stand in two
 * places. */
static void add_component(struct oc_buf *out, unsigned i, unsigned count) {
    static const char *const types[] = { "Row", "Column", "List", "Card", "Tabs", "Modal",
        "Divider", "Text", "Button" };
    const char *type = i == 0 ? "Column" : one_of(types, 9);
    unsigned left = count - i - 1;
    oc_buf_printf(out, "%s{'id':'%s%u',", i ? "," : "", i ? "c" : "root", i);
    if (dice(3) == 0) {
        oc_buf_printf(out, "'weight':%u.%u,", dice(4), dice(10));
    }
    oc_buf_printf(out, "'component':{'%s':{", type);
    if (left == 0 || strcmp(type, "Text") == 0) {
        oc_buf_printf(out, "'text':{'literalString':'%.*s'}", (int)dice(60),
                "some words of a text that may be long enough to need a second line");
    } else if (strcmp(type, "Divider") == 0) {
        oc_buf_printf(out, "'axis':'%s'", dice(2) ? "vertical" : "horizontal");
    } else if (strcmp(type, "Card") == 0 || strcmp(type, "Button") == 0) {
        oc_buf_printf(out, "'child':'c%u','action':{'name':'x'}", i + 1 + dice(left));
    } else if (strcmp(type, "Modal") == 0) {
        oc_buf_printf(out, "'entryPointChild':'c%u','contentChild':'c%u'", i + 1 + dice(left),
                i + 1 + dice(left));
    } else if (strcmp(type, "Tabs") == 0) {
        oc_buf_printf(out, "'tabItems':[{'title':{'literalString':'t'},'child':'c%u'}]",
                i + 1 + dice(left));
    } else {
        add_props(out, type);
        oc_buf_puts(out, "'children':{'explicitList':[");
        unsigned kids = dice(5);
        for (unsigned k = 0; k < kids; k++) {
            oc_buf_printf(out, "%s'c%u'", k ? "," : "", i + 1 + dice(left < 6 ? left : 6));
        }
        oc_buf_puts(out, "]}");
    }
    oc_buf_puts(out, "}}}");
}

static void check_numbers(const struct cv_item *it) {
    const double all[] = { it->x, it->y, it->w, it->h, it->min_w, it->max_w, it->nat_h, it->over_x,
        it->over_y };
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        assert_true(isfinite(all[i]) && fabs(all[i]) <= 1e7);
    }
    assert_true(it->w >= 0 && it->h >= 0 && it->min_w <= it->max_w + EPS);
}

/* Widths of a row's children fill it, unless there is nothing that grows or too much that cannot
 * shrink. */
static void check_row(struct cv_scene *s, struct cv_item *row) {
    double sum = 0, weights = 0, at = -1e9;
    unsigned n = 0;
    for (struct cv_item *c = cv_first(s, row); c; c = cv_next(s, row, c), n++) {
        sum += c->w + (n ? row->theme->row_gap : 0);
        weights += c->has_weight && !c->widget->ignores_weight ? c->weight : 0;
        assert_true(c->widget->may_vanish || c->w >= c->break_w - EPS);
        assert_true(c->x >= at - EPS); /* in order, not overlapping */
        at = c->x + c->w;
    }
    if (weights >= 1) {
        assert_true(sum >= row->w - EPS);
    }
    if (row->w >= row->max_w) {
        assert_true(sum <= row->w + EPS);
    }
}

static void check_column(struct cv_scene *s, struct cv_item *column) {
    double at = -1e9;
    for (struct cv_item *c = cv_first(s, column); c; c = cv_next(s, column, c)) {
        assert_true(c->y >= at - EPS);
        at = c->y + c->h;
        assert_true(c->h >= c->nat_h - EPS);
        assert_true(c->w <= fmax(column->w, c->min_w) + EPS);
        if (column->w >= c->min_w) {
            assert_true(c->x >= column->x - EPS && c->x + c->w <= column->x + column->w + EPS);
        }
    }
}

static void check(struct world *w) {
    struct cv_scene *s = &w->scene;
    for (unsigned i = 0; i < s->count; i++) {
        struct cv_item *it = &s->items[i];
        const struct cv_item *up = &s->items[it->parent];
        check_numbers(it);
        if (strcmp(it->widget->name, "Row") == 0) {
            check_row(s, it);
        }
        if (strcmp(it->widget->name, "Column") == 0) {
            check_column(s, it);
        }
        /* below its parent's top, and, where heights are free, above its bottom */
        if (up != it && !it->overlay && !up->clips) {
            assert_true(it->y >= up->y - EPS && it->y + it->h <= up->y + up->h + EPS);
        }
    }
    struct cv_display_list *dl = cv_dl_create();
    cv_scene_paint(s, dl);
    int depth = 0;
    for (size_t i = 0; i < cv_dl_count(dl); i++) {
        const struct cv_dl_op *op = cv_dl_at(dl, i);
        depth += op->kind == CV_DL_CLIP ? 1 : op->kind == CV_DL_UNCLIP ? -1 : 0;
        assert_true(depth >= 0);
        assert_true(isfinite(op->rect.x) && isfinite(op->rect.y) && isfinite(op->rect.w));
    }
    assert_int_equal(depth, 0);
    cv_dl_destroy(dl);
}

static void trees(void **state) {
    (void)state;
    for (unsigned run = 0; run < 1500; run++) {
        seed = run * 2654435761u + 1;
        struct world w;
        world_init(&w, 40 + dice(1000), dice(3) ? 0 : 100 + dice(500));
        OC_AUTO_BUF struct oc_buf all = OC_BUF_INIT(100000);
        unsigned count = 2 + dice(40);
        oc_buf_puts(&all, "{'surfaceUpdate':{'surfaceId':'main','components':[");
        for (unsigned i = 0; i < count; i++) {
            add_component(&all, i, count);
        }
        oc_buf_puts(&all, "]}}\n{'beginRendering':{'surfaceId':'main','root':'root0'}}");
        world_push(&w, all.data);
        check(&w);
        for (unsigned i = 0; i < w.scene.count; i++) {
            if (strcmp(w.scene.items[i].widget->name, "Modal") == 0) {
                w.scene.items[i].local->open = true;
            }
            w.scene.items[i].local->scroll_x = dice(100);
            w.scene.items[i].local->scroll_y = dice(100);
        }
        w.scene.scroll_y = dice(200);
        world_scene(&w);
        check(&w);
        for (int i = 0; i < 20; i++) {
            (void)cv_scene_hit(&w.scene, dice(1000), dice(1000));
        }
        world_finish(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(trees) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
