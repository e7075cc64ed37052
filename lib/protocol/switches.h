/* The owner's switches of a node as its permissions tell them (node/owner/switches.h), for everyone
 * who reads permissions.
 *
 *   "camera": true|false           what the owner said at the machine
 *   "camera.installed": false      the program that would do it is not there; never true
 *   "system.execApprovals.set": false, or "system.execApprovals.set.denied": false
 *                                  the switch "approvals" is off, or on: a command that is declared
 *                                  anyway
 *   "captures.unannounced": false  the person at the machine is told about every capture
 *   "captures.announced": false    nobody is told
 *
 * A 2026.9.6 gateway asks for approval whenever a permission becomes true. The switches may be
 * true, as new commands come with them, which it asks about anyway; the rest is never true. */
#ifndef LIB_PROTOCOL_SWITCHES_H
#define LIB_PROTOCOL_SWITCHES_H

#include "lib/base/grounds.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stddef.h>

#define OC_PERMISSION_INSTALLED ".installed"
#define OC_PERMISSION_DENIED ".denied"
#define OC_PERMISSION_ANNOUNCED "captures.announced"
#define OC_PERMISSION_UNANNOUNCED "captures.unannounced"

struct oc_switch {
    const char *name;     /* also the first word of the commands: "camera" of "camera.snap" */
    const char *disabled; /* the wire code while it is off: "CAMERA_DISABLED" */
    const char *package;  /* that brings the program: "openclaw-media"; NULL: it needs none */
    const char
            *command; /* the one that needs it, and is declared anyway; NULL: those of the name */
};
/* All there are, sorted by name. */
const struct oc_switch *oc_switches(size_t *ret_count);
/* The one that a command needs; NULL: none. */
const struct oc_switch *oc_switch_of(const char *command);

/* The one whose commands are refused with this code; NULL: none. */
const struct oc_switch *oc_switch_by_code(const char *code);

/* What permissions say about a switch. */
enum oc_switch_state { OC_SWITCH_UNKNOWN, OC_SWITCH_OFF, OC_SWITCH_NOT_INSTALLED, OC_SWITCH_ON };
enum oc_switch_state oc_switch_read(const cJSON *permissions, const struct oc_switch *s);
/* What makes its commands usable; none when it is on or unknown. client_id: of the node. */
struct oc_grounds oc_switch_grounds(
        const cJSON *permissions, const struct oc_switch *s, const char *client_id);

#endif
