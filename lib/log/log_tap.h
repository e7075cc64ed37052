/* A function that gets every line of the log, besides stderr. One per process; lines of other
 * threads than the one that set it are not passed to it. */
#ifndef LIB_LOG_LOG_TAP_H
#define LIB_LOG_LOG_TAP_H

#include "lib/log/log.h"

/* The line is valid for the call and has no line break. NULL removes it. Must not log. */
void oc_log_set_tap(oc_log_sink *tap, void *user);

#endif
