/* What is there after a program: pipes that somebody still holds, and children that nobody waits
 * for. */
#ifndef NODE_PROCESS_LEFTOVERS_H
#define NODE_PROCESS_LEFTOVERS_H

#include "lib/net/loop/loop.h"
#include "platform/platform.h"

/* Takes over a pipe of a finished program: what is written to it is read and dropped, so that the
 * writer can go on. */
void nd_leftover_drain(struct oc_loop *loop, int take_fd);
/* Collects children that have ended, and kills those that have lost whoever looked after them, now
 * and, while there are any, now and then. */
void nd_orphans_check(struct oc_loop *loop, const struct os_exec_ops *ops);
/* The same, when something was killed just now that nobody else will collect. */
void nd_orphans_expect(struct oc_loop *loop, const struct os_exec_ops *ops);

#endif
