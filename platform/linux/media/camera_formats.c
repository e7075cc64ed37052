#include "platform/linux/media/camera_formats.h"

#include "lib/base/mem.h"

enum { MAX_SIDE = 8192 };

void os_camera_formats_add(struct os_camera_formats *formats, const struct os_camera_format *f) {
    if (formats->count < OS_MAX_CAMERA_FORMATS && f->width > 0 && f->height > 0 &&
            f->width <= MAX_SIDE && f->height <= MAX_SIDE) {
        formats->items =
                oc_realloc(formats->items, (formats->count + 1) * sizeof(formats->items[0]));
        formats->items[formats->count++] = *f;
    }
}

static bool is_better(const struct os_camera_format *a, const struct os_camera_format *b,
        int wanted, double fluent_fps) {
    bool a_fluent = a->fps == 0 || a->fps >= fluent_fps,
         b_fluent = b->fps == 0 || b->fps >= fluent_fps;
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

const struct os_camera_format *os_camera_formats_choose(
        const struct os_camera_formats *formats, int wanted_width, double fluent_fps) {
    const struct os_camera_format *best = NULL;
    for (size_t i = 0; i < formats->count; i++) {
        if (!best || is_better(&formats->items[i], best, wanted_width, fluent_fps)) {
            best = &formats->items[i];
        }
    }
    return best;
}

void os_camera_formats_finish(struct os_camera_formats *formats) {
    oc_free(formats->items);
    *formats = (struct os_camera_formats){ 0 };
}
