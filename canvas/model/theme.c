#include "canvas/model/theme.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SANS "Liberation Sans, Noto Sans, DejaVu Sans, sans-serif"
#define MONO "Liberation Mono, Noto Sans Mono, DejaVu Sans Mono, monospace"

/* With the page, as WCAG counts it. */
#define TEXT_CONTRAST 4.5
#define FOCUS_CONTRAST 3
#define EDGE_CONTRAST 2

/* Shades of one colour, from light to dark, as the reference renderer numbers them. */
struct palette {
    cv_color p95, p90, p80, p70, p60, p50, p40, p30, p20, p15;
};

static const struct palette violet = {
    .p95 = 0xf2efffff,
    .p90 = 0xe1e0ffff,
    .p80 = 0xc0c1ffff,
    .p70 = 0xa0a3ffff,
    .p60 = 0x8487eaff,
    .p50 = 0x6a6dcdff,
    .p40 = 0x5154b3ff,
    .p30 = 0x383b99ff,
    .p20 = 0x202182ff,
    .p15 = 0x131178ff,
};

/* Everything of the default look that is not a colour. */
#define DEFAULT_METRICS                                                                            \
    .family = SANS, .mono_family = MONO, .code_px = 13, .page_pad = 16, .page_top = 16,            \
    .surface_gap = 16, .column_gap = 8, .row_gap = 16, .list_gap = 16, .list_pad = 8,              \
    .card_pad = 16, .card_radius = 36, .card_border_px = 0, .button_pad_x = 12, .button_pad_y = 8, \
    .button_radius = 48, .field_pad_x = 12, .field_pad_y = 8, .field_radius = 8, .label_gap = 8,   \
    .image_radius = 20, .icon_px = 24, .icon_line_px = 28, .divider_margin = 8, .tab_height = 21,  \
    .tab_gap = 8, .check_px = 13, .chip_radius = 16, .dialog_pad = 16, .dialog_radius = 8,         \
    .dialog_max_w = 762, .label_above = false

#define DEFAULT_TEXT(ink)                                                                 \
    {                                                                                     \
        [CV_HINT_BODY] = { .size_px = 14, .line_px = 20, .weight = 400, .color = (ink) }, \
        [CV_HINT_H1] = { 24, 32, 500, false, (ink), 8 },                                  \
        [CV_HINT_H2] = { 22, 28, 500, false, (ink), 8 },                                  \
        [CV_HINT_H3] = { 22, 28, 500, false, (ink), 8 },                                  \
        [CV_HINT_H4] = { 16, 24, 500, false, (ink), 8 },                                  \
        [CV_HINT_H5] = { 14, 20, 500, false, (ink), 8 },                                  \
        [CV_HINT_CAPTION] = { 14, 20, 400, true, (ink), 0 },                              \
    }

