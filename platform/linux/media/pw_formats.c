#include "platform/linux/media/pw_formats.h"

#include <spa/param/video/format-utils.h>
#include <spa/pod/iter.h>

enum { MAX_SIDE = 8192 };

struct range {
    const void *values;
    uint32_t count, choice;
};

/* Formats come from whoever made the node, and may say one type and bring the bytes of another. */
static bool has_size(const struct spa_pod *value, uint32_t size) {
    if (!spa_pod_is_choice(value)) { /* also false for one that is too short to be one */
        return value->type != SPA_TYPE_Choice && value->size >= size;
    }
    return SPA_POD_CHOICE_VALUE_SIZE(value) == size;
}

static bool read_values(const struct spa_pod *param, uint32_t key, uint32_t type, uint32_t size,
        struct range *ret) {
    const struct spa_pod_prop *prop = spa_pod_find_prop(param, NULL, key);
    if (!prop || !has_size(&prop->value, size)) {
        return false;
    }
    struct spa_pod *pod = spa_pod_get_values(&prop->value, &ret->count, &ret->choice);
    if (pod->type != type || ret->count == 0) {
        return false;
    }
    ret->values = SPA_POD_BODY_CONST(pod);
    return true;
}

static double highest_fps(const struct spa_pod *param) {
    struct range r;
    double best = 0;
    if (!read_values(param, SPA_FORMAT_VIDEO_framerate, SPA_TYPE_Fraction,
                sizeof(struct spa_fraction), &r)) {
        return 0;
    }
    const struct spa_fraction *rates = r.values;
    for (uint32_t i = 0; i < r.count; i++) {
        double fps = rates[i].denom ? (double)rates[i].num / rates[i].denom : 0;
        best = fps > best ? fps : best;
    }
    return best;
}

void os_pw_formats_add(struct os_pw_node *node, const struct spa_pod *param) {
    uint32_t type, subtype;
    struct range r;
    if (spa_format_parse(param, &type, &subtype) < 0 || type != SPA_MEDIA_TYPE_video ||
            (subtype != SPA_MEDIA_SUBTYPE_raw && subtype != SPA_MEDIA_SUBTYPE_mjpg) ||
            !read_values(param, SPA_FORMAT_VIDEO_size, SPA_TYPE_Rectangle,
                    sizeof(struct spa_rectangle), &r)) {
        return;
    }
    struct os_camera_format f = { .is_jpeg = subtype == SPA_MEDIA_SUBTYPE_mjpg,
        .fps = highest_fps(param) };
    const struct spa_rectangle *sizes = r.values;
    /* The first value is the default; those of a list follow it, of a range its ends. Of a range
     * only the default is known to be a sensible shape. */
    uint32_t end = r.choice == SPA_CHOICE_Enum ? r.count : 1;
    for (uint32_t i = r.choice == SPA_CHOICE_Enum && r.count > 1; i < end; i++) {
        f.width = sizes[i].width <= MAX_SIDE ? (int)sizes[i].width : 0;
        f.height = sizes[i].height <= MAX_SIDE ? (int)sizes[i].height : 0;
        os_camera_formats_add(&node->formats, &f);
    }
}
