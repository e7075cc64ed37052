/* Colours and measures. Two looks: "openclaw" (dark) and "default" (light, and its dark twin). Widgets take every number
 * from here. Colours are 0xRRGGBBAA. */
#ifndef CANVAS_MODEL_THEME_H
#define CANVAS_MODEL_THEME_H

#include "canvas/model/value.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t oc_color;
#define OC_ALPHA(color, a) (((color)&0xffffff00u) | (uint32_t)((a)*255.0 + 0.5))

struct oc_font {
    double size_px, line_px;
    int weight; /* 400 … 900 */
    bool italic;
    oc_color color;
    double space_below; /* margin under it */
};

enum oc_text_hint {
    OC_HINT_BODY,
    OC_HINT_H1,
    OC_HINT_H2,
    OC_HINT_H3,
    OC_HINT_H4,
    OC_HINT_H5,
    OC_HINT_CAPTION,
    OC_HINT_COUNT
};

struct oc_theme {
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
    struct oc_font text[OC_HINT_COUNT];
    oc_color page, page_glow[3]; /* glow: 0 = none */
    oc_color text_color, muted, link, error, code_back, quote_bar;
    oc_color primary, on_primary, primary_soft, outline, focus; /* of inputs and buttons */
    oc_color field_back, field_border, placeholder, selection;
    oc_color card_top, card_bottom, card_border, shadow; /* card: vertical gradient */
    oc_color divider, scrim, dialog_back, dialog_border, track, placeholder_box, chip_back,
            pill_back, pill_border;
    oc_color button_from, button_to, button_text; /* primary button: 135° gradient; equal: flat */
    bool dark;
    bool label_above; /* TextField's label: above it, or left of it */
};

/* NULL when there is no such theme. Names: "openclaw", "default", "default-dark". */
const struct oc_theme *oc_theme_find(const char *name);
/* The theme as a surface's styles change it (primaryColor, font, logoUrl is the root's matter); family is copied into `ret_font`. */
void oc_theme_style(const struct oc_theme *base, const struct oc_value *styles,
        struct oc_theme *ret, char ret_font[128]);
/* "#rgb", "#rrggbb"; false otherwise. */
bool oc_color_parse(struct oc_slice text, oc_color *ret);
double oc_color_contrast(
        oc_color a, oc_color b); /* 1…21, as WCAG counts it; alpha is not looked at */
oc_color oc_color_mix(oc_color a, oc_color b, double share_of_a);

#endif
