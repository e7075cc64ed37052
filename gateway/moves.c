/* Where this gateway will be, told to the nodes that understand it before it goes there: a restart
 * in place with another port or path, with TLS, or with another certificate.
 * docs/PROTOCOL.md#a-gateway-that-moves */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/settings/tls_setup.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"

#define TAG "gateway.moves"

struct moves_place {
    uint16_t port;
    const char *pin, *path; /* pin NULL: no TLS */
};

/* A proxy has an address and a certificate of its own, which stay. */
static bool is_to_hear(const struct gw_conn *c) {
    return c->state == GW_CONN_READY && c->node && c->follows_moves && !c->from.is_forwarded;
}

static void tell_nodes(struct gw_gateway *gw, const struct moves_place *to, bool has_other_path) {
    size_t told = 0;
    struct gw_conn *c;
    oc_list_for_each(c, &gw->conns.list, link) {
        if (!is_to_hear(c)) {
            continue;
        }
        cJSON *o = cJSON_CreateObject();
        oc_json_set_int(o, "port", to->port);
        oc_json_set_bool(o, "tls", to->pin != NULL);
        oc_json_set_str(o, "tlsFingerprint", to->pin);
        if (has_other_path) {
            oc_json_set_str(o, "contextPath", *to->path ? to->path : "/");
        }
        gw_event_send(c, GW_EVENT_GATEWAY_MOVED, o);
        told++;
    }
    oc_log(OC_LOG_INFO, TAG, "nodes were told where the gateway will be count=%zu of=%zu", told,
            gw_nodes_count(gw->nodes));
}

void gw_moves_announce(struct gw_gateway *gw, const cJSON *config) {
    struct gw_config next;
    struct gw_opts opts = gw->asked;
    struct oc_tls_server *tls = NULL;
    struct oc_error err;
    opts.config = config;
    /* What cannot be served is found out by the one that tries; then all stays as it is. The
     * certificate is made now, if there is none yet: its pin has to be known before. */
    if (gw_config_load(&opts, &next, &err) == OC_OK && gw_tls_load(&next, &tls, &err) == OC_OK) {
        struct moves_place to = { .port = next.port > 0 ? next.port : gw_port(gw),
            .pin = tls ? oc_tls_server_pin(tls) : NULL,
            .path = next.context_path };
        bool has_other_path = !oc_streq(to.path, gw->cfg.context_path);
        if (to.port != gw_port(gw) || !oc_streq(to.pin, gw_tls_pin(gw)) || has_other_path) {
            tell_nodes(gw, &to, has_other_path);
        }
    }
    oc_tls_server_destroy(tls);
    gw_config_finish(&next);
}

void gw_moves_new_pin(struct gw_gateway *gw) {
    tell_nodes(gw, &(struct moves_place){ .port = gw_port(gw), .pin = gw_tls_pin(gw), .path = "" },
            false);
}
