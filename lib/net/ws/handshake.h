/* The WebSocket upgrade (RFC 6455 §4), both sides, as text. */
#ifndef LIB_NET_WS_HANDSHAKE_H
#define LIB_NET_WS_HANDSHAKE_H

#include "lib/base/buf.h"
#include "lib/net/http/http.h"

#define OC_WS_KEY_LEN 24
#define OC_WS_ACCEPT_LEN 28

/* What the server must answer to a key. */
void oc_ws_accept_for(const char *key, char ret[OC_WS_ACCEPT_LEN + 1]);

/* The request asks for a WebSocket (it may still be refused). */
bool oc_ws_is_upgrade(const struct oc_http_head *h);
/* 0, or the status to refuse it with and *ret_why. */
int oc_ws_check_upgrade(const struct oc_http_head *h, const char **ret_why);
/* The 101 answer to a request that passed. */
void oc_ws_put_accept(struct oc_buf *out, const struct oc_http_head *h);

void oc_ws_new_key(char ret[OC_WS_KEY_LEN + 1]);
void oc_ws_put_request(struct oc_buf *out, const char *path, const char *host, const char *key);
/* The answer to our request with this key. */
enum oc_code oc_ws_check_answer(
        const struct oc_http_head *h, const char *key, struct oc_error *err) OC_MUST_USE;

#endif
