/* Slider: label and value on one line, the track below it. Moves in hundredths of its range. */
#include "canvas/widgets/field.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 100
#define TRACK_H 18 /* the row that can be dragged in */
#define LINE_H 4
#define KNOB 16
#define DEFAULT_W 133
#define GAP 8
#define MIN_W 60

struct slider_state {
    double min, max, value;
    struct oc_text *label, *shown; /* label: NULL when there is none */
};

/* A number, or a text that is one. */
static bool number_of(const struct oc_value *v, double *ret) {
    double n = oc_value_number(v);
    if (oc_value_type(v) == OC_V_STRING) {
        char text[64] = "", *end = text;
        struct oc_slice s = oc_value_string(v);
        if (s.len == 0 || s.len >= sizeof(text)) {
            return false;
        }
        memcpy(text, s.ptr, s.len);
        n = strtod(text, &end);
        if (end == text || *end) {
            return false;
        }
    } else if (oc_value_type(v) != OC_V_NUMBER) {
        return false;
    }
    if (!isfinite(n)) {
        return false;
    }
    *ret = n;
    return true;
}

static void range_of(const struct oc_item *it, double *ret_min, double *ret_max) {
    *ret_min = 0;
    (void)number_of(oc_item_prop(it, "minValue"), ret_min);
    *ret_max = *ret_min < 100 ? 100 : *ret_min + 100;
    if (number_of(oc_item_prop(it, "maxValue"), ret_max) && *ret_max < *ret_min) {
        *ret_max = *ret_min;
    }
    if (!isfinite(*ret_max - *ret_min)) {
        *ret_max = *ret_min;
    }
}

static double value_of(const struct oc_item *it) {
    double min, max, v;
    range_of(it, &min, &max);
    v = min;
    (void)number_of(oc_input_value(it, "value"), &v);
    return fmin(fmax(v, min), max);
}

static void resolve(struct oc_scene *s, struct oc_item *it) {
    struct slider_state *st = it->state;
    const struct oc_theme *t = it->theme;
    range_of(it, &st->min, &st->max);
    st->value = value_of(it);
    const char *label = oc_item_text(s, it, "label");
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(400);
    (void)oc_number_to_text(&text, st->value);
    char *shown = oc_arena_strndup(s->arena, text.data ? text.data : "", text.len);
    if (label[0]) {
        st->label = oc_field_line(s, t, label, t->text_color);
        oc_item_shows(it, st->label);
    }
    st->shown = oc_field_line(s, t, shown, label[0] ? t->muted : t->text_color);
    it->text = label[0] ? label : shown;
}

static void intrinsic(struct oc_scene *s, struct oc_item *it) {
    (void)s;
    const struct slider_state *st = it->state;
    double texts = oc_text_max_width(st->shown);
    if (st->label) {
        texts += GAP + oc_text_max_width(st->label);
    }
    it->min_w = MIN_W;
    it->max_w = fmax(DEFAULT_W, texts);
}

static void height(struct oc_scene *s, struct oc_item *it) {
    (void)s;
    it->nat_h = oc_field_line_px(it->theme) + TRACK_H;
}

static struct oc_rect track(const struct oc_item *it) {
    return (struct oc_rect){ it->x + KNOB / 2.0,
        it->y + oc_field_line_px(it->theme) + (TRACK_H - LINE_H) / 2.0, fmax(it->w - KNOB, 1),
        LINE_H };
}

