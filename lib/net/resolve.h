/* Host names to addresses. Numbers and "localhost" are answered at once; the system's resolver
 * blocks, so each other name gets a short-lived thread. */
#ifndef LIB_NET_RESOLVE_H
#define LIB_NET_RESOLVE_H

#include "lib/base/error.h"
#include "lib/net/addr.h"
#include "lib/net/loop/loop.h"

#define OC_MAX_ADDRS 16

struct oc_addr_list {
    struct oc_addr items[OC_MAX_ADDRS];
    size_t count;
};

/* Without asking anybody; false when the resolver is needed. */
bool oc_resolve_now(const char *host, uint16_t port, struct oc_addr_list *ret);

struct oc_resolve;
/* Once, from the loop; addrs is NULL iff err is set. Not after oc_resolve_cancel. The look-up is
 * gone afterwards. */
typedef void oc_resolve_done(
        void *user, const struct oc_addr_list *addrs, const struct oc_error *err);

/* If this fails, done never fires. */
enum oc_code oc_resolve_start(struct oc_loop *loop, const char *host, uint16_t port,
        oc_resolve_done *done, void *user, struct oc_resolve **ret,
        struct oc_error *err) OC_MUST_USE;
/* The thread goes on until the resolver answers, but nobody is told. */
void oc_resolve_cancel(struct oc_resolve *r);

#endif
