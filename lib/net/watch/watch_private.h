/* The kernel's part of watching files. */
#ifndef LIB_NET_WATCH_WATCH_PRIVATE_H
#define LIB_NET_WATCH_WATCH_PRIVATE_H

#include "lib/base/str.h"
#include "lib/net/loop/loop.h"

struct oc_notify;

#ifdef __linux__
/* NULL when the kernel refuses: somebody else used up the user's watches, or a directory is not
 * there. */
struct oc_notify *oc_notify_create(struct oc_loop *loop, const struct oc_strv *files,
        void (*on_touch)(void *user), void *user);
void oc_notify_destroy(struct oc_notify *n);
#else
static inline struct oc_notify *oc_notify_create(struct oc_loop *loop, const struct oc_strv *files,
        void (*on_touch)(void *user), void *user) {
    (void)loop;
    (void)files;
    (void)on_touch;
    (void)user;
    return NULL;
}
static inline void oc_notify_destroy(struct oc_notify *n) {
    (void)n;
}
#endif

#endif
