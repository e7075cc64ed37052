/* Letting a device in by a setup code: the code is used up, the device paired and, when the code
 * says so, its commands approved. All of it, or nothing. */
#ifndef GATEWAY_PAIRING_ENROL_H
#define GATEWAY_PAIRING_ENROL_H

#include "gateway/pairing/pairing.h"
#include "gateway/pairing/setup_codes.h"
#include "gateway/pairing/surface.h"

struct gw_enrolment {
    struct gw_store *store;
    struct gw_pairing *pairing;
    struct gw_surface *surface;
    const struct oc_clock *clock;
    const char *secret; /* the gateway's shared secret; NULL when it has none */
};

/* claim is what the device has proven with its signature. OC_E_AUTH when the code does not let it
 * in. ret_grant needs gw_setup_grant_finish when this returned OC_OK. */
enum oc_code gw_enrol(const struct gw_enrolment *e, const struct gw_pair_claim *claim,
        const char *token, struct gw_setup_grant *ret_grant, struct oc_error *err) OC_MUST_USE;

#endif
