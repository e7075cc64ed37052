/* The connecting side: name resolution (off the core thread), TCP, TLS with CA check or pin,
 * WebSocket upgrade. */
#ifndef LIB_NET_DIAL_H
#define LIB_NET_DIAL_H

#include "lib/base/error.h"
#include "lib/net/loop/loop.h"
#include "lib/net/ws/ws.h"

struct oc_dial_opts {
    const char *host;
    uint16_t port;
    const char *path;        /* default "/" */
    const char *host_header; /* default host:port */
    bool tls;
    const char *tls_fingerprint; /* SHA-256 of the DER certificate, any common spelling; NULL:
                                    verify by CA */
    const char *gateway_user;    /* whose gateway counts as ours on this machine, beside our own and
                                    root's (lib/net/peer.h);    NULL: nobody's */
    int timeout_ms;              /* for all of it; default 10000 */
    struct oc_ws_opts ws;        /* is_client is implied */
};

struct oc_dial;
/* Exactly one of ws and err is set. Not called after oc_dial_cancel. The dial is gone when this
 * returns. */
typedef void oc_dial_done(void *user, struct oc_ws *take_ws, const struct oc_error *err);

/* Copies opts. done fires from the loop, never from inside this call. */
struct oc_dial *oc_dial_start(
        struct oc_loop *loop, const struct oc_dial_opts *opts, oc_dial_done *done, void *user);
void oc_dial_cancel(struct oc_dial *d);

/* For the rule that plain ws:// stays on this machine or a private network. By the text alone: a
 * name is loopback only if it is "localhost", and private if it ends in .local or .ts.net. Loopback
 * counts as private. */
bool oc_host_is_loopback(const char *host);
bool oc_host_is_private(const char *host);
/* A name or a numeric address, without brackets, that can be dialled, printed and kept. */
bool oc_host_is_plain(const char *host);

#endif
