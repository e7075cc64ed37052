/* What is to be seen, as a flat list: made by widgets, compared for damage, printed for tests, painted by paint_cairo.c.
 * Coordinates are page pixels (logical). */
#ifndef CANVAS_DISPLAY_DISPLAY_LIST_H
#define CANVAS_DISPLAY_DISPLAY_LIST_H

#include "canvas/model/theme.h"
#include "canvas/text/text.h"
#include "lib/base/buf.h"

#include <stddef.h>

struct oc_rect {
    double x, y, w, h;
};

enum oc_dl_kind {
    OC_DL_BOX,
    OC_DL_SHADOW,
    OC_DL_TEXT,
    OC_DL_IMAGE,
    OC_DL_ICON,
    OC_DL_LINE,
    OC_DL_GLOW,
    OC_DL_CLIP,
    OC_DL_UNCLIP
};
enum oc_fit { OC_FIT_FILL, OC_FIT_CONTAIN, OC_FIT_COVER, OC_FIT_NONE, OC_FIT_SCALE_DOWN };

struct oc_image; /* canvas/images/images.h */

struct oc_dl_op {
    enum oc_dl_kind kind;
    struct oc_rect rect; /* LINE: from x,y to x+w,y+h */
    double radius;       /* BOX, SHADOW, IMAGE, CLIP */
    oc_color fill,
            fill_to; /* BOX: gradient from fill to fill_to along `angle`; equal: flat. Others: fill is the colour */
    double angle; /* degrees as in CSS; 180 is downwards */
    oc_color border;
    double border_px;     /* inside the rect; LINE: thickness; SHADOW: blur */
    struct oc_text *text; /* TEXT: wrapped to rect.w */
    const struct oc_image *image;
    enum oc_fit fit;
    const char *icon; /* a name of canvas/model/icons.def, or "arrow_upward" style */
};

struct oc_display_list;

struct oc_display_list *oc_dl_create(void);
void oc_dl_destroy(struct oc_display_list *dl);
void oc_dl_clear(struct oc_display_list *dl);
size_t oc_dl_count(const struct oc_display_list *dl);
const struct oc_dl_op *oc_dl_at(const struct oc_display_list *dl, size_t i);

void oc_dl_add(struct oc_display_list *dl, const struct oc_dl_op *op);
void oc_dl_box(struct oc_display_list *dl, struct oc_rect r, double radius, oc_color fill,
        oc_color border, double border_px);
void oc_dl_text(struct oc_display_list *dl, double x, double y, double width, struct oc_text *text);
void oc_dl_icon(struct oc_display_list *dl, struct oc_rect r, const char *icon, oc_color color);
void oc_dl_shadow(
        struct oc_display_list *dl, struct oc_rect r, double radius, double blur, oc_color color);
/* The light behind the page; nothing when the theme has none. Its colours are fill, fill_to and border. */
void oc_dl_glow(struct oc_display_list *dl, struct oc_rect r, const struct oc_theme *theme);
void oc_dl_clip(struct oc_display_list *dl, struct oc_rect r, double radius);
void oc_dl_unclip(struct oc_display_list *dl);

/* Where an op can be seen, its clips considered, and a hash of all that can be seen of it. Both were taken when it was added,
 * so that they hold when its text or picture is gone. */
struct oc_rect oc_dl_bounds(const struct oc_display_list *dl, size_t i);
uint64_t oc_dl_key(const struct oc_display_list *dl, size_t i);
void oc_dl_copy(struct oc_display_list *to, const struct oc_display_list *from);

bool oc_rect_holds(struct oc_rect r, double x, double y);
struct oc_rect oc_rect_intersect(struct oc_rect a, struct oc_rect b);
struct oc_rect oc_rect_union(struct oc_rect a, struct oc_rect b);

/* display_list_print.c. One op a line, two decimals: "box 16,16 448x38 r8 #ffffffff border 1 #8487eaff", "text 28,24 w424 'Hello'" … */
enum oc_code oc_dl_print(struct oc_buf *out, const struct oc_display_list *dl);
/* display_list_damage.c. What must be painted again to get from a to b: at most max rectangles that cover every difference (text by its content, style
 * and place). Returns how many; 0: nothing. */
size_t oc_dl_damage(const struct oc_display_list *a, const struct oc_display_list *b,
        struct oc_rect *ret, size_t max);

#endif
