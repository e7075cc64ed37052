/* Pictures by URL: data: URLs have their bytes with them, those of http(s) and canvas files
 * somebody brings. This program has no network; what it wants is told by on_wanted, and
 * cv_images_bring gives the bytes. Decoding is done beside everything else (images_queue.h), is
 * bounded by limits.h and looks at the bytes, never at names or declared types. */
#ifndef CANVAS_IMAGES_IMAGES_H
#define CANVAS_IMAGES_IMAGES_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cv_image_state { CV_IMAGE_LOADING, CV_IMAGE_READY, CV_IMAGE_FAILED };

struct cv_image {
    const char *url;
    enum cv_image_state state;
    double w, h;       /* READY: natural size in pixels */
    const char *error; /* FAILED: for people; without the address, which who shows it adds */
    void *pixels;    /* READY: a cairo_surface_t, or an svg handle; paint_cairo.c's and images_*.c's
                        matter */
    unsigned serial; /* changes when the picture does; no two have the same */
};

struct cv_images;
typedef void cv_image_wanted(void *user, const char *url);

struct cv_images *cv_images_create(cv_image_wanted *on_wanted, void *user);
void cv_images_destroy(struct cv_images *s);
/* Never NULL; LOADING when it was asked for just now. An empty URL is FAILED. */
const struct cv_image *cv_images_get(struct cv_images *s, struct oc_slice url);
/* The bytes of a wanted picture, or why there are none (error != NULL). Unknown URLs are
 * ignored. */
void cv_images_bring(
        struct cv_images *s, const char *url, const void *bytes, size_t len, const char *error);
bool cv_images_are_loading(const struct cv_images *s);
bool cv_images_are_decoding(const struct cv_images *s); /* of those, some have their bytes */
/* When a scene is made: what it does not show is given up, what waited for it begins. True:
 * pictures failed that the scene takes for loading. */
bool cv_images_begin(struct cv_images *s);
/* When the descriptor can be read, but never while a scene is made. True: pictures came or failed
 * since the last time. */
int cv_images_fd(const struct cv_images *s);
bool cv_images_run(struct cv_images *s);
void cv_images_budget(struct cv_images *s, int64_t cpu_ms); /* of decoders, from now on */
void cv_images_age(
        struct cv_images *s); /* once a scene: what two scenes did not ask for is dropped */

#endif
