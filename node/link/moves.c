#include "node/link/moves.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

static enum oc_code check_move(
        const struct nd_place *at, const struct nd_place *to, bool is_named, struct oc_error *err) {
    if (at->tls && !to->tls) {
        return oc_fail_cause(
                err, OC_E_DENIED, OC_CAUSE_NO_TLS, "the gateway says that it goes on without TLS");
    }
    if (to->tls && !to->tls_fingerprint) {
        return oc_fail(
                err, OC_E_INVALID, "the gateway names a place with TLS, but no certificate's pin");
    }
    if (!at->tls && !oc_streq(to->host, at->host)) {
        return oc_fail(
                err, OC_E_DENIED, "the gateway names another host, which counts only over TLS");
    }
    bool is_upgrade = to->tls && to->port == at->port && oc_streq(to->path, at->path);
    if (!at->tls && !is_named && !is_upgrade) {
        return oc_fail(err, OC_E_DENIED,
                "the gateway names another port or path, which counts only over TLS or within this "
                "machine");
    }
    return OC_OK;
}

enum nd_move nd_move_judge(const cJSON *payload, const struct nd_place *at, bool is_named,
        struct nd_place *ret, struct oc_error *err) {
    struct nd_place to = { 0 };
    enum oc_code rc = nd_place_decode(payload, at, &to, err);
    if (rc == OC_OK) {
        rc = check_move(at, &to, is_named, err);
    }
    if (rc != OC_OK) {
        nd_place_finish(&to);
        return err->grounds.cause == OC_CAUSE_NO_TLS ? ND_MOVE_NO_TLS : ND_MOVE_REFUSED;
    }
    /* Whoever checks it by an authority and its name goes on like that: a renewed certificate must
     * not lock them out while they are away. */
    if (at->tls && !at->tls_fingerprint) {
        oc_free(oc_take(&to.tls_fingerprint));
    }
    if (nd_place_is_same(at, &to)) {
        nd_place_finish(&to);
        return ND_MOVE_NONE;
    }
    *ret = to;
    return ND_MOVE_FOLLOW;
}
