/* Every connection that pages cause (pictures, scripts, fetch, sockets, redirects, preloads) is made here and nowhere else: WebKit
 * is told to use a SOCKS proxy, also for localhost, and we are it. A name is looked up once, and the address that was checked is
 * the one that is connected to, so a name server that answers twice differently gains nothing.
 *
 *   guard.c         which addresses (canvas/serve/web_target.h), and connecting
 *   guard_relay.c   the proxy: a thread a connection, which only moves bytes; TLS is between WebKit and the server */
#ifndef CANVAS_WEB_GUARD_H
#define CANVAS_WEB_GUARD_H

#include "lib/base/error.h"

#include <gio/gio.h>

struct oc_guard;

enum oc_code oc_guard_create(struct oc_guard **ret, struct oc_error *err) OC_MUST_USE;
/* The address of the proxy, with a secret: others on this machine are not to use it. Valid as long as the guard is. */
const char *oc_guard_uri(const struct oc_guard *g);
/* Why the last connection to this host was not made, NULL: it was. Caller frees. */
char *oc_guard_why(struct oc_guard *g, const char *host);
/* For guard_relay.c, on any thread. NULL: not made, and oc_guard_why says why. */
GSocketConnection *oc_guard_connect(struct oc_guard *g, const char *host, guint16 port);
bool oc_guard_is_secret(const struct oc_guard *g, const char *text);
/* Never ends: the threads of a guard are as old as the process. */
gboolean oc_guard_relay(
        GThreadedSocketService *service, GSocketConnection *from, GObject *source, gpointer guard);

#endif
