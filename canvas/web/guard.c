#include "canvas/web/guard.h"

#include "canvas/serve/web_target.h"
#include "lib/address/address_own.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <string.h>

#define MAX_THREADS 256
#define MAX_NAMES 4096
#define CONNECT_S 10
#define ATTEMPT_S 3 /* for one address while there are others */

struct cv_guard {
    char *uri, *secret;
    GSocketService *service;
    GMutex lock;       /* of what follows */
    GHashTable *names; /* lower case → enum oc_address_class, of the first time */
    GHashTable *whys;  /* host → text */
};

static bool is_never(enum oc_address_class reach) {
    return reach == OC_ADDRESS_NOWHERE || reach == OC_ADDRESS_LINK;
}

static enum oc_address_class reach_of(GInetAddress *address) {
    struct sockaddr_storage native = { 0 };
    g_autoptr(GSocketAddress) at = g_inet_socket_address_new(address, 0);
    bool is_read = g_socket_address_to_native(at, &native, sizeof(native), NULL);
    return is_read ? oc_address_reach((struct sockaddr *)&native) : OC_ADDRESS_NOWHERE;
}

/* The innermost that there is: a name that stands for a stranger and for this machine is somebody's
 * trick. */
static enum oc_address_class guard_innermost(GList *addresses) {
    enum oc_address_class best = OC_ADDRESS_NOWHERE;
    for (GList *a = addresses; a; a = a->next) {
        enum oc_address_class reach = reach_of(a->data);
        if (is_never(best) ? reach > best : !is_never(reach) && reach < best) {
            best = reach;
        }
    }
    return best;
}

/* False: too many names. */
static bool guard_pin(struct cv_guard *g, const char *name, enum oc_address_class *reach) {
    gpointer was;
    bool is_known, is_fine = true;
    g_mutex_lock(&g->lock);
    is_known = g_hash_table_lookup_extended(g->names, name, NULL, &was);
    if (is_known) {
        *reach = (enum oc_address_class)GPOINTER_TO_INT(was);
    } else if (g_hash_table_size(g->names) < MAX_NAMES) {
        g_hash_table_insert(g->names, g_strdup(name), GINT_TO_POINTER((int)*reach));
    } else {
        is_fine = false;
    }
    g_mutex_unlock(&g->lock);
    return is_fine;
}

static void say_why(struct cv_guard *g, const char *host, const char *why) {
    g_mutex_lock(&g->lock);
    if (!why) {
        g_hash_table_remove(g->whys, host);
    } else {
        if (g_hash_table_size(g->whys) >= MAX_NAMES) {
            g_hash_table_remove_all(g->whys);
        }
        g_hash_table_insert(g->whys, g_strdup(host), g_strdup(why));
    }
    g_mutex_unlock(&g->lock);
}

char *cv_guard_why(struct cv_guard *g, const char *host) {
    g_autofree char *name = g_ascii_strdown(host, -1);
    g_mutex_lock(&g->lock);
    char *why = g_strdup(g_hash_table_lookup(g->whys, name));
    g_mutex_unlock(&g->lock);
    return why;
}

static GSocketConnection *connect_one(
        GInetAddress *address, guint16 port, guint timeout_s, GError **error) {
    g_autoptr(GSocketAddress) to = g_inet_socket_address_new(address, port);
    g_autoptr(GSocketClient) client = g_socket_client_new();
    g_socket_client_set_enable_proxy(client, FALSE);
    g_socket_client_set_timeout(client, timeout_s);
    GSocketConnection *c = g_socket_client_connect(client, G_SOCKET_CONNECTABLE(to), NULL, error);
    if (c) {
        g_socket_set_timeout(g_socket_connection_get_socket(c), 0);
    }
    return c;
}

static GSocketConnection *connect_direct(
        GList *addresses, enum oc_address_class reach, guint16 port, GError **error) {
    GSocketConnection *c = NULL;
    for (GList *a = addresses; a && !c; a = a->next) {
        if (reach_of(a->data) == reach) {
            g_clear_error(error);
            c = connect_one(a->data, port, a->next ? ATTEMPT_S : CONNECT_S, error);
        }
    }
    return c;
}

/* The desktop's proxy, as WebKit itself would use it. NULL: none. Only the first: "direct" behind
 * it would be us. */
static char *outer_proxy(const char *host, guint16 port) {
    bool is_v6 = strchr(host, ':') != NULL;
    g_autofree char *uri = g_strdup_printf("%s://%s%s%s:%u", port == 80 ? "http" : "https",
            is_v6 ? "[" : "", host, is_v6 ? "]" : "", (unsigned)port);
    g_auto(GStrv) proxies =
            g_proxy_resolver_lookup(g_proxy_resolver_get_default(), uri, NULL, NULL);
    bool is_one = proxies && proxies[0] && !g_str_has_prefix(proxies[0], "direct");
    return is_one ? g_strdup(proxies[0]) : NULL;
}

