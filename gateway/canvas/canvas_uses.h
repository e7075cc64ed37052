/* What the canvas host works with, borrowed for its life. */
#ifndef GATEWAY_CANVAS_CANVAS_USES_H
#define GATEWAY_CANVAS_CANVAS_USES_H

#include "gateway/conn/conns.h"
#include "gateway/fairness/rate_limit.h"
#include "gateway/invoke/invoke.h"
#include "gateway/nodes/nodes.h"

#include <stdbool.h>

struct gw_canvas_uses {
    struct gw_conns *conns;
    struct gw_nodes *nodes;
    struct gw_invokes *invokes;
    struct gw_rate_limit *rate;
    bool has_tls; /* the gateway's port speaks it */
};

#endif
