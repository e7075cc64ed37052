/* The gateway's certificate: the owner's own, or one it makes for itself on the first start. */
#ifndef GATEWAY_SETTINGS_TLS_SETUP_H
#define GATEWAY_SETTINGS_TLS_SETUP_H

#include "gateway/settings/config.h"
#include "lib/net/tls.h"

/* Writes NULL when TLS is off. A pair that is damaged, does not belong together or is half there is
 * an error that names the file and what to do; nothing that exists is ever replaced, because
 * clients have pinned it. */
enum oc_code gw_tls_load(
        const struct gw_config *c, struct oc_tls_server **ret, struct oc_error *err) OC_MUST_USE;
/* The same for files that must be there: nothing is made. Only when TLS is on. */
enum oc_code gw_tls_read(
        const struct gw_config *c, struct oc_tls_server **ret, struct oc_error *err) OC_MUST_USE;
/* Whether that would succeed; writes nothing. */
enum oc_code gw_tls_check(const struct gw_config *c, struct oc_error *err) OC_MUST_USE;

#endif