static const struct cv_theme themes[] = {
    {
            .name = "openclaw",
            .dark = true,
            .family = SANS,
            .mono_family = MONO,
            .text = {
                    [CV_HINT_BODY] = { 13, 18.2, 400, false, 0xe5e7ebff, 0 },
                    [CV_HINT_H1] = { 20, 26, 750, false, 0xe5e7ebff, 0 },
                    [CV_HINT_H2] = { 16, 22, 700, false, 0xe5e7ebff, 0 },
                    [CV_HINT_H3] = { 15, 20, 700, false, 0xe5e7ebff, 0 },
                    [CV_HINT_H4] = { 14, 19, 700, false, 0xe5e7ebff, 0 },
                    [CV_HINT_H5] = { 13, 18.2, 700, false, 0xe5e7ebff, 0 },
                    [CV_HINT_CAPTION] = { 13, 18.2, 400, true, 0xe5e7ebcc, 0 },
            },
            .code_px = 12,
            .page = 0x000000ff,
            .page_glow = { 0x2a71ff2e, 0xff008a24, 0x00d1ff1a },
            .text_color = 0xe5e7ebff,
            .muted = 0xe5e7eba6,
            .link = 0x67e8f9ff,
            .error = 0xf87171ff,
            .code_back = 0xffffff17,
            .quote_bar = 0xffffff38,
            .primary = 0x22c55eff,
            .on_primary = 0x071016ff,
            .primary_soft = 0x22c55e33,
            .outline = 0xffffff38,
            .focus = 0x06b6d4ff,
            .field_back = 0x00000059,
            .field_border = 0xffffff2e,
            .placeholder = 0xe5e7eb80,
            .selection = 0x06b6d466,
            .card_top = 0xffffff0f,
            .card_bottom = 0xffffff08,
            .card_border = 0xffffff17,
            .shadow = 0x00000059,
            .divider = 0xffffff40,
            .scrim = 0x000000a6,
            .dialog_back = 0x111620ff,
            .dialog_border = 0xffffff24,
            .track = 0xffffff2e,
            .placeholder_box = 0xffffff14,
            .chip_back = 0xffffff14,
            .pill_back = 0x00000073,
            .pill_border = 0xffffff2e,
            .button_from = 0x22c55eff,
            .button_to = 0x06b6d4ff,
            .button_text = 0x071016ff,
            .page_pad = 12,
            .page_top = 28,
            .surface_gap = 12,
            .column_gap = 10,
            .row_gap = 10,
            .list_gap = 10,
            .list_pad = 0,
            .card_pad = 14,
            .card_radius = 14,
            .card_border_px = 1,
            .button_pad_x = 14,
            .button_pad_y = 10,
            .button_radius = 12,
            .field_pad_x = 12,
            .field_pad_y = 8,
            .field_radius = 10,
            .label_gap = 6,
            .image_radius = 12,
            .icon_px = 20,
            .icon_line_px = 23,
            .divider_margin = 7,
            .tab_height = 30,
            .tab_gap = 10,
            .check_px = 14,
            .chip_radius = 14,
            .dialog_pad = 16,
            .dialog_radius = 16,
            .dialog_max_w = 520,
            .label_above = true,
    },
    {
            .name = "default",
            DEFAULT_METRICS,
            .text = DEFAULT_TEXT(0x1b1b1bff),
            .page = 0xf4f4f9ff,
            .text_color = 0x1b1b1bff,
            .muted = 0x5e5e5eff,
            .error = 0xba1a1aff,
            .code_back = 0x1b1b1b12,
            .quote_bar = 0x1b1b1b33,
            .on_primary = 0xffffffff,
            .field_back = 0xffffffff,
            .placeholder = 0x777777ff,
            .card_top = 0xffffffff,
            .card_bottom = 0xffffffff,
            .card_border = 0x00000014,
            .shadow = 0x0000001f,
            .divider = 0xccccccff,
            .scrim = 0x00000066,
            .dialog_back = 0xffffffff,
            .track = 0x1b1b1b24,
            .placeholder_box = 0x1b1b1b14,
            .pill_back = 0x1b1b1be6,
            .pill_border = 0xffffff33,
            .button_text = 0xffffffff,
    },
    {
            .name = "default-dark",
            .dark = true,
            DEFAULT_METRICS,
            .text = DEFAULT_TEXT(0xe2e2e2ff),
            .page = 0x121318ff,
            .text_color = 0xe2e2e2ff,
            .muted = 0xabababff,
            .error = 0xffb4abff,
            .code_back = 0xffffff17,
            .quote_bar = 0xffffff38,
            .on_primary = 0x131316ff,
            .field_back = 0x1b1b21ff,
            .placeholder = 0x919191ff,
            .card_top = 0x1f1f26ff,
            .card_bottom = 0x1f1f26ff,
            .card_border = 0xffffff14,
            .shadow = 0x00000066,
            .divider = 0x474747ff,
            .scrim = 0x000000a6,
            .dialog_back = 0x1f1f26ff,
            .track = 0xffffff2e,
            .placeholder_box = 0xffffff14,
            .pill_back = 0x2e2e38f2,
            .pill_border = 0xffffff33,
            .button_text = 0x131316ff,
    },
};

cv_color cv_color_mix(cv_color a, cv_color b, double share_of_a) {
    cv_color ret = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        double x = (a >> shift) & 0xff, y = (b >> shift) & 0xff;
        ret |= (cv_color)(x * share_of_a + y * (1 - share_of_a) + 0.5) << shift;
    }
    return ret;
}

static struct palette palette_of(cv_color p) {
    const cv_color white = 0xffffffff, black = 0x000000ff;
    return (struct palette){
        .p95 = cv_color_mix(p, white, 0.1),
        .p90 = cv_color_mix(p, white, 0.2),
        .p80 = cv_color_mix(p, white, 0.4),
        .p70 = cv_color_mix(p, white, 0.6),
        .p60 = cv_color_mix(p, white, 0.8),
        .p50 = p,
        .p40 = cv_color_mix(p, black, 0.8),
        .p30 = cv_color_mix(p, black, 0.6),
        .p20 = cv_color_mix(p, black, 0.4),
        .p15 = cv_color_mix(p, black, 0.3),
    };
}

