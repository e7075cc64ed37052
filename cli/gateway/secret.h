/* Secrets that are typed, piped or in a file: one line. */
#ifndef CLI_GATEWAY_SECRET_H
#define CLI_GATEWAY_SECRET_H

#include "lib/base/error.h"

/* The first line of a file, not empty. "-" is stdin, of which one line is read and nothing beyond:
 * on a terminal it is asked for as `what`, and not shown while it is typed. Caller frees with
 * oc_free_secret. */
enum oc_code cli_secret_from_file(
        const char *path, const char *what, char **ret, struct oc_error *err) OC_MUST_USE;

#endif
