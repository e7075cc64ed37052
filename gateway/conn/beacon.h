/* What a client says about itself with system-event, cleaned up for the list of who is here. */
#ifndef GATEWAY_CONN_BEACON_H
#define GATEWAY_CONN_BEACON_H

#include "lib/base/error.h"
#include "lib/json/json.h"

/* ret: the fields of a presence entry that were given, in params or (as the oldest apps do) inside
 * the text: "Node: host (ip) · app 1.2 · last input 5s ago · mode local · reason launch". What has
 * another type than it should is left out, as with the reference; OC_E_INVALID without a text, or
 * when something is too long to be shown to everybody. */
enum oc_code gw_beacon_read(const cJSON *params, cJSON **ret, struct oc_error *err) OC_MUST_USE;

#endif
