/* The gateway: listens, lets devices in, keeps track of nodes and relays invokes to them.
 *
 * Everything runs on the loop's thread. Time comes from the loop's clock. */
#ifndef GATEWAY_GATEWAY_H
#define GATEWAY_GATEWAY_H

#include "gateway/settings/opts.h"
#include "lib/base/error.h"
#include "lib/base/str.h"
#include "lib/json/json.h"
#include "lib/net/loop/loop.h"

#include <stdbool.h>
#include <stdint.h>

#define GW_DB_NAME "gateway.sqlite" /* inside the state directory */

struct gw_gateway;

/* Opens the state, binds and serves. Fails when the settings make no sense, when a network bind has
 * no secret, or when the port is taken; the text then says what to change. */
enum oc_code gw_gateway_create(struct oc_loop *loop, const struct gw_opts *opts,
        struct gw_gateway **ret, struct oc_error *err) OC_MUST_USE;
/* Units of work so far (lib/net/loop/turns.h), for tests. */
uint64_t gw_work(const struct gw_gateway *gw);
uint16_t gw_port(const struct gw_gateway *gw);
/* Where it listens, for showing: "127.0.0.1". */
const char *gw_host(const struct gw_gateway *gw);
/* The path it answers under: "/openclaw", or "". */
const char *gw_context_path(const struct gw_gateway *gw);
/* What clients pin the certificate by, 64 hex digits; NULL without TLS. */
const char *gw_tls_pin(const struct gw_gateway *gw);
/* The files that make up the certificate, for watching; empty without TLS. */
void gw_tls_files(const struct gw_gateway *gw, struct oc_strv *ret);
/* Reads them again. Connections that are open keep what they have; when the new ones cannot be
 * used, so does the gateway. */
enum oc_code gw_tls_reload(struct gw_gateway *gw, struct oc_error *err) OC_MUST_USE;
/* For tests. */
size_t gw_node_count(const struct gw_gateway *gw);

/* Stops listening, tells every client (event shutdown with this reason), answers what waits with an
 * error, closes every socket with 1012 and calls on_done from the loop, 700 ms later at the latest.
 * Further calls are ignored. */
void gw_shutdown(
        struct gw_gateway *gw, const char *reason, void (*on_done)(void *user), void *user);
/* The same for a gateway that comes back at once, with this config: clients hear when to expect it,
 * and nodes where, if that is elsewhere. */
void gw_restarting(
        struct gw_gateway *gw, const cJSON *next_config, void (*on_done)(void *user), void *user);
/* Takes over a changed config while running: command policy, rate limits, allowed origins. When
 * something else differs from what the gateway was started with, sets *ret_needs_restart too.
 * OC_E_INVALID when the gateway could not be started with it; then nothing is taken over. */
enum oc_code gw_reload(struct gw_gateway *gw, const cJSON *config, bool *ret_needs_restart,
        struct oc_error *err) OC_MUST_USE;
/* Drops whatever is still open; no callback fires any more. */
void gw_gateway_destroy(struct gw_gateway *gw);

#endif
