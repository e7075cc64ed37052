/* What lets a node's connection look at canvas files (gateway/canvas/canvas_host.h gives and checks
 * it). */
#ifndef GATEWAY_CONN_CANVAS_PASS_H
#define GATEWAY_CONN_CANVAS_PASS_H

#include <stdint.h>

#define GW_CANVAS_CAP_LEN 24

struct gw_canvas_pass {
    int64_t until_ms;                /* of the loop's clock; longer when it is used */
    char cap[GW_CANVAS_CAP_LEN + 1]; /* a secret; "": none was given */
};

#endif
