/* Listening sockets that outlive the servers which accept from them.
 *
 * A gateway that serves anew (other settings, SIGUSR1) must not let go of its port for a moment:
 * whoever listens there next would be taken for it. The sockets are kept here; a new server takes
 * over those it wants and opens what is missing, and only then the rest is closed. */
#ifndef LIB_NET_SERVER_LISTENERS_H
#define LIB_NET_SERVER_LISTENERS_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct oc_listeners;
struct oc_listeners *oc_listeners_create(void);
void oc_listeners_destroy(struct oc_listeners *l); /* closes all; NULL is fine */

/* begin, then open for every address, then commit (closes what was not asked for) or roll_back
 * (closes what is new). */
void oc_listeners_begin(struct oc_listeners *l);
/* Numeric host; port 0 lets the system pick one. The descriptor stays with the set. OC_E_EXISTS:
 * somebody else has the address, and the text says who. */
enum oc_code oc_listeners_open(struct oc_listeners *l, const char *host, uint16_t port, int *ret_fd,
        struct oc_error *err) OC_MUST_USE;
void oc_listeners_commit(struct oc_listeners *l);
void oc_listeners_roll_back(struct oc_listeners *l);
void oc_listeners_close_all(struct oc_listeners *l);

#endif
