/* Where this gateway will be, told to the nodes that understand it before it goes there: a restart
 * in place with another port or path, with TLS, or with another certificate; or another machine, by
 * its owner's word. docs/PROTOCOL.md#a-gateway-that-moves */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/settings/tls_setup.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"

#include <string.h>

#define TAG "gateway.moves"

#define META_KEY "gateway.movedTo"
#define WITH_OWN_PIN "ownPin" /* kept only: the certificate goes along */

struct moves_place {
    uint16_t port;
    const char *host, *pin, *path; /* host and path NULL: as it is; pin NULL: no TLS */
};

/* A proxy has an address and a certificate of its own, which stay. */
static bool is_to_hear(const struct gw_conn *c) {
    return c->state == GW_CONN_READY && c->node && c->follows_moves && !c->from.is_forwarded;
}

static cJSON *encode_place(const struct moves_place *to) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "host", to->host);
    oc_json_set_int(o, "port", to->port);
    oc_json_set_bool(o, "tls", to->pin != NULL);
    oc_json_set_str(o, "tlsFingerprint", to->pin);
    if (to->path) {
        oc_json_set_str(o, "contextPath", *to->path ? to->path : "/");
    }
    return o;
}

/* The ids of those who were told; caller deletes. */
static cJSON *tell_nodes(struct gw_gateway *gw, const cJSON *place) {
    cJSON *told = cJSON_CreateArray();
    struct gw_conn *c;
    oc_list_for_each(c, &gw->conns.list, link) {
        if (is_to_hear(c)) {
            gw_event_send(c, GW_EVENT_GATEWAY_MOVED, cJSON_Duplicate(place, true));
            cJSON_AddItemToArray(told, cJSON_CreateString(c->node->id));
        }
    }
    oc_log(OC_LOG_INFO, TAG, "nodes were told where the gateway will be count=%d of=%zu",
            cJSON_GetArraySize(told), gw_nodes_count(gw->nodes));
    return told;
}

static void tell_place(struct gw_gateway *gw, const struct moves_place *to) {
    OC_AUTO_JSON cJSON *place = encode_place(to);
    cJSON_Delete(tell_nodes(gw, place));
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
            .path = oc_streq(next.context_path, gw->cfg.context_path) ? NULL : next.context_path };
        if (to.port != gw_port(gw) || !oc_streq(to.pin, gw_tls_pin(gw)) || to.path) {
            tell_place(gw, &to);
        }
    }
    oc_tls_server_destroy(tls);
    gw_config_finish(&next);
}

void gw_moves_new_pin(struct gw_gateway *gw) {
    tell_place(gw, &(struct moves_place){ .port = gw_port(gw), .pin = gw_tls_pin(gw) });
}

/* What the owner said of another machine, for those who were away then; NULL: nothing. Caller
 * deletes. */
static cJSON *kept_place(struct gw_gateway *gw) {
    OC_AUTO_FREE char *text = NULL;
    cJSON *place = NULL;
    struct oc_error err;
    enum oc_code rc = gw_store_get_meta(gw->store, META_KEY, &text, &err);
    if (rc == OC_OK && *text) {
        rc = oc_json_parse(text, strlen(text), &place, &err);
    }
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        oc_log(OC_LOG_ERROR, TAG, "where the gateway moves to is not known: %s", err.text);
    }
    if (oc_json_get_bool(place, WITH_OWN_PIN, false)) { /* which may be another one by now */
        oc_json_set_str(place, "tlsFingerprint", gw_tls_pin(gw));
    }
    cJSON_DeleteItemFromObjectCaseSensitive(place, WITH_OWN_PIN);
    return place;
}

void gw_moves_follower(struct gw_conn *c) {
    struct gw_gateway *gw = c->all->gw;
    c->follows_moves = true;
    OC_AUTO_JSON cJSON *place = gw->tls && is_to_hear(c) ? kept_place(gw) : NULL;
    if (place) {
        gw_event_send(c, GW_EVENT_GATEWAY_MOVED, oc_take(&place));
    }
}

enum oc_code gw_moves_to(struct gw_gateway *gw, const char *host, uint16_t port, const char *pin,
        cJSON **ret, struct oc_error *err) {
    if (!gw->tls) {
        return oc_fail_setting(err, OC_E_INVALID, "gateway.tls.enabled",
                "is not set: nodes follow to another host over TLS only");
    }
    OC_AUTO_JSON cJSON *place = encode_place(&(struct moves_place){ .host = host,
            .port = port > 0 ? port : gw_port(gw),
            .pin = pin ? pin : gw_tls_pin(gw) });
    OC_AUTO_JSON cJSON *kept = cJSON_Duplicate(place, true);
    oc_json_set_bool(kept, WITH_OWN_PIN, pin == NULL);
    OC_AUTO_FREE char *text = oc_json_print(kept, false);
    enum oc_code rc = gw_store_set_meta(gw->store, META_KEY, text, err);
    if (rc == OC_OK) {
        oc_log(OC_LOG_INFO, TAG, "the gateway moves by its owner's word host=%s port=%lld", host,
                (long long)oc_json_get_int(place, "port", 1, UINT16_MAX, 0));
        oc_json_set(place, "told", tell_nodes(gw, place));
        *ret = oc_take(&place);
    }
    return rc;
}

enum oc_code gw_moves_stay(struct gw_gateway *gw, cJSON **ret, struct oc_error *err) {
    enum oc_code rc = gw_store_set_meta(gw->store, META_KEY, "", err);
    if (rc == OC_OK) {
        OC_AUTO_JSON cJSON *here =
                encode_place(&(struct moves_place){ .port = gw_port(gw), .pin = gw_tls_pin(gw) });
        oc_json_set(here, "told", tell_nodes(gw, here));
        *ret = oc_take(&here);
    }
    return rc;
}
