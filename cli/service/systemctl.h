/* The service manager of this user, through the systemctl command. */
#ifndef CLI_SERVICE_SYSTEMCTL_H
#define CLI_SERVICE_SYSTEMCTL_H

#include "lib/base/error.h"
#include "lib/json/json.h"

/* Can it be asked, and how new is it (252). OC_E_UNAVAILABLE when there is none; the text says why
 * and what helps. Finds the manager also where XDG_RUNTIME_DIR is not set, as after su. */
enum oc_code cli_systemctl_reach(int *ret_version, struct oc_error *err) OC_MUST_USE;
/* `systemctl --user <verb> [unit]`; waits until it is done. The error has systemctl's own words. */
enum oc_code cli_systemctl(const char *verb, const char *unit, struct oc_error *err) OC_MUST_USE;
/* The properties of a unit by name, as strings. Caller deletes. */
enum oc_code cli_systemctl_show(
        const char *unit, const char *properties, cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* The pure part of it: "Name=value" lines. Caller deletes. */
cJSON *cli_systemctl_parse(const char *text);

#endif
