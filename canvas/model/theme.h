/* Colours and measures. Two looks: "openclaw" (dark) and "default" (light, and its dark twin).
 * Widgets take every number from here. Colours are 0xRRGGBBAA. */
#ifndef CANVAS_MODEL_THEME_H
#define CANVAS_MODEL_THEME_H

#include "canvas/value/value.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t cv_color;
#define CV_ALPHA(color, a) (((color)&0xffffff00u) | (uint32_t)((a)*255.0 + 0.5))

struct cv_font {
    double size_px, line_px;
    int weight; /* 400 … 900 */
    bool italic;
    cv_color color;
    double space_below; /* margin under it */
};

enum cv_text_hint {
    CV_HINT_BODY,
    CV_HINT_H1,
    CV_HINT_H2,
    CV_HINT_H3,
    CV_HINT_H4,
    CV_HINT_H5,
    CV_HINT_CAPTION,
    CV_HINT_COUNT
};

struct cv_theme {
    const char *name;
    const char *family,
            *mono_family; /* fontconfig lists; beginRendering's styles.font goes before */
    double code_px;
    double page_pad, page_top, surface_gap;
    double column_gap, row_gap, list_gap, list_pad;
    double card_pad, card_radius, card_border_px;
    double button_pad_x, button_pad_y, button_radius;
    double field_pad_x, field_pad_y, field_radius, label_gap;
    double image_radius, icon_px, icon_line_px;
    double divider_margin, tab_height, tab_gap, check_px, chip_radius, dialog_pad, dialog_radius,
            dialog_max_w;
    struct cv_font text[CV_HINT_COUNT];
    cv_color page, page_glow[3]; /* glow: 0 = none */
    cv_color text_color, muted, link, error, code_back, quote_bar;
    cv_color primary, on_primary, primary_soft, outline, focus; /* of inputs and buttons */
    cv_color field_back, field_border, placeholder, selection;
    cv_color card_top, card_bottom, card_border, shadow; /* card: vertical gradient */
    cv_color divider, scrim, dialog_back, dialog_border, track, placeholder_box, chip_back,
            pill_back, pill_border;
    cv_color button_from, button_to, button_text; /* primary button: 135° gradient; equal: flat */
    bool dark;
    bool label_above; /* TextField's label: above it, or left of it */
};

#define CV_THEME "openclaw" /* unless the owner, the desktop or an option says another */

/* NULL when there is no such theme. Names: "openclaw", "default", "default-dark". */
const struct cv_theme *cv_theme_find(const char *name);
/* The theme as a surface's styles change it (primaryColor, font, logoUrl is the root's matter);
 * family is copied into `ret_font`. */
void cv_theme_style(const struct cv_theme *base, const struct cv_value *styles,
        struct cv_theme *ret, char ret_font[128]);
/* "#rgb", "#rrggbb"; false otherwise. */
bool cv_color_parse(struct oc_slice text, cv_color *ret);
double cv_color_contrast(
        cv_color a, cv_color b); /* 1…21, as WCAG counts it; alpha is not looked at */
cv_color cv_color_mix(cv_color a, cv_color b, double share_of_a);

#endif
