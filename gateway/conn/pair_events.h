/* Telling operators what became of a device's request. */
#ifndef GATEWAY_CONN_PAIR_EVENTS_H
#define GATEWAY_CONN_PAIR_EVENTS_H

struct oc_gateway;

void oc_device_pair_resolved(
        struct oc_gateway *gw, const char *request_id, const char *device_id, const char *decision);

#endif
