/* The words that wake a listening node: kept in the store, told to every node that connects and to everyone when they
 * change. */
#ifndef GATEWAY_NODES_VOICEWAKE_H
#define GATEWAY_NODES_VOICEWAKE_H

#include "lib/json/json.h"

struct oc_gateway;

/* {triggers:[…]}; the defaults when none were set. */
cJSON *oc_voicewake_build(const struct oc_gateway *gw);

/* The words of a 2026.2.26 state directory, as long as none were set here. */
void oc_voicewake_import(struct oc_gateway *gw);

#endif
