/* Pictures without decoding, beside text_plain.c: bytes that say "640x400" are a picture of that size. */
#include "canvas/images.h"

#include "base/map.h"
#include "base/mem.h"
#include "canvas/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct oc_images {
    struct oc_map *by_url; /* url → struct oc_image */
    oc_image_wanted *on_wanted;
    void *user;
};

struct oc_images *oc_images_create(oc_image_wanted *on_wanted, void *user) {
    struct oc_images *s = oc_new(struct oc_images);
    s->by_url = oc_map_create();
    s->on_wanted = on_wanted;
    s->user = user;
    return s;
}

static void image_destroy(struct oc_image *image) {
    oc_free((char *)image->url);
    oc_free((char *)image->error);
    oc_free(image);
}

void oc_images_destroy(struct oc_images *s) {
    if (!s)
        return;
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(s->by_url, &pos, &key, &value))
        image_destroy(value);
    oc_map_destroy(s->by_url);
    oc_free(s);
}

static const struct oc_image none = {
    .url = "", .state = OC_IMAGE_FAILED, .error = "there is no picture"
};

const struct oc_image *oc_images_get(struct oc_images *s, struct oc_slice url) {
    if (!url.len || memchr(url.ptr, 0, url.len))
        return &none;
    OC_AUTO_FREE char *key = oc_strndup(url.ptr, url.len);
    struct oc_image *image = oc_map_get(s->by_url, key);
    if (image)
        return image;
    if (oc_map_count(s->by_url) == OC_CANVAS_MAX_IMAGES)
        return &none;
    image = oc_new(struct oc_image);
    image->url = oc_strdup(key);
    oc_map_put(s->by_url, key, image);
    if (s->on_wanted)
        s->on_wanted(s->user, image->url);
    return image;
}

void oc_images_bring(
        struct oc_images *s, const char *url, const void *bytes, size_t len, const char *error) {
    struct oc_image *image = oc_map_get(s->by_url, url);
    if (!image || image->state != OC_IMAGE_LOADING)
        return;
    OC_AUTO_FREE char *text = oc_strndup(bytes ? bytes : "", bytes ? len : 0);
    char *end = NULL;
    unsigned long w = strtoul(text, &end, 10), h = *end == 'x' ? strtoul(end + 1, NULL, 10) : 0;
    image->serial++;
    if (!error && w && h && w <= OC_CANVAS_MAX_SIDE && h <= OC_CANVAS_MAX_SIDE) {
        image->state = OC_IMAGE_READY;
        image->w = (double)w;
        image->h = (double)h;
        return;
    }
    image->state = OC_IMAGE_FAILED;
    image->error = oc_strdup(error ? error : "not a picture");
}

bool oc_images_are_loading(const struct oc_images *s) {
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(s->by_url, &pos, &key, &value)) {
        if (((const struct oc_image *)value)->state == OC_IMAGE_LOADING)
            return true;
    }
    return false;
}

void oc_images_age(struct oc_images *s) {
    (void)s; /* tests are short */
}
