#include "canvas/scene/scene_logo.h"

#include <math.h>

#define GAP_PX 16
#define MAX_PX 220
#define SHARE 0.5 /* of the surface's width */

static const struct cv_image *logo_of(const struct cv_scene *s, const struct cv_item *root) {
    struct oc_slice url = cv_value_string(cv_value_get(root->surface->styles, "logoUrl"));
    if (!s->images || url.len == 0) {
        return NULL;
    }
    const struct cv_image *image = cv_images_get(s->images, url);
    return image->state == CV_IMAGE_READY && image->w > 0 && image->h > 0 ? image : NULL;
}

static struct cv_rect size_of(const struct cv_item *root, const struct cv_image *image) {
    double w = fmin(SHARE * root->w, MAX_PX);
    double h = fmin(w * image->h / image->w, MAX_PX); /* a tall one is fitted in */
    return (struct cv_rect){ .w = w, .h = h };
}

double cv_logo_height(const struct cv_scene *s, const struct cv_item *root) {
    const struct cv_image *image = logo_of(s, root);
    return image ? size_of(root, image).h + GAP_PX : 0;
}

void cv_logo_paint(
        const struct cv_scene *s, const struct cv_item *root, struct cv_display_list *dl) {
    const struct cv_image *image = logo_of(s, root);
    if (!image) {
        return;
    }
    struct cv_rect r = size_of(root, image);
    r.x = root->x + (root->w - r.w) / 2;
    r.y = root->y - GAP_PX - r.h;
    cv_dl_add(dl, &(struct cv_dl_op){
                          .kind = CV_DL_IMAGE, .rect = r, .image = image, .fit = CV_FIT_CONTAIN });
}
