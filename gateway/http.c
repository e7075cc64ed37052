/* Plain HTTP on the same port: whether the gateway lives and is ready. */
#include "gateway/core.h"

#include <stdio.h>

static void reply(struct oc_http_reply *ret, int status, const char *type, const char *body) {
    *ret = (struct oc_http_reply){ .status = status,
        .content_type = type,
        .body = body,
        .extra_headers = "Cache-Control: no-store\r\n" };
}

void oc_gateway_http(void *user, const struct oc_http_head *head, const struct oc_peer *peer,
        struct oc_http_reply *ret) {
    (void)peer;
    struct oc_gateway *gw = user;
    const char *path = oc_http_path(head), *method = oc_http_method(head);
    bool is_live = oc_streq(path, "/health") || oc_streq(path, "/healthz");
    bool is_ready = oc_streq(path, "/ready") || oc_streq(path, "/readyz");
    if (!is_live && !is_ready) {
        reply(ret, 404, "text/plain; charset=utf-8", "Not Found");
    } else if (!oc_streq(method, "GET") && !oc_streq(method, "HEAD")) {
        reply(ret, 405, "text/plain; charset=utf-8", "Method Not Allowed");
    } else if (is_live) {
        reply(ret, 200, "application/json", "{\"ok\":true,\"status\":\"live\"}");
    } else {
        snprintf(gw->http_body, sizeof(gw->http_body),
                "{\"ready\":%s,\"failing\":[%s],\"uptimeMs\":%lld}",
                gw->is_stopping ? "false" : "true", gw->is_stopping ? "\"stopping\"" : "",
                (long long)oc_gateway_uptime_ms(gw));
        reply(ret, gw->is_stopping ? 503 : 200, "application/json", gw->http_body);
    }
}
