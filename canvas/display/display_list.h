/* What is to be seen, as a flat list: made by widgets, compared for damage, printed for tests,
 * painted by paint_cairo.c. Coordinates are page pixels (logical). */
#ifndef CANVAS_DISPLAY_DISPLAY_LIST_H
#define CANVAS_DISPLAY_DISPLAY_LIST_H

#include "canvas/model/theme.h"
#include "canvas/text/text.h"
#include "lib/base/buf.h"

#include <stddef.h>

struct cv_rect {
    double x, y, w, h;
};

enum cv_dl_kind {
    CV_DL_BOX,
    CV_DL_SHADOW,
    CV_DL_TEXT,
    CV_DL_IMAGE,
    CV_DL_ICON,
    CV_DL_LINE,
    CV_DL_GLOW,
    CV_DL_CLIP,
    CV_DL_UNCLIP
};
enum cv_fit { CV_FIT_FILL, CV_FIT_CONTAIN, CV_FIT_COVER, CV_FIT_NONE, CV_FIT_SCALE_DOWN };

struct cv_image; /* canvas/images/images.h */

struct cv_dl_op {
    enum cv_dl_kind kind;
    struct cv_rect rect;    /* LINE: from x,y to x+w,y+h */
    double radius;          /* BOX, SHADOW, IMAGE, CLIP */
    cv_color fill, fill_to; /* BOX: gradient from fill to fill_to along `angle`; equal: flat.
                               Others: fill is the colour */
    double angle;           /* degrees as in CSS; 180 is downwards */
    cv_color border;
    double border_px;     /* inside the rect; LINE: thickness; SHADOW: blur */
    struct cv_text *text; /* TEXT: wrapped to rect.w */
    const struct cv_image *image;
    enum cv_fit fit;
    const char *icon; /* a name of canvas/model/icons.def, or "arrow_upward" style */
};

struct cv_display_list;

struct cv_display_list *cv_dl_create(void);
void cv_dl_destroy(struct cv_display_list *dl);
void cv_dl_clear(struct cv_display_list *dl);
size_t cv_dl_count(const struct cv_display_list *dl);
const struct cv_dl_op *cv_dl_at(const struct cv_display_list *dl, size_t i);

void cv_dl_add(struct cv_display_list *dl, const struct cv_dl_op *op);
void cv_dl_box(struct cv_display_list *dl, struct cv_rect r, double radius, cv_color fill,
        cv_color border, double border_px);
void cv_dl_text(struct cv_display_list *dl, double x, double y, double width, struct cv_text *text);
void cv_dl_icon(struct cv_display_list *dl, struct cv_rect r, const char *icon, cv_color color);
void cv_dl_shadow(
        struct cv_display_list *dl, struct cv_rect r, double radius, double blur, cv_color color);
/* The light behind the page; nothing when the theme has none. Its colours are fill, fill_to and
 * border. */
void cv_dl_glow(struct cv_display_list *dl, struct cv_rect r, const struct cv_theme *theme);
void cv_dl_clip(struct cv_display_list *dl, struct cv_rect r, double radius);
void cv_dl_unclip(struct cv_display_list *dl);

/* Where an op can be seen, its clips considered, and a hash of all that can be seen of it. Both
 * were taken when it was added, so that they hold when its text or picture is gone. */
struct cv_rect cv_dl_bounds(const struct cv_display_list *dl, size_t i);
uint64_t cv_dl_key(const struct cv_display_list *dl, size_t i);
void cv_dl_copy(struct cv_display_list *to, const struct cv_display_list *from);

bool cv_rect_holds(struct cv_rect r, double x, double y);
struct cv_rect cv_rect_intersect(struct cv_rect a, struct cv_rect b);
struct cv_rect cv_rect_union(struct cv_rect a, struct cv_rect b);

/* display_list_print.c. One op a line, two decimals: "box 16,16 448x38 r8 #ffffffff border 1
 * #8487eaff", "text 28,24 w424 'Hello'" … */
enum oc_code cv_dl_print(struct oc_buf *out, const struct cv_display_list *dl);
/* display_list_damage.c. What must be painted again to get from a to b: at most max rectangles that
 * cover every difference (text by its content, style and place). Returns how many; 0: nothing. */
size_t cv_dl_damage(const struct cv_display_list *a, const struct cv_display_list *b,
        struct cv_rect *ret, size_t max);

#endif
