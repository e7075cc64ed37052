/* Lines from a socket that does not block, one at a time:
 *
 *   if (!oc_lines_fill(&in, fd)) → the peer has left, or sent more than a line may have
 *   while (oc_lines_first(&in, &line)) { … ; oc_lines_drop(&in); }
 *
 * The line stays where it is until it is dropped, so whoever looks at it may also throw everything
 * away. */
#ifndef LIB_NET_LOOP_LINES_H
#define LIB_NET_LOOP_LINES_H

#include "lib/base/buf.h"

#include <stdbool.h>

/* Appends what has arrived; the ceiling of `in` bounds what waits for its newline. */
bool oc_lines_fill(struct oc_buf *in, int fd);
/* The first whole line, without its newline. */
bool oc_lines_first(const struct oc_buf *in, struct oc_slice *ret);
void oc_lines_drop(struct oc_buf *in);

#endif
