/* HTTP(S) GET of something that somebody who is not trusted named, such as the pictures of an
 * agent: it must not be a way to what only this machine can reach.
 *
 * Every address that a name has must be public, the connection goes to an address that was checked
 * (names are not looked up a second time), and each redirect is checked anew. No cookies, no
 * credentials, no proxy. From https there is no way back to http. */
#ifndef LIB_NET_FETCH_H
#define LIB_NET_FETCH_H

#include "lib/base/buf.h"
#include "lib/base/str.h"
#include "lib/net/loop/loop.h"

#define OC_MAX_REDIRECTS 5

struct oc_fetch_opts {
    const char *url;
    const char *accept; /* header; NULL: anything */
    size_t max_bytes;
    int timeout_ms; /* for all of it */
    /* "host:port" that may be anywhere, as the owner of this machine said; NULL: none */
    const struct oc_strv *allow_hosts;
    enum oc_remedy allow; /* how the owner says so; OC_REMEDY_NONE: not at all */
};

struct oc_fetch;
/* Once, from the loop; body is NULL iff err is set, and may be taken. Not after oc_fetch_cancel.
 * The fetch is gone when this returns. */
typedef void oc_fetch_done(void *user, struct oc_buf *body, const struct oc_error *err);

/* Copies opts. */
struct oc_fetch *oc_fetch_start(
        struct oc_loop *loop, const struct oc_fetch_opts *opts, oc_fetch_done *done, void *user);
void oc_fetch_cancel(struct oc_fetch *f);

#endif
