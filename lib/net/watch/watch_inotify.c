/* The directories are watched, not the files: editors and our own writer put a new file in the old
 * one's place, and a watch on the old one would never fire again. */
#include "lib/base/mem.h"
#include "lib/net/watch/watch_private.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)

struct oc_notify {
    struct oc_io io;
    struct oc_strv names; /* "<watch>/<name in its directory>" */
    void (*on_touch)(void *user);
    void *user;
};

static bool watch_inotify_add(struct oc_notify *n, const char *path) {
    OC_AUTO_FREE char *for_dir = oc_strdup(path), *for_name = oc_strdup(path);
    int wd = inotify_add_watch(n->io.fd, dirname(for_dir), EVENTS);
    if (wd < 0) {
        return false;
    }
    OC_AUTO_FREE char *name = oc_strfmt("%d/%s", wd, basename(for_name));
    oc_strv_add_unique(&n->names, name);
    return true;
}

/* A link is watched at both ends. */
static bool add_file(struct oc_notify *n, const char *path) {
    char *real = realpath(path, NULL);
    bool ok = watch_inotify_add(n, path) && (!real || watch_inotify_add(n, real));
    free(real);
    return ok;
}

static void on_ready(struct oc_io *io, unsigned events) {
    struct oc_notify *n = io->user;
    (void)events;
    _Alignas(struct inotify_event) char buffer[4096];
    bool is_ours = false;
    for (ssize_t len; (len = read(io->fd, buffer, sizeof(buffer))) > 0;) {
        for (const char *p = buffer; p < buffer + len;) {
            const struct inotify_event *e = (const void *)p;
            OC_AUTO_FREE char *name = oc_strfmt("%d/%s", e->wd, e->len > 0 ? e->name : "");
            is_ours = is_ours || (e->mask & IN_Q_OVERFLOW) || oc_strv_has(&n->names, name);
            p += sizeof(*e) + e->len;
        }
    }
    if (is_ours) {
        n->on_touch(n->user);
    }
}

struct oc_notify *oc_notify_create(struct oc_loop *loop, const struct oc_strv *files,
        void (*on_touch)(void *user), void *user) {
    struct oc_notify *n = oc_new(struct oc_notify);
    n->on_touch = on_touch;
    n->user = user;
    n->io = (struct oc_io){ .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC),
        .events = OC_IO_READ,
        .on_ready = on_ready,
        .user = n };
    bool ok = n->io.fd >= 0;
    for (size_t i = 0; ok && i < files->count; i++) {
        ok = add_file(n, files->items[i]);
    }
    struct oc_error ignored;
    if (!ok || oc_io_add(loop, &n->io, &ignored) != OC_OK) {
        oc_notify_destroy(n);
        return NULL;
    }
    return n;
}

void oc_notify_destroy(struct oc_notify *n) {
    if (!n) {
        return;
    }
    oc_io_remove(&n->io);
    if (n->io.fd >= 0) {
        close(n->io.fd);
    }
    oc_strv_finish(&n->names);
    oc_free(n);
}
