/* Text: markdown, as large as its usageHint says. */
#include "canvas/input/input.h"
#include "canvas/rich/rich.h"
#include "canvas/scene/build.h"
#include "canvas/scene/scene.h"

#include <string.h>

#define BREAK_EM 4 /* nobody reads a column that is narrower */

struct text_state {
    struct cv_rich *rich;
    double empty_h; /* of a text without a character; < 0: it has some */
};

/* What is not known yet keeps a line free. Data that says "nothing" takes none, only a heading's
 * margin stays: as in a browser. */
static double empty_height(const struct cv_item *it, enum cv_text_hint hint) {
    const struct cv_font *font = &it->theme->text[hint];
    bool is_known = cv_item_path(it, "text").ptr && cv_item_value(it, "text");
    return is_known ? font->space_below : font->line_px;
}

static void text_resolve(struct cv_scene *s, struct cv_item *it) {
    static const char *const hints[] = { "body", "h1", "h2", "h3", "h4", "h5", "caption", NULL };
    struct text_state *st = it->state;
    const char *source = cv_item_text(s, it, "text");
    enum cv_text_hint hint = (enum cv_text_hint)cv_item_choice(s, it, "usageHint", hints, 0);
    st->rich = cv_markdown_parse(s->arena, s->texts, (struct oc_slice){ source, strlen(source) },
            it->theme, hint, &s->rich_left);
    if (s->rich_left.is_cut) {
        cv_build_tell(s, CV_DIAG_WARNING, NULL, "too-many-blocks", (struct oc_slice){ NULL, 0 },
                "more paragraphs and cells than a scene may have: the rest is left out");
    }
    it->text = st->rich->plain;
    st->empty_h = *source ? -1 : empty_height(it, hint);
}

static void text_intrinsic(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    const struct text_state *st = it->state;
    it->min_w = cv_rich_min_width(st->rich);
    it->max_w = cv_rich_max_width(st->rich);
    it->break_w = BREAK_EM * it->theme->text[CV_HINT_BODY].size_px;
}

/* In a container that has vanished its lines hang out instead of being one letter wide and hundreds
 * high. */
static double line_width(const struct cv_item *it) {
    return it->w > it->break_w ? it->w : it->break_w;
}

static void text_height(struct cv_scene *s, struct cv_item *it) {
    const struct text_state *st = it->state;
    it->nat_h = st->empty_h < 0 ? cv_rich_height(st->rich, line_width(it)) : st->empty_h;
    it->unknown_glyphs = s->diags ? cv_rich_unknown_glyphs(st->rich) : 0;
}

static void text_paint(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct text_state *st = it->state;
    cv_rich_paint(st->rich, dl, it->x, it->y, line_width(it), s->shown);
}

/* A press on a link is kept from the items around the text, and the release opens it. */
static bool text_pointer(struct cv_input *in, struct cv_item *it, enum cv_pointer what, double x,
        double y, unsigned mods) {
    (void)mods;
    const struct text_state *st = it->state;
    if (what != CV_POINTER_PRESS && what != CV_POINTER_RELEASE) {
        return false;
    }
    const char *url = cv_rich_link_at(st->rich, line_width(it), x - it->x, y - it->y);
    if (url && what == CV_POINTER_RELEASE && in->on_open) {
        in->on_open(in->user, url);
    }
    return url != NULL;
}

static const struct cv_widget_input text_input = {
    .pointer = text_pointer,
};

const struct cv_widget cv_widget_text = {
    .name = "Text",
    .state_size = sizeof(struct text_state),
    .resolve = text_resolve,
    .intrinsic = text_intrinsic,
    .height = text_height,
    .paint = text_paint,
    .input = &text_input,
};
