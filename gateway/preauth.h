/* A budget for connections that have proven nothing yet: a few per address, not many in all. This machine has a budget
 * of its own, so that strangers cannot lock the owner out. */
#ifndef GATEWAY_PREAUTH_H
#define GATEWAY_PREAUTH_H

#include <stdbool.h>

#define OC_MAX_PREAUTH_PER_IP 32
#define OC_MAX_PREAUTH_REMOTE 512
#define OC_MAX_PREAUTH_LOCAL 4096

struct oc_preauth;

struct oc_preauth *oc_preauth_create(void);
void oc_preauth_destroy(struct oc_preauth *p);
/* False: over budget. True: call oc_preauth_leave with the same arguments later, once. */
bool oc_preauth_enter(struct oc_preauth *p, const char *ip, bool is_loopback);
void oc_preauth_leave(struct oc_preauth *p, const char *ip, bool is_loopback);

#endif
