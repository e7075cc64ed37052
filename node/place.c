#include "node/place.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "lib/net/dial.h"
#include "lib/net/peer.h"
#include "lib/net/tls.h"
#include "lib/protocol/limits.h"

#include <ctype.h>
#include <string.h>

struct place_fields {
    const char *host, *pin, *path;
    int64_t port;
    bool tls;
};
#define T struct place_fields
static const struct oc_json_field fields[] = {
    OC_STR(T, host, "host", OC_NONEMPTY),
    OC_INT(T, port, "port", OC_REQUIRED, 1, UINT16_MAX),
    OC_BOOL(T, tls, "tls", OC_REQUIRED),
    OC_STR(T, pin, "tlsFingerprint", OC_NONEMPTY),
    OC_STR(T, path, "contextPath", OC_NONEMPTY),
};
#undef T

void nd_place_finish(struct nd_place *p) {
    oc_free(p->host);
    oc_free(p->path);
    oc_free(p->tls_fingerprint);
    *p = (struct nd_place){ 0 };
}

struct nd_place nd_place_copy(const struct nd_place *p) {
    return (struct nd_place){ .host = oc_strdup(p->host),
        .path = oc_strdup(p->path),
        .tls_fingerprint = oc_strdup(p->tls_fingerprint),
        .port = p->port,
        .tls = p->tls };
}

static bool is_same_pin(const char *a, const char *b) {
    char x[OC_TLS_PIN_LEN + 1], y[OC_TLS_PIN_LEN + 1];
    if (!a || !b) {
        return a == b;
    }
    return oc_tls_pin_normalize(a, x) && oc_tls_pin_normalize(b, y) && strcmp(x, y) == 0;
}

bool nd_place_is_same(const struct nd_place *a, const struct nd_place *b) {
    return oc_streq(a->host, b->host) && a->port == b->port && a->tls == b->tls &&
           oc_streq(a->path, b->path) && is_same_pin(a->tls_fingerprint, b->tls_fingerprint);
}

char *nd_place_url(const struct nd_place *p) {
    bool is_v6 = strchr(p->host, ':') && p->host[0] != '[';
    const char *path = p->path && strcmp(p->path, "/") != 0 ? p->path : "";
    return oc_strfmt("%s://%s%s%s:%u%s", p->tls ? "wss" : "ws", is_v6 ? "[" : "", p->host,
            is_v6 ? "]" : "", p->port, path);
}

char *nd_place_name(const struct nd_place *p) {
    return oc_gateway_name(p->host, p->port, p->path, p->tls, p->tls_fingerprint);
}

enum oc_code nd_place_path(const char *text, char **ret, struct oc_error *err) {
    for (const char *at = text; *at; at++) {
        if (!isgraph((unsigned char)*at) || oc_is_one_of(*at, "?#\"\\<>")) {
            return oc_fail(err, OC_E_INVALID,
                    "the context path must be a plain URL path such as /openclaw");
        }
    }
    size_t len = strlen(text);
    if (len > OC_MAX_NAME_BYTES) {
        return oc_fail(
                err, OC_E_INVALID, "the context path is longer than %d bytes", OC_MAX_NAME_BYTES);
    }
    while (len > 1 && text[len - 1] == '/') {
        len--;
    }
    *ret = oc_strfmt("%s%.*s", text[0] == '/' ? "" : "/", (int)len, text);
    return OC_OK;
}

/* With colons or without; what else oc_tls_pin_normalize would drop is not a pin. */
static bool read_pin(const char *s, char ret[OC_TLS_PIN_LEN + 1]) {
    return strspn(s, "0123456789abcdefABCDEF:") == strlen(s) && oc_tls_pin_normalize(s, ret);
}

enum oc_code nd_place_decode(
        const cJSON *o, const struct nd_place *from, struct nd_place *ret, struct oc_error *err) {
    struct place_fields f = { 0 };
    enum oc_code rc = oc_json_decode(o, "", fields, OC_COUNT(fields), &f, err);
    if (rc != OC_OK) {
        return rc;
    }
    const char *host = f.host ? f.host : from->host;
    if (!host || (f.host && !oc_host_is_plain(f.host))) {
        return oc_fail(err, OC_E_INVALID, "at /host: must be a host's name or address");
    }
    char pin[OC_TLS_PIN_LEN + 1];
    if (f.pin && (!f.tls || !read_pin(f.pin, pin))) {
        return oc_fail(err, OC_E_INVALID, "at /tlsFingerprint: must be 64 hex digits, with TLS");
    }
    char *path = NULL;
    rc = nd_place_path(f.path ? f.path : from->path ? from->path : "/", &path, err);
    if (rc == OC_OK) {
        *ret = (struct nd_place){ .host = oc_strdup(host),
            .path = path,
            .tls_fingerprint = oc_strdup(f.pin ? pin : NULL),
            .port = (uint16_t)f.port,
            .tls = f.tls };
    }
    return rc;
}

void nd_place_put(cJSON *o, const struct nd_place *p) {
    oc_json_set_str(o, "host", p->host);
    oc_json_set_int(o, "port", p->port);
    oc_json_set_bool(o, "tls", p->tls);
    cJSON_DeleteItemFromObjectCaseSensitive(o, "tlsFingerprint");
    oc_json_set_str(o, "tlsFingerprint", p->tls_fingerprint);
    cJSON_DeleteItemFromObjectCaseSensitive(o, "contextPath");
    oc_json_set_str(o, "contextPath", oc_streq(p->path, "/") ? NULL : p->path);
}
