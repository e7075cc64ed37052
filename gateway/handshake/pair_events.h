/* Telling operators what became of a device's request. */
#ifndef GATEWAY_HANDSHAKE_PAIR_EVENTS_H
#define GATEWAY_HANDSHAKE_PAIR_EVENTS_H

#include "gateway/handshake/handshake_uses.h"

void gw_device_pair_resolved(const struct gw_handshake_uses *uses, const char *request_id,
        const char *device_id, const char *decision);

#endif
