/* The way into the core thread for other threads, and what outlives the loop while they finish.
 *
 * Reference-counted: a thread that may still run when the loop is destroyed holds its own
 * reference. */
#ifndef LIB_NET_LOOP_MAILBOX_H
#define LIB_NET_LOOP_MAILBOX_H

#include "lib/base/error.h"

#include <stdbool.h>

struct oc_loop;
struct oc_mailbox;

enum oc_code oc_mailbox_create(struct oc_mailbox **ret, struct oc_error *err) OC_MUST_USE;
struct oc_mailbox *oc_mailbox_ref(struct oc_mailbox *mb);
void oc_mailbox_unref(struct oc_mailbox *mb);
/* Any thread. False: the loop is gone, fn will never run, user stays with the caller. */
bool oc_mailbox_post(struct oc_mailbox *mb, void (*fn)(void *user), void *user);
/* Starts a thread that ends by posting here, or by freeing what it has; it gets no signals, which
 * are the core thread's. 0, or an errno. */
int oc_mailbox_thread(void *(*main)(void *arg), void *arg);
/* Core thread. Runs what was posted before the call; returns how many. */
unsigned oc_mailbox_run(struct oc_mailbox *mb);
/* Core thread: no post succeeds any more. What is queued can still be run. */
void oc_mailbox_close(struct oc_mailbox *mb);
int oc_mailbox_read_fd(const struct oc_mailbox *mb);
/* Writing a byte here wakes the loop; for signal handlers. */
int oc_mailbox_wake_fd(const struct oc_mailbox *mb);

struct oc_mailbox *oc_loop_mailbox(struct oc_loop *loop); /* borrowed */

#endif
