/* The last lines of our own log, for logs.tail. Positions count bytes since the start, as if it
 * were a file. */
#ifndef GATEWAY_LOG_RING_H
#define GATEWAY_LOG_RING_H

#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

struct gw_log_ring;

struct gw_log_ring *gw_log_ring_create(void);
void gw_log_ring_destroy(struct gw_log_ring *r);
/* is_strangers: caused by somebody who was not let in; such lines have a share of their own and
 * push out no others. */
void gw_log_ring_add(struct gw_log_ring *r, const char *line, bool is_strangers);
/* {cursor, size, lines, truncated, reset}. cursor < 0: the newest lines. reset: the position is not
 * kept any more, or never was. */
cJSON *gw_log_ring_tail(
        const struct gw_log_ring *r, int64_t cursor, int64_t limit, int64_t max_bytes);

#endif
