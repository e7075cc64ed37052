/* What the owner of this machine has switched on: camera, screen, location, canvas, and changes of
 * exec-approvals.json from afar. All is off until `openclaw node enable` is run at the machine.
 * Kept apart from openclaw.json, which can be edited from afar through a gateway. */
#ifndef NODE_OWNER_SWITCHES_H
#define NODE_OWNER_SWITCHES_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define ND_SWITCHES_FILE \
    "consent.json" /* in the state directory, 0600; installations have it under this name */

struct nd_switch {
    const char *name;     /* "camera" */
    const char *disabled; /* the wire code while it is off: "CAMERA_DISABLED" */
    bool is_on_at_first;
    const char *summary;
};
/* All there are, sorted by name. */
const struct nd_switch *nd_switches(size_t *ret_count);
const struct nd_switch *nd_switch_find(const char *name); /* NULL: there is no such */

/* Looked up each time: the owner may have changed their mind. A file that cannot be read or
 * understood means no. path NULL: no. */
bool nd_switch_is_on(const char *path, const char *name);
/* Why a file that is there means no for everything; OC_OK: it is understood, or there is none. */
enum oc_code nd_switches_check(const char *path, struct oc_error *err) OC_MUST_USE;
/* Reads, changes, writes. OC_E_NOT_FOUND for an unknown name. */
enum oc_code nd_switch_set(
        const char *path, const char *name, bool on, struct oc_error *err) OC_MUST_USE;

#endif
