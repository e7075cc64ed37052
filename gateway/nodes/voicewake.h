/* The words that wake a listening node: kept in the store, told to every node that connects and to
 * everyone when they change. */
#ifndef GATEWAY_NODES_VOICEWAKE_H
#define GATEWAY_NODES_VOICEWAKE_H

#include "gateway/store/store.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

/* {triggers:[…]}; the defaults when none were set. */
cJSON *gw_voicewake_build(struct gw_store *store);
/* given: an array of them; what cannot be one is left out. */
enum oc_code gw_voicewake_set(
        struct gw_store *store, const cJSON *given, struct oc_error *err) OC_MUST_USE;

/* The words of a 2026.2.26 state directory, as long as none were set here. */
void gw_voicewake_import(struct gw_store *store, const char *state_dir);

#endif
