/* Tells when files changed, were replaced, came or went. By the kernel where it can, else by
 * looking every second. */
#ifndef LIB_NET_WATCH_WATCH_H
#define LIB_NET_WATCH_WATCH_H

#include "lib/base/str.h"
#include "lib/net/loop/loop.h"

#include <stdbool.h>

struct oc_watch;

struct oc_watch_opts {
    const struct oc_strv *files; /* copied; they need not exist */
    int64_t settle_ms;           /* quiet time before on_change; a save is often several writes */
    bool only_looks;             /* do not ask the kernel; for tests */
    void (*on_change)(void *user);
    void *user;
};
struct oc_watch *oc_watch_create(struct oc_loop *loop, const struct oc_watch_opts *opts);
/* Also from inside on_change. */
void oc_watch_destroy(struct oc_watch *w);

#endif
