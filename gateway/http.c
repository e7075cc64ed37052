/* Plain HTTP on the same port: whether the gateway lives and is ready, short links to setup codes,
 * and who need not even begin a WebSocket. */
#include "gateway/canvas/canvas_host.h"
#include "gateway/core.h"
#include "gateway/origin/locality.h"
#include "gateway/pairing/join_codes.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/log/log_blame.h"
#include "lib/net/server/peer_user.h"
#include "lib/protocol/limits.h"

#include <stdio.h>
#include <string.h>

#define CROWDED                                                                                  \
    "{\"error\":{\"message\":\"Too many connections of this address wait to log in. Please try " \
    "again later.\",\"type\":\"too_many_connections\"}}"

static void http_reply(struct oc_http_reply *ret, int status, const char *type, const char *body) {
    *ret = (struct oc_http_reply){ .status = status,
        .content_type = type,
        .body = body,
        .extra_headers = "Cache-Control: no-store\r\n" };
}

static void reply_json(
        struct gw_gateway *gw, struct oc_http_reply *ret, int status, const cJSON *body) {
    struct oc_buf text = OC_BUF_INIT(sizeof(gw->http_body) - 1);
    bool fits = oc_json_append(&text, body, false) == OC_OK;
    snprintf(gw->http_body, sizeof(gw->http_body), "%.*s", fits ? (int)text.len : 0,
            fits ? text.data : "");
    explicit_bzero(text.data, text.len);
    oc_buf_finish(&text);
    http_reply(ret, fits ? status : 500, "application/json", gw->http_body);
}

/* The words of the reference: its command line only looks at the status, other programs at
 * these. */
static void refuse_join(struct gw_gateway *gw, struct oc_http_reply *ret, int64_t wait_ms) {
    if (wait_ms <= 0) {
        http_reply(ret, 404, "application/json", "{\"error\":\"not_found\"}");
        return;
    }
    http_reply(ret, 429, "application/json", "{\"error\":\"rate_limited\"}");
    snprintf(gw->http_extra, sizeof(gw->http_extra),
            "Cache-Control: no-store\r\nRetry-After: %lld\r\n", (long long)(wait_ms + 999) / 1000);
    ret->extra_headers = gw->http_extra;
}

/* Guessing is slowed down like guessing any other secret; nobody but the guesser is. */
static void follow_link(struct gw_gateway *gw, const struct oc_http_head *head,
        const struct oc_peer *peer, const char *join, struct oc_http_reply *ret) {
    struct gw_origin_facts from;
    gw_origin_facts_read(&from, head, peer, &gw->cfg.allowed_origins, &gw->cfg.proxies);
    bool is_exempt = gw->cfg.rate_exempt_loopback && gw_origin_may_guess(&from, peer);
    const char *guesser = gw_origin_guesser(&from, peer);
    int64_t wait = is_exempt ? 0 : gw_rate_limit_wait_ms(gw->rate, GW_CRED_JOIN, guesser);
    if (wait > 0) {
        refuse_join(gw, ret, wait);
        return;
    }
    struct oc_setup_code code = { 0 };
    struct oc_error err;
    bool is_asked_well = oc_streq(oc_http_method(head), "GET") && !*oc_http_query(head) && *join;
    enum oc_code rc = !is_asked_well ? OC_E_NOT_FOUND
                                     : gw_join_code_follow(gw->store, gw->clock, join, &code, &err);
    if (rc == OC_E_NOT_FOUND) {
        if (!is_exempt) {
            gw_rate_limit_failed(gw->rate, GW_CRED_JOIN, guesser);
        }
        refuse_join(gw, ret, 0);
        return;
    }
    if (rc != OC_OK) {
        oc_log(OC_LOG_ERROR, "gateway.pairing", "join link not followed: %s", err.text);
        http_reply(ret, 503, "application/json", "{\"error\":\"unavailable\"}");
        return;
    }
    gw_rate_limit_succeeded(gw->rate, GW_CRED_JOIN, guesser);
    oc_log(OC_LOG_INFO, "gateway.pairing", "join link followed ip=%s", from.ip);
    OC_AUTO_JSON cJSON *body = oc_setup_code_json(&code);
    reply_json(gw, ret, 200, body);
    oc_setup_code_finish(&code);
}

