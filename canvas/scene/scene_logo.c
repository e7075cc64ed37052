#include "canvas/scene/scene_logo.h"

#include <math.h>

#define GAP_PX 16
#define MAX_PX 220
#define SHARE 0.5 /* of the surface's width */

static const struct oc_image *logo_of(const struct oc_scene *s, const struct oc_item *root) {
    struct oc_slice url = oc_value_string(oc_value_get(root->surface->styles, "logoUrl"));
    if (!s->images || url.len == 0) {
        return NULL;
    }
    const struct oc_image *image = oc_images_get(s->images, url);
    return image->state == OC_IMAGE_READY && image->w > 0 && image->h > 0 ? image : NULL;
}

static struct oc_rect size_of(const struct oc_item *root, const struct oc_image *image) {
    double w = fmin(SHARE * root->w, MAX_PX);
    double h = fmin(w * image->h / image->w, MAX_PX); /* a tall one is fitted in */
    return (struct oc_rect){ .w = w, .h = h };
}

double oc_logo_height(const struct oc_scene *s, const struct oc_item *root) {
    const struct oc_image *image = logo_of(s, root);
    return image ? size_of(root, image).h + GAP_PX : 0;
}

void oc_logo_paint(
        const struct oc_scene *s, const struct oc_item *root, struct oc_display_list *dl) {
    const struct oc_image *image = logo_of(s, root);
    if (!image) {
        return;
    }
    struct oc_rect r = size_of(root, image);
    r.x = root->x + (root->w - r.w) / 2;
    r.y = root->y - GAP_PX - r.h;
    oc_dl_add(dl, &(struct oc_dl_op){
                          .kind = OC_DL_IMAGE, .rect = r, .image = image, .fit = OC_FIT_CONTAIN });
}
