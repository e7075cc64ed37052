/* Why a helper could not do something, as data (lib/base/grounds.h): optional members of its
 * answer.
 *
 *   {"ok":false,"code":"UNAVAILABLE","message":"…","cause"?,"subject"?,"remedy"?}
 *
 * A helper works on what strangers made, so the node believes little of it: causes and remedies
 * that are about this machine's programs and devices, packages by their names, and no gate. What
 * else it says is left out. */
#ifndef LIB_HELPER_FAILURE_H
#define LIB_HELPER_FAILURE_H

#include "lib/base/grounds.h"
#include "lib/json/json.h"

void oc_failure_put(cJSON *answer, const struct oc_grounds *g);
void oc_failure_read(const cJSON *answer, struct oc_grounds *ret);

#endif
