#include "lib/net/watch/watch.h"

#include "lib/base/mem.h"
#include "lib/net/watch/watch_private.h"

#include <string.h>
#include <sys/stat.h>

#define LOOK_INTERVAL_MS 1000

/* Enough of a file to see that it is another one. */
struct stamp {
    uint64_t device, inode;
    int64_t size, seconds, nanoseconds;
};

struct oc_watch {
    struct oc_loop *loop;
    struct oc_strv files;
    struct stamp *stamps; /* as many as files */
    int64_t settle_ms;
    struct oc_timer look, settled;
    struct oc_notify *notify; /* NULL: we look ourselves */
    void (*on_change)(void *user);
    void *user;
};

static struct stamp stamp_of(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0) {
        return (struct stamp){ 0 };
    }
#ifdef __APPLE__
    struct timespec changed = st.st_mtimespec;
#else
    struct timespec changed = st.st_mtim;
#endif
    return (struct stamp){ (uint64_t)st.st_dev, (uint64_t)st.st_ino, (int64_t)st.st_size,
        (int64_t)changed.tv_sec, (int64_t)changed.tv_nsec };
}

static bool is_same(const struct stamp *a, const struct stamp *b) {
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

static bool take_stamps(struct oc_watch *w) {
    bool changed = false;
    for (size_t i = 0; i < w->files.count; i++) {
        struct stamp now = stamp_of(w->files.items[i]);
        changed = changed || !is_same(&now, &w->stamps[i]);
        w->stamps[i] = now;
    }
    return changed;
}

static void watch_touched(void *user) {
    struct oc_watch *w = user;
    oc_timer_set(w->loop, &w->settled, w->settle_ms);
}

static void on_look(struct oc_timer *t) {
    struct oc_watch *w = t->user;
    if (take_stamps(w)) {
        watch_touched(w);
    }
    oc_timer_set(w->loop, t, LOOK_INTERVAL_MS);
}

static void on_settled(struct oc_timer *t) {
    struct oc_watch *w = t->user;
    w->on_change(w->user); /* may destroy the watch */
}

struct oc_watch *oc_watch_create(struct oc_loop *loop, const struct oc_watch_opts *opts) {
    struct oc_watch *w = oc_new(struct oc_watch);
    w->loop = loop;
    oc_strv_copy(&w->files, opts->files);
    w->stamps = oc_new_array(struct stamp, w->files.count);
    w->settle_ms = opts->settle_ms;
    w->on_change = opts->on_change;
    w->user = opts->user;
    w->look.on_expire = on_look;
    w->look.user = w;
    w->settled.on_expire = on_settled;
    w->settled.user = w;
    (void)take_stamps(w);
    w->notify = opts->only_looks ? NULL : oc_notify_create(loop, &w->files, watch_touched, w);
    if (!w->notify) {
        oc_timer_set(loop, &w->look, LOOK_INTERVAL_MS);
    }
    return w;
}

void oc_watch_destroy(struct oc_watch *w) {
    if (!w) {
        return;
    }
    oc_timer_cancel(&w->look);
    oc_timer_cancel(&w->settled);
    oc_notify_destroy(w->notify);
    oc_strv_finish(&w->files);
    oc_free(w->stamps);
    oc_free(w);
}
