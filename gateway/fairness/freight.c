#include "gateway/fairness/freight.h"

#include "gateway/fairness/party_priv.h"
#include "lib/protocol/limits.h"

static void on_gone(void *user, size_t weight) {
    struct gw_party *party = user;
    party->freight_bytes -= weight;
    party->parties->freight_bytes -= weight;
    gw_party_unref(party);
}

bool gw_freight_take(struct gw_party *party, struct oc_msg *m) {
    size_t weight = oc_msg_weight(m), own = party->freight_bytes + weight;
    bool is_much = party->parties->freight_bytes + weight > OC_MAX_FREIGHT;
    if (own > (is_much ? OC_MAX_FREIGHT_BEYOND : OC_MAX_FREIGHT_OF_PARTY)) {
        return false;
    }
    party->freight_bytes += weight;
    party->parties->freight_bytes += weight;
    oc_msg_charge(m, on_gone, gw_party_ref(party));
    return true;
}