static void http_answer(struct gw_gateway *gw, const struct oc_http_head *head,
        const struct oc_peer *peer, struct oc_http_reply *ret) {
    const char *path = oc_http_path(head), *method = oc_http_method(head);
    if (gw_canvas_host_answer(gw->canvas, head, peer, ret)) {
        return;
    }
    const char *join = gw_join_code_in_path(path);
    if (join) {
        follow_link(gw, head, peer, join, ret);
        return;
    }
    bool is_live = oc_streq(path, "/health") || oc_streq(path, "/healthz");
    bool is_ready = oc_streq(path, "/ready") || oc_streq(path, "/readyz");
    if (!is_live && !is_ready) {
        http_reply(ret, 404, "text/plain; charset=utf-8", "Not Found");
    } else if (!oc_streq(method, "GET") && !oc_streq(method, "HEAD")) {
        http_reply(ret, 405, "text/plain; charset=utf-8", "Method Not Allowed");
    } else if (is_live) {
        http_reply(ret, 200, "application/json", "{\"ok\":true,\"status\":\"live\"}");
    } else {
        snprintf(gw->http_body, sizeof(gw->http_body),
                "{\"ready\":%s,\"failing\":[%s],\"uptimeMs\":%lld}",
                gw->conns.is_stopping ? "false" : "true",
                gw->conns.is_stopping ? "\"stopping\"" : "", (long long)gw_uptime_ms(gw));
        http_reply(ret, gw->conns.is_stopping ? 503 : 200, "application/json", gw->http_body);
    }
}

void gw_http(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
        struct oc_http_reply *ret) {
    struct gw_gateway *gw = user;
    struct oc_log_cause cause = { peer->ip, OC_MAX_LOG_OF_STRANGER, true };
    struct gw_party *party = gw_party_of_address(gw->parties, peer->ip, peer->is_loopback);
    oc_log_blame(&cause);
    struct oc_turn *payer = oc_turns_charge(&gw->turns, gw_party_turn(party, &gw->turns));
    oc_turns_count(&gw->turns, OC_TURN_UNITS_PER_MESSAGE);
    http_answer(gw, head, peer, ret);
    oc_turns_charge_end(&gw->turns, payer);
    oc_log_blame(NULL);
    gw_party_unref(party);
}

/* Among those who have proven nothing. Being on this machine proves nobody, so where it gets tight
 * the kernel is asked. */
static bool has_place(
        struct gw_gateway *gw, const struct gw_origin_facts *from, const struct oc_peer *peer) {
    struct gw_party *party =
            gw_party_of_address(gw->parties, from->ip, gw_origin_is_unforwarded(from));
    bool ok = !gw_party_is_crowded(party) || (party->is_here && oc_peer_is_this_user(peer));
    gw_party_unref(party);
    return ok;
}

/* Only an address that is locked out with every kind of credential: a guesser at the shared secret
 * does not keep out the paired devices of the same network. Who is let through hears the same from
 * the handshake, with retryAfterMs. */
bool gw_may_upgrade(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
        struct oc_http_reply *ret) {
    struct gw_gateway *gw = user;
    struct gw_origin_facts from;
    gw_origin_facts_read(&from, head, peer, &gw->cfg.allowed_origins, &gw->cfg.proxies);
    if (gw_canvas_host_owns(gw->canvas, head)) {
        return gw_canvas_host_may_upgrade(gw->canvas, head, peer, ret);
    }
    if (!has_place(gw, &from, peer)) {
        http_reply(ret, 503, "application/json; charset=utf-8", CROWDED);
        ret->extra_headers = "Cache-Control: no-store\r\nRetry-After: 5\r\n";
        return false;
    }
    if (gw->cfg.rate_exempt_loopback && gw_origin_may_guess(&from, peer)) {
        return true;
    }
    static const enum gw_credential ways_in[] = { GW_CRED_SHARED, GW_CRED_DEVICE, GW_CRED_SETUP };
    int64_t wait_ms = INT64_MAX;
    for (size_t i = 0; i < OC_COUNT(ways_in) && wait_ms > 0; i++) {
        int64_t ms = gw_rate_limit_wait_ms(gw->rate, ways_in[i], gw_origin_guesser(&from, peer));
        wait_ms = ms < wait_ms ? ms : wait_ms;
    }
    if (wait_ms == 0) {
        return true;
    }
    http_reply(ret, 429, "application/json; charset=utf-8",
            "{\"error\":{\"message\":\"Too many failed authentication attempts. Please try again "
            "later.\",\"type\":\"rate_limited\"}}");
    snprintf(gw->http_body, sizeof(gw->http_body), "Retry-After: %lld\r\n",
            (long long)((wait_ms + 999) / 1000));
    ret->extra_headers = gw->http_body;
    return false;
}
