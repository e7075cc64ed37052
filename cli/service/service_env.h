/* The secrets of a service: a 0600 file of NAME="value" lines that systemd reads
 * (EnvironmentFile=), so that they are neither in the unit nor in anybody's list of processes. */
#ifndef CLI_SERVICE_SERVICE_ENV_H
#define CLI_SERVICE_SERVICE_ENV_H

#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>

/* The names and values of the file, an object of strings; an empty one when there is no file.
 * Caller deletes. */
enum oc_code cli_service_env_read(const char *path, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* Writes it if something is different; without any value there is no file. A value with control
 * characters or broken UTF-8 is refused, because systemd would drop it silently. */
enum oc_code cli_service_env_write(
        const char *path, const cJSON *values, bool *ret_changed, struct oc_error *err) OC_MUST_USE;

/* The text of the file and back. The caller frees with oc_free_secret, or deletes. */
char *cli_service_env_text(const cJSON *values); /* NULL: too long */
cJSON *cli_service_env_parse(const char *text);

#endif
