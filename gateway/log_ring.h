/* The last lines of our own log, for logs.tail. Positions count bytes since the start, as if it were a file. */
#ifndef GATEWAY_LOG_RING_H
#define GATEWAY_LOG_RING_H

#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

struct oc_log_ring;

struct oc_log_ring *oc_log_ring_create(void);
void oc_log_ring_destroy(struct oc_log_ring *r);
/* is_strangers: caused by somebody who was not let in; such lines have a share of their own and push out no others. */
void oc_log_ring_add(struct oc_log_ring *r, const char *line, bool is_strangers);
/* {cursor, size, lines, truncated, reset}. cursor < 0: the newest lines. reset: the position is not kept any more, or
 * never was. */
cJSON *oc_log_ring_tail(
        const struct oc_log_ring *r, int64_t cursor, int64_t limit, int64_t max_bytes);

#endif
