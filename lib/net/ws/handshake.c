#include "lib/net/ws/handshake.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <openssl/evp.h>
#include <string.h>
#include <strings.h>

#define KEY_BYTES 16

void oc_ws_accept_for(const char *key, char ret[OC_WS_ACCEPT_LEN + 1]) {
    OC_AUTO_FREE char *text = oc_strfmt("%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    if (EVP_Digest(text, strlen(text), digest, &len, EVP_sha1(), NULL) != 1) {
        len = 0; /* a crypto policy without SHA-1: the empty answer fails on the other side */
    }
    OC_AUTO_FREE char *encoded = oc_base64(digest, len);
    size_t n = strnlen(encoded, OC_WS_ACCEPT_LEN);
    memcpy(ret, encoded, n);
    ret[n] = '\0';
}

bool oc_ws_is_upgrade(const struct oc_http_head *h) {
    return oc_http_has_token(h, "Upgrade", "websocket") &&
           oc_http_has_token(h, "Connection", "upgrade");
}

static bool is_key(const char *key) {
    uint8_t raw[KEY_BYTES];
    size_t len;
    return key && strlen(key) == OC_WS_KEY_LEN &&
           oc_base64_decode(key, OC_WS_KEY_LEN, raw, sizeof(raw), &len) && len == KEY_BYTES;
}

int oc_ws_check_upgrade(const struct oc_http_head *h, const char **ret_why) {
    if (strcmp(h->method, "GET") != 0 || h->minor_version != 1) {
        *ret_why = "a WebSocket upgrade must be a GET of HTTP/1.1";
        return 400;
    }
    if (h->content_length > 0) {
        *ret_why = "a WebSocket upgrade has no body";
        return 400;
    }
    if (oc_http_header_count(h, "Sec-WebSocket-Version") != 1 ||
            !oc_streq(oc_http_header(h, "Sec-WebSocket-Version"), "13")) {
        *ret_why = "only WebSocket version 13 is supported";
        return 426;
    }
    if (oc_http_header_count(h, "Sec-WebSocket-Key") != 1 ||
            !is_key(oc_http_header(h, "Sec-WebSocket-Key"))) {
        *ret_why = "bad Sec-WebSocket-Key";
        return 400;
    }
    return 0;
}

void oc_ws_put_accept(struct oc_buf *out, const struct oc_http_head *h) {
    char accept[OC_WS_ACCEPT_LEN + 1];
    oc_ws_accept_for(oc_http_header(h, "Sec-WebSocket-Key"), accept);
    oc_buf_printf(out,
            "HTTP/1.1 101 Switching Protocols\r\n"
            "Upgrade: websocket\r\n"
            "Connection: Upgrade\r\n"
            "Sec-WebSocket-Accept: %s\r\n\r\n",
            accept);
}

void oc_ws_new_key(char ret[OC_WS_KEY_LEN + 1]) {
    uint8_t raw[KEY_BYTES];
    oc_random(raw, sizeof(raw));
    OC_AUTO_FREE char *text = oc_base64(raw, sizeof(raw));
    memcpy(ret, text, OC_WS_KEY_LEN + 1);
}

void oc_ws_put_request(struct oc_buf *out, const char *path, const char *host, const char *key) {
    oc_buf_printf(out,
            "GET %s HTTP/1.1\r\n"
            "Host: %s\r\n"
            "Upgrade: websocket\r\n"
            "Connection: Upgrade\r\n"
            "Sec-WebSocket-Key: %s\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n",
            path, host, key);
}

enum oc_code oc_ws_check_answer(
        const struct oc_http_head *h, const char *key, struct oc_error *err) {
    int64_t wait_s = 0;
    if (h->status == 429 && oc_parse_int(oc_http_header(h, "Retry-After"), 1, 86400, &wait_s)) {
        return oc_fail_cause(err, OC_E_UNAVAILABLE, OC_CAUSE_LOCKED_OUT,
                "too many failed attempts from this address; try again in %lld s",
                (long long)wait_s);
    }
    if (h->status == 503) {
        return oc_fail_cause(err, OC_E_UNAVAILABLE, OC_CAUSE_CROWDED,
                "the gateway has too many connections, or is about to stop (HTTP 503)");
    }
    if (h->status == 426 && oc_http_has_token(h, "Upgrade", "TLS/1.2")) {
        return oc_fail_cause(
                err, OC_E_CLOSED, OC_CAUSE_NEEDS_TLS, "the gateway speaks TLS on that port now");
    }
    if (h->status != 101) {
        return oc_fail(err, h->status == 429 ? OC_E_UNAVAILABLE : OC_E_INVALID,
                "answered HTTP %d %s instead of a WebSocket upgrade (is this the gateway's port?)",
                h->status, oc_http_reason(h->status));
    }
    char accept[OC_WS_ACCEPT_LEN + 1];
    oc_ws_accept_for(key, accept);
    if (!oc_ws_is_upgrade(h) || oc_http_header_count(h, "Sec-WebSocket-Accept") != 1 ||
            !oc_streq(oc_http_header(h, "Sec-WebSocket-Accept"), accept)) {
        return oc_fail(err, OC_E_INVALID, "the WebSocket upgrade was answered wrongly");
    }
    if (oc_http_header(h, "Sec-WebSocket-Extensions") ||
            oc_http_header(h, "Sec-WebSocket-Protocol")) {
        return oc_fail(err, OC_E_INVALID, "the answer chose a WebSocket extension nobody offered");
    }
    return OC_OK;
}
