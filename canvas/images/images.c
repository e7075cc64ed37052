#include "canvas/images/images.h"

#include "canvas/images/data_url.h"
#include "canvas/images/images_queue.h"
#include "canvas/model/limits.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"

#include <stdint.h>
#include <string.h>

#define KEPT_SCENES 2
#define MAX_PIXEL_BYTES ((size_t)64 * 1024 * 1024) /* of all pictures together */

struct image_entry {
    struct cv_image pub; /* first: others have a pointer to it */
    uint64_t seen;
    size_t bytes;
    bool is_queued; /* for its decoder */
};

struct cv_images {
    struct oc_map *by_url; /* url → struct image_entry */
    cv_image_wanted *on_wanted;
    void *user;
    struct cv_image_queue *queue;
    uint64_t scene;
    size_t loading;
    unsigned serials;                /* given out: an address may come again, a serial does not */
    const struct image_entry *asked; /* for just now: who asks sees what becomes of it at once */
    bool has_changed;                /* any other, since it was last said */
};

static void on_decoded(void *user, void *tag, struct cv_picture *take_picture, const char *error);
static void on_crowded(void *user);

struct cv_images *cv_images_create(cv_image_wanted *on_wanted, void *user) {
    struct cv_images *s = oc_new(struct cv_images);
    s->by_url = oc_map_create();
    s->on_wanted = on_wanted;
    s->user = user;
    s->queue = cv_image_queue_create(
            MAX_PIXEL_BYTES, &(struct cv_image_queue_events){ on_decoded, on_crowded }, s);
    return s;
}

static void entry_destroy(struct cv_images *s, struct image_entry *e) {
    if (e->is_queued) {
        cv_image_queue_drop(s->queue, e);
    }
    cv_image_queue_release(s->queue, e->bytes);
    s->loading -= e->pub.state == CV_IMAGE_LOADING;
    cv_picture_drop(e->pub.pixels);
    oc_free((char *)e->pub.url);
    oc_free((char *)e->pub.error);
    oc_free(e);
}

void cv_images_destroy(struct cv_images *s) {
    if (!s) {
        return;
    }
    size_t pos = 0;
    const char *key;
    void *value;
    while (oc_map_next(s->by_url, &pos, &key, &value)) {
        entry_destroy(s, value);
    }
    oc_map_destroy(s->by_url);
    cv_image_queue_destroy(s->queue);
    oc_free(s);
}

static void images_settle(struct cv_images *s, struct image_entry *e, enum cv_image_state state) {
    e->pub.state = state;
    e->pub.serial = ++s->serials;
    e->is_queued = false;
    s->loading--;
    s->has_changed = s->has_changed || e != s->asked;
}

static void on_decoded(void *user, void *tag, struct cv_picture *take_picture, const char *error) {
    struct cv_images *s = user;
    struct image_entry *e = tag;
    if (take_picture) {
        e->pub.w = take_picture->w;
        e->pub.h = take_picture->h;
        e->bytes = take_picture->bytes;
        e->pub.pixels = cv_picture_keep(take_picture);
    } else {
        e->pub.error = oc_strdup(error);
    }
    images_settle(s, e, take_picture ? CV_IMAGE_READY : CV_IMAGE_FAILED);
}

static void images_take(struct cv_images *s, struct image_entry *e, const void *bytes, size_t len,
        const char *why) {
    if (why || len > CV_MAX_IMAGE_BYTES) {
        OC_AUTO_FREE char *large =
                oc_strfmt("the file is larger than %zu MB", CV_MAX_IMAGE_BYTES >> 20);
        on_decoded(s, e, NULL, why ? why : large);
        return;
    }
    e->is_queued = true;
    cv_image_queue_add(s->queue, e, bytes, len);
}

static void take_data(struct cv_images *s, struct image_entry *e) {
    const char *why = NULL;
    size_t len = 0;
    OC_AUTO_FREE uint8_t *bytes = cv_data_url_decode(e->pub.url, &len, &why);
    images_take(s, e, bytes, len, why);
}

