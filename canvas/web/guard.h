/* Every connection that pages cause (pictures, scripts, fetch, sockets, redirects, preloads) is
 * made here and nowhere else: WebKit is told to use a SOCKS proxy, also for localhost, and we are
 * it. A name is looked up once, and the address that was checked is the one that is connected to,
 * so a name server that answers twice differently gains nothing.
 *
 *   guard.c         which addresses (canvas/serve/web_target.h), and connecting
 *   guard_relay.c   the proxy: a thread a connection, which only moves bytes; TLS is between WebKit
 *                   and the server */
#ifndef CANVAS_WEB_GUARD_H
#define CANVAS_WEB_GUARD_H

#include "lib/base/error.h"

#include <gio/gio.h>

struct cv_guard;

enum oc_code cv_guard_create(struct cv_guard **ret, struct oc_error *err) OC_MUST_USE;
/* The address of the proxy, with a secret: others on this machine are not to use it. Valid as long
 * as the guard is. */
const char *cv_guard_uri(const struct cv_guard *g);
/* Why the last connection to this host was not made, NULL: it was. Caller frees. */
char *cv_guard_why(struct cv_guard *g, const char *host);
/* For guard_relay.c, on any thread. NULL: not made, and cv_guard_why says why. */
GSocketConnection *cv_guard_connect(struct cv_guard *g, const char *host, guint16 port);
bool cv_guard_is_secret(const struct cv_guard *g, const char *text);
/* Never ends: the threads of a guard are as old as the process. */
gboolean cv_guard_relay(
        GThreadedSocketService *service, GSocketConnection *from, GObject *source, gpointer guard);

#endif
