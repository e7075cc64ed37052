/* Setup codes that wait to be used: each lets one device in, once, within ten minutes, as what its
 * maker may grant.
 *
 * Only a hash of the token is stored, in the database's own facts, so codes survive a restart of
 * the gateway and a copy of the database lets nobody in. Pure decisions over the store and a
 * clock. */
#ifndef GATEWAY_PAIRING_SETUP_CODES_H
#define GATEWAY_PAIRING_SETUP_CODES_H

#include "gateway/pairing/pairing.h"
#include "gateway/store/store.h"
#include "lib/base/clock.h"
#include "lib/base/str.h"

#include <stdbool.h>

/* What the holder of a code gets. */
struct gw_setup_grant {
    char *id;               /* names the code in logs; no secret */
    struct oc_strv roles;   /* "node", "operator" or both */
    struct oc_strv scopes;  /* of the role operator */
    bool approves_commands; /* opens the commands that a node declares, too (gate 2) */
    char *minted_by;        /* device id; NULL for an operator without a device */
    int64_t expires_at_ms;
};
void gw_setup_grant_finish(struct gw_setup_grant *g);

/* Keeps a new code for grant's roles, scopes and commands; fills the rest of it in. The actor must
 * hold operator.pairing, every scope it grants, and operator.admin for the role node ("missing
 * scope: X"). OC_E_UNAVAILABLE when too many codes wait. ret_token: the secret, shown this once;
 * caller frees with oc_free_secret. */
enum oc_code gw_setup_codes_mint(struct gw_store *s, const struct oc_clock *clock,
        const struct gw_actor *actor, struct gw_setup_grant *grant, char **ret_token,
        struct oc_error *err) OC_MUST_USE;

/* "full", "limited" or "node", as the reference sums a grant up. */
const char *gw_setup_access(const struct gw_setup_grant *g);

/* OC_E_AUTH when no code has this token. Only reads: whoever guesses must not get at the lock of
 * the database. */
enum oc_code gw_setup_codes_check(struct gw_store *s, const struct oc_clock *clock,
        const char *token, struct oc_error *err) OC_MUST_USE;

/* What somebody brings and wants. */
struct gw_setup_try {
    const char *token, *role;
    const struct oc_strv *scopes;
    const char *secret; /* the gateway's shared secret as it is now; NULL when it has none */
};
/* Uses a code up. OC_E_AUTH when there is none with this token, it has expired, it is for another
 * role or fewer scopes (then it stays), or its maker could not make it any more: the device was
 * removed, or its operator token was revoked, replaced or narrowed; without a device, the shared
 * secret is another one. Call within the transaction that lets the device in: both happen, or none.
 * ret needs gw_setup_grant_finish when this returned OC_OK. */
enum oc_code gw_setup_codes_take(struct gw_store *s, const struct oc_clock *clock,
        const struct gw_setup_try *try, struct gw_setup_grant *ret,
        struct oc_error *err) OC_MUST_USE;
/* Forgets the codes that a device made: whoever held its token may have made them. */
enum oc_code gw_setup_codes_drop_made_by(struct gw_store *s, const struct oc_clock *clock,
        const char *device_id, struct oc_error *err) OC_MUST_USE;

#endif
