/* What the system keeps so that the next program starts faster (os_exec_ops.drop_spare): where one
 * ran another often follows, but not forever. */
#ifndef NODE_PROCESS_SPARE_H
#define NODE_PROCESS_SPARE_H

#include "lib/net/loop/loop.h"
#include "platform/platform.h"

/* A program has ended: what is kept is kept for a while from now on. */
void nd_spare_used(struct oc_loop *loop, const struct os_exec_ops *ops);
/* Nothing is kept for this loop any more. */
void nd_spare_end(struct oc_loop *loop);

#endif
