/* The gateway as the rooms of a node see it: what is sent to it and asked of it, through the
 * connection that there is now (node/link/link.h). node.c fills it; tests fill it with less. Core
 * thread only. */
#ifndef NODE_LINK_UPLINK_H
#define NODE_LINK_UPLINK_H

#include "lib/client/session.h"
#include "lib/json/json.h"
#include "lib/net/ws/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nd_uplink {
    const char *gateway;     /* host:port, for people; NULL in tests */
    const char *device_id;   /* what gateways call nodeId */
    const char *instance_id; /* of this node at its gateway; NULL in tests */
    /* Sends one frame to the gateway that is connected now, if there is one. Consumes the
     * message. */
    void (*send)(struct nd_uplink *up, struct oc_msg *take_msg);
    /* Asks that gateway; done fires exactly once, perhaps at once. NULL: there is no gateway. */
    void (*ask)(struct nd_uplink *up, const char *method, cJSON *take_params, int timeout_ms,
            oc_reply_done *done, void *user);
    /* The socket of that connection; below 0: there is none. NULL: there never is one. */
    int (*fd)(const struct nd_uplink *up);
    /* Which connection that is: grows with every new one. An answer belongs to the connection that
     * asked. */
    uint64_t connection;
    uint64_t last_frame_id;   /* of the frames built here */
    size_t max_message_bytes; /* that the gateway takes; 0: the protocol's ceiling */
    bool takes_grounds;       /* beside an error's text */
};

/* A request frame whose answer nobody waits for: {"type":"req","id",…,"method",…,"params":…}. */
void nd_uplink_request(struct nd_uplink *up, const char *method, cJSON *take_params);
/* Starts such a frame up to and including the opening of params; finish it with text and '}'
 * '}'. */
struct oc_buf nd_uplink_open_request(struct nd_uplink *up, const char *method);
/* Most bytes that a message may have. */
size_t nd_uplink_max_bytes(const struct nd_uplink *up);

#endif
