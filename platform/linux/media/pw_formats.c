#include "platform/linux/media/pw_formats.h"

#include "base/mem.h"

#include <spa/param/video/format-utils.h>
#include <spa/pod/iter.h>

#define FLUENT_FPS 15.0
enum { MAX_SIDE = 8192 };

struct range {
    const void *values;
    uint32_t count, choice;
};

static bool read_values(
        const struct spa_pod *param, uint32_t key, uint32_t type, struct range *ret) {
    const struct spa_pod_prop *prop = spa_pod_find_prop(param, NULL, key);
    if (!prop) {
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
    if (!read_values(param, SPA_FORMAT_VIDEO_framerate, SPA_TYPE_Fraction, &r)) {
        return 0;
    }
    const struct spa_fraction *rates = r.values;
    for (uint32_t i = 0; i < r.count; i++) {
        double fps = rates[i].denom ? (double)rates[i].num / rates[i].denom : 0;
        best = fps > best ? fps : best;
    }
    return best;
}

static void add(struct oc_pw_node *node, const struct oc_pw_format *f) {
    if (node->format_count < OC_MAX_PW_FORMATS && f->width > 0 && f->height > 0 &&
            f->width <= MAX_SIDE && f->height <= MAX_SIDE) {
        node->formats =
                oc_realloc(node->formats, (node->format_count + 1) * sizeof(node->formats[0]));
        node->formats[node->format_count++] = *f;
    }
}

void oc_pw_formats_add(struct oc_pw_node *node, const struct spa_pod *param) {
    uint32_t type, subtype;
    struct range r;
    if (spa_format_parse(param, &type, &subtype) < 0 || type != SPA_MEDIA_TYPE_video ||
            (subtype != SPA_MEDIA_SUBTYPE_raw && subtype != SPA_MEDIA_SUBTYPE_mjpg) ||
            !read_values(param, SPA_FORMAT_VIDEO_size, SPA_TYPE_Rectangle, &r)) {
        return;
    }
    struct oc_pw_format f = { .is_jpeg = subtype == SPA_MEDIA_SUBTYPE_mjpg,
        .fps = highest_fps(param) };
    const struct spa_rectangle *sizes = r.values;
    /* The first value is the default; those of a list follow it, of a range its ends. Of a range only the default is known to
     * be a sensible shape. */
    uint32_t end = r.choice == SPA_CHOICE_Enum ? r.count : 1;
    for (uint32_t i = r.choice == SPA_CHOICE_Enum && r.count > 1; i < end; i++) {
        f.width = sizes[i].width <= MAX_SIDE ? (int)sizes[i].width : 0;
        f.height = sizes[i].height <= MAX_SIDE ? (int)sizes[i].height : 0;
        add(node, &f);
    }
}

static bool is_better(const struct oc_pw_format *a, const struct oc_pw_format *b, int wanted) {
    bool a_fluent = a->fps == 0 || a->fps >= FLUENT_FPS,
         b_fluent = b->fps == 0 || b->fps >= FLUENT_FPS;
    if (a_fluent != b_fluent) {
        return a_fluent;
    }
    bool a_wide = a->width >= wanted, b_wide = b->width >= wanted;
    if (a_wide != b_wide) {
        return a_wide;
    }
    if (a->width != b->width) {
        return a_wide ? a->width < b->width : a->width > b->width;
    }
    if (a->height != b->height) {
        return a->height > b->height;
    }
    return !a->is_jpeg && b->is_jpeg;
}

const struct oc_pw_format *oc_pw_formats_choose(const struct oc_pw_node *node, int wanted_width) {
    const struct oc_pw_format *best = NULL;
    for (size_t i = 0; i < node->format_count; i++) {
        if (!best || is_better(&node->formats[i], best, wanted_width)) {
            best = &node->formats[i];
        }
    }
    return best;
}
