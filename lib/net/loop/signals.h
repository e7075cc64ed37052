/* Process signals, turned into bytes in a loop's pipe. The table is process-wide, as signals are.
 */
#ifndef LIB_NET_LOOP_SIGNALS_H
#define LIB_NET_LOOP_SIGNALS_H

#include "lib/base/error.h"

struct oc_loop;

enum oc_code oc_signals_watch(struct oc_loop *loop, int wake_fd, int signo,
        void (*fn)(void *user, int signo), void *user, struct oc_error *err) OC_MUST_USE;
/* Calls the handlers of signals that came for this loop since the last time. */
void oc_signals_dispatch(const struct oc_loop *loop);
/* Gives the loop's signals back to who had them before. */
void oc_signals_forget(const struct oc_loop *loop);

#endif
