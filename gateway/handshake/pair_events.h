/* Telling operators what became of a device's request. */
#ifndef GATEWAY_HANDSHAKE_PAIR_EVENTS_H
#define GATEWAY_HANDSHAKE_PAIR_EVENTS_H

struct gw_gateway;

void gw_device_pair_resolved(
        struct gw_gateway *gw, const char *request_id, const char *device_id, const char *decision);

#endif