static GSocketConnection *connect_through(
        const char *proxy, const char *host, guint16 port, GError **error) {
    g_autoptr(GProxyResolver) only = g_simple_proxy_resolver_new(proxy, NULL);
    g_autoptr(GSocketClient) client = g_socket_client_new();
    g_autoptr(GSocketConnectable) to = g_network_address_new(host, port);
    g_socket_client_set_proxy_resolver(client, only);
    g_socket_client_set_timeout(client, CONNECT_S);
    GSocketConnection *c = g_socket_client_connect(client, to, NULL, error);
    if (c) {
        g_socket_set_timeout(g_socket_connection_get_socket(c), 0);
    }
    return c;
}

static const char *name_of(enum oc_address_class reach) {
    static const char *const names[] = { "nobody's address", "a link-local address", "this machine",
        "the private network", "the Internet" };
    return names[reach];
}

static GSocketConnection *guard_make(
        struct cv_guard *g, const char *host, guint16 port, char **ret_why, GError **error) {
    bool is_number = g_hostname_is_ip_address(host);
    g_autoptr(GResolver) resolver = g_resolver_get_default();
    GList *addresses = is_number ? g_list_append(NULL, g_inet_address_new_from_string(host))
                                 : g_resolver_lookup_by_name(resolver, host, NULL, error);
    enum oc_address_class first = guard_innermost(addresses), reach = first;
    GSocketConnection *c = NULL;
    g_autofree char *proxy = first == OC_ADDRESS_MACHINE ? NULL : outer_proxy(host, port);
    if (addresses && is_never(first)) {
        *ret_why = is_number
                           ? g_strdup(cv_web_why_forbidden(first))
                           : g_strdup_printf("stands for %s; those are not shown", name_of(first));
    } else if (addresses && !is_number && !guard_pin(g, host, &reach)) {
        *ret_why = g_strdup("is one name too many; names are counted until a surface is shown");
    } else if (proxy && reach == first) { /* a name that only the proxy knows has no address here */
        g_clear_error(error);
        c = connect_through(proxy, host, port, error);
    } else if (addresses && !(c = connect_direct(addresses, reach, port, error)) && !*error) {
        *ret_why =
                g_strdup_printf("stood for %s before and now for %s; such names are not followed",
                        name_of(reach), name_of(first));
    }
    g_resolver_free_addresses(addresses);
    return c;
}

GSocketConnection *cv_guard_connect(struct cv_guard *g, const char *host, guint16 port) {
    g_autofree char *name = g_ascii_strdown(host, -1), *why = NULL;
    g_autoptr(GError) error = NULL;
    GSocketConnection *c = guard_make(g, name, port, &why, &error);
    say_why(g, name, c ? NULL : why ? why : error ? error->message : "cannot be reached");
    return c;
}

const char *cv_guard_uri(const struct cv_guard *g) {
    return g->uri;
}

bool cv_guard_is_secret(const struct cv_guard *g, const char *text) {
    return oc_secret_equal(g->secret, text);
}

enum oc_code cv_guard_create(struct cv_guard **ret, struct oc_error *err) {
    g_autoptr(GSocketService) service = g_threaded_socket_service_new(MAX_THREADS);
    g_autoptr(GInetAddress) loopback = g_inet_address_new_loopback(G_SOCKET_FAMILY_IPV4);
    g_autoptr(GSocketAddress) any = g_inet_socket_address_new(loopback, 0);
    g_autoptr(GSocketAddress) got = NULL;
    g_autoptr(GError) error = NULL;
    uint8_t secret[16];
    if (!g_socket_listener_add_address(G_SOCKET_LISTENER(service), any, G_SOCKET_TYPE_STREAM,
                G_SOCKET_PROTOCOL_TCP, NULL, &got, &error)) {
        return oc_fail(err, OC_E_IO, "no port for the connections of pages: %s", error->message);
    }
    struct cv_guard *g = oc_new(struct cv_guard);
    oc_random(secret, sizeof(secret));
    g->secret = oc_base64url(secret, sizeof(secret));
    g->uri = g_strdup_printf("socks5://openclaw:%s@127.0.0.1:%u", g->secret,
            (unsigned)g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(got)));
    g_mutex_init(&g->lock);
    g->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g->whys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g->service = g_steal_pointer(&service);
    g_signal_connect(g->service, "run", G_CALLBACK(cv_guard_relay), g);
    g_socket_service_start(g->service);
    *ret = g;
    return OC_OK;
}
