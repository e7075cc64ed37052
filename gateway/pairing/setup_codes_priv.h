/* What the files of setup codes share: setup_codes.c makes and takes them, join_codes.c hides one
 * behind a short link. */
#ifndef GATEWAY_PAIRING_SETUP_CODES_PRIV_H
#define GATEWAY_PAIRING_SETUP_CODES_PRIV_H

#include "gateway/pairing/setup_codes.h"

/* The codes that can still be used, as an array; owned. */
enum oc_code gw_setup_codes_load(
        struct gw_store *s, int64_t now_ms, cJSON **ret, struct oc_error *err) OC_MUST_USE;
enum oc_code gw_setup_codes_save(
        struct gw_store *s, const cJSON *codes, struct oc_error *err) OC_MUST_USE;

#endif
