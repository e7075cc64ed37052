/* Letting a device in by a setup code: the code is used up, the device paired and, when the code says so, its commands
 * approved. All of it, or nothing. */
#ifndef GATEWAY_PAIRING_ENROL_H
#define GATEWAY_PAIRING_ENROL_H

#include "gateway/pairing/pairing.h"
#include "gateway/pairing/setup_codes.h"
#include "gateway/pairing/surface.h"

struct oc_enrolment {
    struct oc_store *store;
    struct oc_pairing *pairing;
    struct oc_surface *surface;
    const struct oc_clock *clock;
    const char *secret; /* the gateway's shared secret; NULL when it has none */
};

/* claim is what the device has proven with its signature. OC_E_AUTH when the code does not let it in. ret_grant needs
 * oc_setup_grant_finish when this returned OC_OK. */
enum oc_code oc_enrol(const struct oc_enrolment *e, const struct oc_pair_claim *claim,
        const char *token, struct oc_setup_grant *ret_grant, struct oc_error *err) OC_MUST_USE;

#endif
