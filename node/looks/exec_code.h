/* Whether a file is something to run, or data.
 *
 * A command names both: "python3 x.py app.log". What is run must not change between an approval and
 * the run; a log that grows must not keep its readers from being approved. What a carrier's
 * arguments show to be its script is bound whatever it looks like (node/looks/exec_operand.h). All
 * other files count when somebody could run them as they are, or when their name says that they are
 * code. */
#ifndef NODE_LOOKS_EXEC_CODE_H
#define NODE_LOOKS_EXEC_CODE_H

#include "node/looks/exec_read.h"

#include <stdbool.h>
#include <sys/stat.h>

/* path: of a regular file, which st is about. One that cannot be read counts by its mode and
 * name. */
bool nd_exec_is_code(const char *path, const struct stat *st, const struct nd_exec_reading *how);
/* By its name alone. */
bool nd_exec_is_code_name(const char *path);

#endif