static double theme_linear(double c) {
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double theme_luminance(cv_color c) {
    return 0.2126 * theme_linear((c >> 24) / 255.0) +
           0.7152 * theme_linear(((c >> 16) & 0xff) / 255.0) +
           0.0722 * theme_linear(((c >> 8) & 0xff) / 255.0);
}

/* Black or white, whichever has the better contrast on c. */
static cv_color ink_on(cv_color c) {
    return theme_luminance(c) > 0.1936 ? 0x131316ff : 0xffffffff;
}

double cv_color_contrast(cv_color a, cv_color b) {
    double x = theme_luminance(a), y = theme_luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

/* An agent may choose navy on black or yellow on white: as much lighter, or darker, as is needed to
 * tell it from the page. */
static cv_color theme_legible(const struct cv_theme *t, cv_color c, double contrast) {
    const cv_color end = t->dark ? 0xffffffff : 0x000000ff;
    cv_color ret = c;
    for (int i = 9; i >= 0 && cv_color_contrast(ret, t->page) < contrast; i--) {
        ret = cv_color_mix(c, end, i / 10.0);
    }
    return ret;
}

static void paint_with(struct cv_theme *t, const struct palette *p) {
    bool dark = t->dark; /* the dark look takes the shade on the other side */
    t->primary = theme_legible(t, dark ? p->p70 : p->p30, TEXT_CONTRAST);
    t->on_primary = ink_on(t->primary);
    t->primary_soft = dark ? CV_ALPHA(p->p70, 0.2) : p->p90;
    t->outline = t->field_border = theme_legible(t, dark ? p->p40 : p->p60, EDGE_CONTRAST);
    t->focus = theme_legible(t, dark ? p->p60 : p->p50, FOCUS_CONTRAST);
    t->link = theme_legible(t, dark ? p->p60 : p->p40, TEXT_CONTRAST);
    t->selection = CV_ALPHA(dark ? p->p60 : p->p50, dark ? 0.4 : 0.3);
    t->dialog_border = dark ? p->p20 : p->p80;
    t->chip_back = dark ? CV_ALPHA(p->p70, 0.12) : p->p95;
    t->button_from = t->button_to = t->primary;
    t->button_text = t->on_primary;
}

/* openclaw's own colours stay but for what is green and cyan in it. */
static void tint_openclaw(struct cv_theme *t, cv_color color) {
    struct palette p = palette_of(color);
    cv_color c = theme_luminance(color) < 0.08 ? p.p70 : color; /* must show on black */
    t->primary = c;
    t->on_primary = t->button_text = ink_on(c);
    t->primary_soft = CV_ALPHA(c, 0.25);
    t->focus = t->link = cv_color_mix(c, 0xffffffff, 0.7);
    t->selection = CV_ALPHA(c, 0.4);
    t->button_from = c;
    t->button_to = cv_color_mix(c, 0xffffffff, 0.85);
}

const struct cv_theme *cv_theme_find(const char *name) {
    static struct cv_theme ready[OC_COUNT(themes)];
    if (!ready[0].name) {
        memcpy(ready, themes, sizeof(ready));
        for (size_t i = 1; i < OC_COUNT(ready); i++) {
            paint_with(&ready[i], &violet);
        }
    }
    for (size_t i = 0; i < OC_COUNT(ready); i++) {
        if (strcmp(ready[i].name, name) == 0) {
            return &ready[i];
        }
    }
    return NULL;
}

bool cv_color_parse(struct oc_slice text, cv_color *ret) {
    if ((text.len != 4 && text.len != 7) || text.ptr[0] != '#') {
        return false;
    }
    bool is_short = text.len == 4;
    cv_color c = 0;
    for (size_t i = 1; i < text.len; i++) {
        int digit = oc_hex_value(text.ptr[i]);
        if (digit < 0) {
            return false;
        }
        c = c << 4 | (unsigned)digit;
        if (is_short) {
            c = c << 4 | (unsigned)digit;
        }
    }
    *ret = c << 8 | 0xff;
    return true;
}

/* A family name goes into a list that fontconfig reads, so only what names are made of passes. */
static size_t copy_family(char *to, size_t size, struct oc_slice font) {
    size_t n = 0;
    for (size_t i = 0; i < font.len && n + 1 < size; i++) {
        unsigned char c = (unsigned char)font.ptr[i];
        if (isalnum(c) || c == ' ' || c == '-' || c == '_' || c == ',' || c >= 0x80) {
            to[n++] = (char)c;
        }
    }
    while (n && (to[n - 1] == ' ' || to[n - 1] == ',')) {
        n--;
    }
    to[n] = '\0';
    return n;
}

void cv_theme_style(const struct cv_theme *base, const struct cv_value *styles,
        struct cv_theme *ret, char ret_font[128]) {
    *ret = *base;
    ret_font[0] = '\0';
    cv_color color;
    if (cv_color_parse(cv_value_string(cv_value_get(styles, "primaryColor")), &color)) {
        struct palette p = palette_of(color);
        if (strcmp(base->name, "openclaw") == 0) {
            tint_openclaw(ret, color);
        } else {
            paint_with(ret, &p);
        }
    }
    char name[64];
    if (copy_family(name, sizeof(name), cv_value_string(cv_value_get(styles, "font")))) {
        snprintf(ret_font, 128, "%s, %s", name, base->family);
        ret->family = ret_font;
    }
}