static void paint(struct oc_scene *s, const struct oc_item *it, struct oc_display_list *dl) {
    const struct slider_state *st = it->state;
    const struct oc_theme *t = it->theme;
    double value_w = ceil(oc_text_max_width(st->shown));
    if (st->label) {
        oc_dl_text(dl, it->x, it->y, fmax(it->w - value_w - GAP, 0), st->label);
    }
    oc_dl_text(dl, st->label ? it->x + it->w - value_w : it->x, it->y, value_w, st->shown);
    struct oc_rect r = track(it), done = r;
    double share = st->max > st->min ? (st->value - st->min) / (st->max - st->min) : 0;
    done.w = r.w * share;
    oc_dl_box(dl, r, LINE_H / 2.0, t->track, 0, 0);
    if (done.w > 0) {
        oc_dl_box(dl, done, LINE_H / 2.0, t->primary, 0, 0);
    }
    bool is_held = oc_item_is(it, s->pressed);
    double px = is_held ? KNOB + 2 : KNOB;
    struct oc_rect knob = { r.x + done.w - px / 2, r.y + LINE_H / 2.0 - px / 2, px, px };
    bool is_lit = is_held || oc_item_is(it, s->hover);
    oc_dl_box(dl, knob, px / 2, t->primary, is_lit ? t->focus : t->primary, 2);
    oc_field_ring(s, it, knob, px / 2, dl);
}

/* The nearest step, with no more decimals than the step needs: 0.45, not 0.45000000000000001. */
static double snap(double v, double min, double max) {
    double step = (max - min) / STEPS;
    if (!(step > 0)) {
        return min;
    }
    v = min + round((v - min) / step) * step;
    double scale = pow(10, 2 - floor(log10(step)));
    if (isfinite(scale) && scale >= 1 && fabs(v * scale) < 1e15) {
        v = round(v * scale) / scale;
    }
    return fmin(fmax(v, min), max);
}

static void set(struct oc_input *in, struct oc_item *it, double v) {
    double min, max, now = value_of(it);
    range_of(it, &min, &max);
    v = snap(v, min, max);
    if (fabs(v - now) > 0 || !oc_input_value(it, "value")) {
        oc_input_write(in, it, "value", oc_value_create_number(v));
    }
}

static bool pointer(struct oc_input *in, struct oc_item *it, enum oc_pointer what, double x,
        double y, unsigned mods) {
    (void)mods;
    struct oc_rect row = { it->x, it->y + oc_field_line_px(it->theme), it->w, TRACK_H };
    bool is_dragged = oc_item_is(it, in->pressed);
    if (!is_dragged && (what != OC_POINTER_PRESS || !oc_rect_holds(row, x, y))) {
        return false;
    }
    double min, max;
    struct oc_rect r = track(it);
    range_of(it, &min, &max);
    if (what != OC_POINTER_RELEASE) {
        set(in, it, min + (max - min) * fmin(fmax((x - r.x) / r.w, 0), 1));
    }
    return true;
}

static bool key(struct oc_input *in, struct oc_item *it, enum oc_key key, unsigned mods) {
    double min, max, v = value_of(it);
    range_of(it, &min, &max);
    double step = (max - min) / STEPS;
    if (mods & (OC_MOD_CTRL | OC_MOD_ALT)) {
        return false;
    }
    switch (key) {
    case OC_KEY_LEFT:
    case OC_KEY_DOWN:
        v -= step;
        break;
    case OC_KEY_RIGHT:
    case OC_KEY_UP:
        v += step;
        break;
    case OC_KEY_PAGE_DOWN:
        v -= 10 * step;
        break;
    case OC_KEY_PAGE_UP:
        v += 10 * step;
        break;
    case OC_KEY_HOME:
        v = min;
        break;
    case OC_KEY_END:
        v = max;
        break;
    default:
        return false;
    }
    set(in, it, v);
    return true;
}

static void say_state(struct oc_scene *s, const struct oc_item *it, struct oc_buf *out) {
    (void)s;
    const struct slider_state *st = it->state;
    if (st->label) {
        (void)oc_number_to_text(out, st->value);
    }
    (void)oc_buf_puts(out, st->label ? " of " : "of ");
    (void)oc_number_to_text(out, st->min);
    (void)oc_buf_puts(out, " to ");
    (void)oc_number_to_text(out, st->max);
}

static const struct oc_widget_input input = {
    .pointer = pointer,
    .key = key,
    .state = say_state,
    .takes_focus = true,
};

const struct oc_widget oc_widget_slider = {
    .name = "Slider",
    .state_size = sizeof(struct slider_state),
    .resolve = resolve,
    .intrinsic = intrinsic,
    .height = height,
    .paint = paint,
    .input = &input,
};
