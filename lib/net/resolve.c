#include "lib/net/resolve.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/net/loop/mailbox.h"

#include <netdb.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#define MAX_THREADS 16 /* a resolver may take half a minute to give up */

struct oc_resolve {
    char *host;
    uint16_t port;
    struct oc_mailbox *mailbox; /* own reference: the loop may be gone before the answer */
    /* core thread only */
    oc_resolve_done *done; /* NULL: cancelled */
    void *user;
    /* written by the thread, read after it has posted */
    struct oc_addr_list addrs;
    struct oc_error err;
};

static atomic_uint running_threads;

bool oc_resolve_now(const char *host, uint16_t port, struct oc_addr_list *ret) {
    struct oc_addr_list list = { 0 };
    if (oc_addr_parse(host, port, &list.items[0])) {
        list.count = 1;
    } else if (strcasecmp(host, "localhost") == 0 || strcasecmp(host, "localhost.") == 0) {
        list.count += oc_addr_parse("127.0.0.1", port, &list.items[list.count]);
        list.count += oc_addr_parse("::1", port, &list.items[list.count]);
    } else {
        return false;
    }
    *ret = list;
    return true;
}

static void resolve_free(struct oc_resolve *r) {
    oc_mailbox_unref(r->mailbox);
    oc_free(r->host);
    oc_free(r);
}

static void resolve_deliver(void *user) {
    struct oc_resolve *r = user;
    if (r->done) {
        r->done(r->user, r->err.code ? NULL : &r->addrs, r->err.code ? &r->err : NULL);
    }
    resolve_free(r);
}

static void take_addresses(struct oc_resolve *r, const struct addrinfo *found) {
    for (; found && r->addrs.count < OC_MAX_ADDRS; found = found->ai_next) {
        if ((found->ai_family != AF_INET && found->ai_family != AF_INET6) ||
                found->ai_addrlen > sizeof(r->addrs.items[0].u)) {
            continue;
        }
        struct oc_addr *a = &r->addrs.items[r->addrs.count++];
        memcpy(&a->u, found->ai_addr, found->ai_addrlen);
        a->len = found->ai_addrlen;
        if (found->ai_family == AF_INET6) {
            a->u.v6.sin6_port = htons(r->port);
        } else {
            a->u.v4.sin_port = htons(r->port);
        }
    }
}

static void look_up(struct oc_resolve *r) {
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG
    };
    struct addrinfo *found = NULL;
    int rc = getaddrinfo(r->host, NULL, &hints, &found);
    if (rc == 0) {
        take_addresses(r, found);
        freeaddrinfo(found);
    }
    if (r->addrs.count == 0) {
        OC_AUTO_FREE char *shown = oc_printable(r->host, strlen(r->host), 100);
        (void)oc_fail(&r->err, OC_E_NOT_FOUND, "cannot resolve host '%s': %s", shown,
                rc != 0 ? gai_strerror(rc) : "it has no address");
    }
}

static void *resolve_main(void *arg) {
    struct oc_resolve *r = arg;
    look_up(r);
    /* Counted down first: once posted, r belongs to the core thread. */
    struct oc_mailbox *mailbox = oc_mailbox_ref(r->mailbox);
    atomic_fetch_sub(&running_threads, 1);
    if (!oc_mailbox_post(mailbox, resolve_deliver, r)) {
        resolve_free(r);
    }
    oc_mailbox_unref(mailbox);
    return NULL;
}

enum oc_code oc_resolve_start(struct oc_loop *loop, const char *host, uint16_t port,
        oc_resolve_done *done, void *user, struct oc_resolve **ret, struct oc_error *err) {
    if (atomic_fetch_add(&running_threads, 1) >= MAX_THREADS) {
        atomic_fetch_sub(&running_threads, 1);
        return oc_fail(err, OC_E_UNAVAILABLE,
                "cannot resolve host '%s': %d look-ups are waiting for the resolver already", host,
                MAX_THREADS);
    }
    struct oc_resolve *r = oc_new(struct oc_resolve);
    r->host = oc_strdup(host);
    r->port = port;
    r->mailbox = oc_mailbox_ref(oc_loop_mailbox(loop));
    r->done = done;
    r->user = user;
    int rc = oc_mailbox_thread(resolve_main, r);
    if (rc != 0) {
        atomic_fetch_sub(&running_threads, 1);
        resolve_free(r);
        return oc_fail(err, OC_E_UNAVAILABLE, "cannot resolve host '%s': %s", host, strerror(rc));
    }
    *ret = r;
    return OC_OK;
}

void oc_resolve_cancel(struct oc_resolve *r) {
    if (r) {
        r->done = NULL;
        r->user = NULL;
    }
}
