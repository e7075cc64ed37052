/* gateway.move: the owner takes the gateway to another machine, and its nodes are told where. */
#include "gateway/methods/methods.h"

#include "gateway/core.h"
#include "lib/net/dial.h"
#include "lib/net/tls.h"

struct params {
    const char *host, *pin;
    int64_t port;
    bool stay;
};
#define T struct params
static const struct oc_json_field fields[] = {
    OC_STR(T, host, "host", OC_NONEMPTY),
    OC_INT(T, port, "port", 0, 1, UINT16_MAX),
    OC_STR(T, pin, "tlsFingerprint", OC_NONEMPTY),
    OC_BOOL(T, stay, "stay", 0),
};
#undef T

static enum oc_code gateway_move(
        const struct gw_call *call, const struct params *p, cJSON **ret, struct oc_error *err) {
    char pin[OC_TLS_PIN_LEN + 1];
    if (p->stay) {
        return gw_moves_stay(call->gw, ret, err);
    }
    if (!p->host || !oc_host_is_plain(p->host)) {
        return oc_fail(err, OC_E_INVALID, "gateway.move needs a host's name or address");
    }
    if (p->pin && !oc_tls_pin_normalize(p->pin, pin)) {
        return oc_fail(err, OC_E_INVALID, "the pin is not a SHA-256 in hex (64 digits)");
    }
    return gw_moves_to(call->gw, p->host, (uint16_t)p->port, p->pin ? pin : NULL, ret, err);
}

void gw_method_gateway_move(const struct gw_call *call) {
    struct params p = { 0 };
    if (!gw_call_decode(call, fields, OC_COUNT(fields), &p)) {
        return;
    }
    cJSON *payload = NULL;
    struct oc_error err;
    if (gateway_move(call, &p, &payload, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    gw_call_ok(call, payload);
}
