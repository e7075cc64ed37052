/* The setup code a node is started with: from --pair, --pair-if-needed or OPENCLAW_PAIR_CODE. */
#ifndef CLI_PAIRING_PAIR_CODE_H
#define CLI_PAIRING_PAIR_CODE_H

#include "cli/gateway/target.h"
#include "cli/options.h"
#include "lib/base/error.h"
#include "lib/protocol/setup_code.h"

#include <stdbool.h>

struct oc_pair_code {
    struct oc_setup_code code; /* url NULL: no code was given */
    struct oc_target target;   /* of its url */
    bool is_needed; /* false: paired with that gateway already, and only wanted if needed */
};

/* ret needs oc_pair_code_finish in every case. */
enum oc_code oc_pair_code_read(const struct oc_args *args, const char *state_dir,
        const char *gateway_user, struct oc_pair_code *ret, struct oc_error *err) OC_MUST_USE;
void oc_pair_code_finish(struct oc_pair_code *p);

#endif