static const struct cv_image none = {
    .url = "", .state = CV_IMAGE_FAILED, .error = "there is no picture"
};
static const struct cv_image too_many = {
    .url = "", .state = CV_IMAGE_FAILED, .error = "too many pictures"
};

const struct cv_image *cv_images_get(struct cv_images *s, struct oc_slice url) {
    if (!url.len || memchr(url.ptr, 0, url.len)) {
        return &none;
    }
    OC_AUTO_FREE char *key = oc_strndup(url.ptr, url.len);
    struct image_entry *e = oc_map_get(s->by_url, key);
    if (e) {
        e->seen = s->scene;
        return &e->pub;
    }
    if (oc_map_count(s->by_url) == CV_MAX_IMAGES) {
        return &too_many;
    }
    e = oc_new(struct image_entry);
    e->seen = s->scene;
    e->pub.url = oc_strdup(key);
    e->pub.serial = ++s->serials;
    s->loading++;
    oc_map_put(s->by_url, key, e);
    s->asked = e;
    if (cv_data_url_is(key)) {
        take_data(s, e);
    } else if (s->on_wanted) {
        s->on_wanted(s->user, e->pub.url);
    }
    s->asked = NULL;
    return &e->pub;
}

void cv_images_bring(
        struct cv_images *s, const char *url, const void *bytes, size_t len, const char *error) {
    struct image_entry *e = oc_map_get(s->by_url, url);
    if (e && e->pub.state == CV_IMAGE_LOADING && !e->is_queued) {
        images_take(s, e, bytes, len, error);
    }
}

bool cv_images_are_loading(const struct cv_images *s) {
    return s->loading > 0;
}

bool cv_images_are_decoding(const struct cv_images *s) {
    return !cv_image_queue_is_empty(s->queue);
}

int cv_images_fd(const struct cv_images *s) {
    return cv_image_queue_fd(s->queue);
}

void cv_images_budget(struct cv_images *s, int64_t cpu_ms) {
    cv_image_queue_budget(s->queue, cpu_ms);
}

/* What the last scene did not ask for, of those in this state. */
static void drop_unseen(struct cv_images *s, enum cv_image_state state) {
    size_t pos = 0;
    const char *key;
    void *value;
    OC_AUTO_FREE struct image_entry **old =
            oc_new_array(struct image_entry *, oc_map_count(s->by_url) + 1);
    size_t count = 0;
    while (oc_map_next(s->by_url, &pos, &key, &value)) {
        struct image_entry *e = value;
        if (e->seen != s->scene && e->pub.state == state &&
                (state != CV_IMAGE_LOADING || e->is_queued)) {
            old[count++] = e;
        }
    }
    for (size_t i = 0; i < count; i++) {
        entry_destroy(s, oc_map_remove(s->by_url, old[i]->pub.url));
    }
}

static void on_crowded(void *user) {
    drop_unseen(user, CV_IMAGE_READY);
}

static bool has_changed(struct cv_images *s) {
    bool ret = s->has_changed;
    s->has_changed = false;
    return ret;
}

bool cv_images_begin(struct cv_images *s) {
    if (cv_images_are_decoding(s)) {
        drop_unseen(s, CV_IMAGE_LOADING);
        cv_image_queue_start(s->queue, true);
    }
    return has_changed(s);
}

bool cv_images_run(struct cv_images *s) {
    if (cv_images_are_decoding(s)) {
        cv_image_queue_collect(s->queue);
        cv_image_queue_start(s->queue, true);
    }
    return has_changed(s);
}

void cv_images_age(struct cv_images *s) {
    s->scene++;
    const char
            *old[16]; /* a few a scene: a page that changes wholly is cleared within some scenes */
    size_t count = 0, pos = 0;
    const char *key;
    void *value;
    while (count < OC_COUNT(old) && oc_map_next(s->by_url, &pos, &key, &value)) {
        const struct image_entry *e = value;
        if (s->scene - e->seen > KEPT_SCENES && e->pub.state != CV_IMAGE_LOADING) {
            old[count++] = e->pub.url;
        }
    }
    for (size_t i = 0; i < count; i++) {
        entry_destroy(s, oc_map_remove(s->by_url, old[i]));
    }
}
