/* Pictures that wait for their decoders: at most two run at a time, beside everything else, in the
 * order in which the pictures came. One starts only when it has room whatever the one that runs
 * becomes, so what is shown does not hang on which is done first. */
#ifndef CANVAS_IMAGES_IMAGES_QUEUE_H
#define CANVAS_IMAGES_IMAGES_QUEUE_H

#include "canvas/images/images_decode.h"

#include <stdbool.h>

struct cv_image_queue;

struct cv_image_queue_events {
    /* picture NULL: error says why. */
    void (*on_decoded)(void *user, void *tag, struct cv_picture *take_picture, const char *error);
    void (*on_crowded)(void *user); /* what nobody sees can be released now */
};

/* max_bytes: of the pixels of all pictures together. */
struct cv_image_queue *cv_image_queue_create(
        size_t max_bytes, const struct cv_image_queue_events *events, void *user);
void cv_image_queue_destroy(struct cv_image_queue *q); /* tells nobody */
/* Processor time for all that comes from now on; after it the rest is refused. */
void cv_image_queue_budget(struct cv_image_queue *q, int64_t cpu_ms);
/* May tell of it at once. The tag is one of its own. */
void cv_image_queue_add(struct cv_image_queue *q, void *tag, const void *bytes, size_t len);
void cv_image_queue_drop(struct cv_image_queue *q, const void *tag);
void cv_image_queue_release(struct cv_image_queue *q, size_t bytes); /* of pixels that are gone */
void cv_image_queue_collect(struct cv_image_queue *q); /* tells of those that are done */
/* Others begin. is_between: no scene is being made, so it is known what nobody sees. */
void cv_image_queue_start(struct cv_image_queue *q, bool is_between);
bool cv_image_queue_is_empty(const struct cv_image_queue *q);
int cv_image_queue_fd(const struct cv_image_queue *q); /* readable: something is to be collected */

#endif
