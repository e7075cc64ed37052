/* What the node of this machine said last, for `openclaw node status`: <state>/node-status.json.
 * The file is locked as long as the node runs, so that what a killed one left behind is not taken
 * for the truth. */
#ifndef NODE_STATUS_FILE_H
#define NODE_STATUS_FILE_H

#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/json/json.h"
#include "node/status.h"

struct nd_status_file;

/* NULL, with a warning, when it cannot be written: the node works without. */
struct nd_status_file *nd_status_file_create(const char *state_dir, const struct oc_clock *clock);
void nd_status_file_destroy(struct nd_status_file *f); /* also removes it; NULL is fine */
void nd_status_file_put(struct nd_status_file *f, const struct nd_status *s); /* NULL is fine */

/* {"pid","state","text","fix"?,"gateway","name","sinceMs"}; OC_E_NOT_FOUND when no node runs here.
 * Caller deletes. */
enum oc_code nd_status_file_read(
        const char *state_dir, cJSON **ret, struct oc_error *err) OC_MUST_USE;

#endif
