/* The setup code a node is started with: from --pair, --pair-if-needed or OPENCLAW_PAIR_CODE. */
#ifndef CLI_PAIRING_PAIR_CODE_H
#define CLI_PAIRING_PAIR_CODE_H

#include "cli/gateway/target.h"
#include "cli/options.h"
#include "lib/base/error.h"
#include "lib/protocol/setup_code.h"

#include <stdbool.h>

struct cli_pair_code {
    struct oc_setup_code code; /* url NULL: no code was given */
    struct cli_target target;  /* of its url */
    bool is_needed; /* false: paired with that gateway already, and only wanted if needed */
};

/* ret needs cli_pair_code_finish in every case. */
enum oc_code cli_pair_code_read(const struct cli_args *args, const char *state_dir,
        const char *gateway_user, struct cli_pair_code *ret, struct oc_error *err) OC_MUST_USE;
void cli_pair_code_finish(struct cli_pair_code *p);

#endif
