/* Roles and operator scopes, and which grant covers which request
 * (docs/PROTOCOL.md#roles-and-scopes). */
#ifndef LIB_PROTOCOL_SCOPES_H
#define LIB_PROTOCOL_SCOPES_H

#include "lib/base/str.h"

#include <stdbool.h>

#define OC_ROLE_OPERATOR "operator"
#define OC_ROLE_NODE "node"
#define OC_SCOPE_ADMIN "operator.admin"
#define OC_SCOPE_READ "operator.read"
#define OC_SCOPE_WRITE "operator.write"
#define OC_SCOPE_APPROVALS "operator.approvals"
#define OC_SCOPE_PAIRING "operator.pairing"

/* admin covers every operator.*; write covers read; otherwise exact. */
bool oc_scope_held(const struct oc_strv *granted, const char *wanted);
/* For role operator by the rule above, for any other role exact. An empty request is covered, an
 * empty grant covers nothing else. */
bool oc_scopes_cover(const char *role, const struct oc_strv *granted, const struct oc_strv *wanted);

#endif
