/* What we tell the service manager that started us (the protocol of systemd's sd_notify, without
 * its library): that we are ready, in a line what we do, that the loop still turns, that we are
 * about to end.
 *
 * Without a manager every call does nothing. All on the loop's thread. */
#ifndef LIB_NET_LOOP_SD_NOTIFY_H
#define LIB_NET_LOOP_SD_NOTIFY_H

#include "lib/net/loop/loop.h"

struct oc_sd_notify;

/* Takes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID out of the environment, so that nothing we
 * start can speak for us. The watchdog is fed from the loop's timer from now on. */
struct oc_sd_notify *oc_sd_notify_create(struct oc_loop *loop);
/* The status is one line for people; a peer may have written part of it. */
void oc_sd_notify_ready(struct oc_sd_notify *n, const char *status);
void oc_sd_notify_status(struct oc_sd_notify *n, const char *status);
void oc_sd_notify_stopping(struct oc_sd_notify *n);
void oc_sd_notify_destroy(struct oc_sd_notify *n);

/* The message for this state; NULL for no status. Caller frees. */
char *oc_sd_notify_text(bool is_ready, bool is_stopping, const char *status);

#endif
