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
    struct cv_text *label, *shown; /* label: NULL when there is none */
};

/* A number, or a text that is one. */
static bool number_of(const struct cv_value *v, double *ret) {
    double n = cv_value_number(v);
    if (cv_value_type_of(v) == CV_V_STRING) {
        char text[64] = "", *end = text;
        struct oc_slice s = cv_value_string(v);
        if (s.len == 0 || s.len >= sizeof(text)) {
            return false;
        }
        memcpy(text, s.ptr, s.len);
        n = strtod(text, &end);
        if (end == text || *end) {
            return false;
        }
    } else if (cv_value_type_of(v) != CV_V_NUMBER) {
        return false;
    }
    if (!isfinite(n)) {
        return false;
    }
    *ret = n;
    return true;
}

static void range_of(const struct cv_item *it, double *ret_min, double *ret_max) {
    *ret_min = 0;
    (void)number_of(cv_item_prop(it, "minValue"), ret_min);
    *ret_max = *ret_min < 100 ? 100 : *ret_min + 100;
    if (number_of(cv_item_prop(it, "maxValue"), ret_max) && *ret_max < *ret_min) {
        *ret_max = *ret_min;
    }
    if (!isfinite(*ret_max - *ret_min)) {
        *ret_max = *ret_min;
    }
}

static double value_of(const struct cv_item *it) {
    double min, max, v;
    range_of(it, &min, &max);
    v = min;
    (void)number_of(cv_input_value(it, "value"), &v);
    return fmin(fmax(v, min), max);
}

static void slider_resolve(struct cv_scene *s, struct cv_item *it) {
    struct slider_state *st = it->state;
    const struct cv_theme *t = it->theme;
    range_of(it, &st->min, &st->max);
    st->value = value_of(it);
    const char *label = cv_item_text(s, it, "label");
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(400);
    (void)cv_number_to_text(&text, st->value);
    char *shown = cv_arena_strndup(s->arena, text.data ? text.data : "", text.len);
    if (label[0]) {
        st->label = cv_field_line(s, t, label, t->text_color);
        cv_item_shows(it, st->label);
    }
    st->shown = cv_field_line(s, t, shown, label[0] ? t->muted : t->text_color);
    it->text = label[0] ? label : shown;
}

static void slider_intrinsic(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    const struct slider_state *st = it->state;
    double texts = cv_text_max_width(st->shown);
    if (st->label) {
        texts += GAP + cv_text_max_width(st->label);
    }
    it->min_w = MIN_W;
    it->max_w = fmax(DEFAULT_W, texts);
}

static void slider_height(struct cv_scene *s, struct cv_item *it) {
    (void)s;
    it->nat_h = cv_field_line_px(it->theme) + TRACK_H;
}

static struct cv_rect slider_track(const struct cv_item *it) {
    return (struct cv_rect){ it->x + KNOB / 2.0,
        it->y + cv_field_line_px(it->theme) + (TRACK_H - LINE_H) / 2.0, fmax(it->w - KNOB, 1),
        LINE_H };
}

static void slider_paint(struct cv_scene *s, const struct cv_item *it, struct cv_display_list *dl) {
    const struct slider_state *st = it->state;
    const struct cv_theme *t = it->theme;
    double value_w = ceil(cv_text_max_width(st->shown));
    if (st->label) {
        cv_dl_text(dl, it->x, it->y, fmax(it->w - value_w - GAP, 0), st->label);
    }
    cv_dl_text(dl, st->label ? it->x + it->w - value_w : it->x, it->y, value_w, st->shown);
    struct cv_rect r = slider_track(it), done = r;
    double share = st->max > st->min ? (st->value - st->min) / (st->max - st->min) : 0;
    done.w = r.w * share;
    cv_dl_box(dl, r, LINE_H / 2.0, t->track, 0, 0);
    if (done.w > 0) {
        cv_dl_box(dl, done, LINE_H / 2.0, t->primary, 0, 0);
    }
    bool is_held = cv_item_is(it, s->pressed);
    double px = is_held ? KNOB + 2 : KNOB;
    struct cv_rect knob = { r.x + done.w - px / 2, r.y + LINE_H / 2.0 - px / 2, px, px };
    bool is_lit = is_held || cv_item_is(it, s->hover);
    cv_dl_box(dl, knob, px / 2, t->primary, is_lit ? t->focus : t->primary, 2);
    cv_field_ring(s, it, knob, px / 2, dl);
}

/* The nearest step, with no more decimals than the step needs: 0.45, not 0.45000000000000001. */
static double slider_snap(double v, double min, double max) {
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

static void slider_set(struct cv_input *in, struct cv_item *it, double v) {
    double min, max, now = value_of(it);
    range_of(it, &min, &max);
    v = slider_snap(v, min, max);
    if (fabs(v - now) > 0 || !cv_input_value(it, "value")) {
        cv_input_write(in, it, "value", cv_value_create_number(v));
    }
}

static bool slider_pointer(struct cv_input *in, struct cv_item *it, enum cv_pointer what, double x,
        double y, unsigned mods) {
    (void)mods;
    struct cv_rect row = { it->x, it->y + cv_field_line_px(it->theme), it->w, TRACK_H };
    bool is_dragged = cv_item_is(it, in->pressed);
    if (!is_dragged && (what != CV_POINTER_PRESS || !cv_rect_holds(row, x, y))) {
        return false;
    }
    double min, max;
    struct cv_rect r = slider_track(it);
    range_of(it, &min, &max);
    if (what != CV_POINTER_RELEASE) {
        slider_set(in, it, min + (max - min) * fmin(fmax((x - r.x) / r.w, 0), 1));
    }
    return true;
}

static bool slider_key(struct cv_input *in, struct cv_item *it, enum cv_key key, unsigned mods) {
    double min, max, v = value_of(it);
    range_of(it, &min, &max);
    double step = (max - min) / STEPS;
    if (mods & (CV_MOD_CTRL | CV_MOD_ALT)) {
        return false;
    }
    switch (key) {
    case CV_KEY_LEFT:
    case CV_KEY_DOWN:
        v -= step;
        break;
    case CV_KEY_RIGHT:
    case CV_KEY_UP:
        v += step;
        break;
    case CV_KEY_PAGE_DOWN:
        v -= 10 * step;
        break;
    case CV_KEY_PAGE_UP:
        v += 10 * step;
        break;
    case CV_KEY_HOME:
        v = min;
        break;
    case CV_KEY_END:
        v = max;
        break;
    default:
        return false;
    }
    slider_set(in, it, v);
    return true;
}

static void say_state(struct cv_scene *s, const struct cv_item *it, struct oc_buf *out) {
    (void)s;
    const struct slider_state *st = it->state;
    if (st->label) {
        (void)cv_number_to_text(out, st->value);
    }
    (void)oc_buf_puts(out, st->label ? " of " : "of ");
    (void)cv_number_to_text(out, st->min);
    (void)oc_buf_puts(out, " to ");
    (void)cv_number_to_text(out, st->max);
}

static const struct cv_widget_input input = {
    .pointer = slider_pointer,
    .key = slider_key,
    .state = say_state,
    .takes_focus = true,
};

const struct cv_widget cv_widget_slider = {
    .name = "Slider",
    .state_size = sizeof(struct slider_state),
    .resolve = slider_resolve,
    .intrinsic = slider_intrinsic,
    .height = slider_height,
    .paint = slider_paint,
    .input = &input,
};
