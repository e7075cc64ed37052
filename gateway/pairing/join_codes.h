/* Short links to setup codes: GET /j/<code> gives the setup code's content, once, for as long as
 * the setup code lives.
 *
 * The link is what the 2026.9.6 command line hands out. Its code is 128 random bits. The store
 * keeps a hash of it, and the setup code's token encrypted with it, so that a copy of the database
 * opens nothing. */
#ifndef GATEWAY_PAIRING_JOIN_CODES_H
#define GATEWAY_PAIRING_JOIN_CODES_H

#include "gateway/store/store.h"
#include "lib/base/clock.h"
#include "lib/protocol/setup_code.h"

#define GW_JOIN_CODE_LEN 22

/* setup_id: of a code that was just made, whose content is c. ret: owned, a secret. OC_E_INVALID
 * when the address is one that a secret should not be fetched from: plain and not on this
 * machine. */
enum oc_code gw_join_code_make(struct gw_store *s, const struct oc_clock *clock,
        const char *setup_id, const struct oc_setup_code *c, char **ret_url,
        struct oc_error *err) OC_MUST_USE;
/* Uses the link up. OC_E_NOT_FOUND when there is none, it was followed before, or its setup code
 * was used or has expired. ret needs oc_setup_code_finish. */
enum oc_code gw_join_code_follow(struct gw_store *s, const struct oc_clock *clock, const char *join,
        struct oc_setup_code *ret, struct oc_error *err) OC_MUST_USE;
/* The code in …/j/<code>, "" for one that cannot be one, or NULL when the path is no link.
 * Borrowed. */
const char *gw_join_code_in_path(const char *path);

#endif
