/* The very first start: a gateway without a secret makes one, so that the command line and the node
 * on the same machine find it and nothing has to be typed. */
#ifndef GATEWAY_SETTINGS_FIRST_RUN_H
#define GATEWAY_SETTINGS_FIRST_RUN_H

#include "gateway/settings/opts.h"

/* Before the first start: makes sure that clients have something to prove themselves with. When no
 * secret is set anywhere (opts, config, environment), makes a random token, adds it to the config
 * file (0600; created where there is none) and to config, and sets *ret_created. A file whose
 * gateway.auth.token leads nowhere is OC_E_INVALID with a text that says what to add. */
enum oc_code gw_ensure_secret(const struct gw_opts *opts, cJSON *config, bool *ret_created,
        struct oc_error *err) OC_MUST_USE;

#endif
