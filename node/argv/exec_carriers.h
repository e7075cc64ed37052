/* Programs that run what they are told in their arguments: shells, interpreters, and commands whose
 * job is to start other commands. Allowing one of them by path would allow everything, so only
 * security "full" runs them. */
#ifndef NODE_ARGV_EXEC_CARRIERS_H
#define NODE_ARGV_EXEC_CARRIERS_H

#include <stdbool.h>
#include <stddef.h>

/* name: a file name without directory. Case and version suffixes do not matter: Python3.11 is
 * python. */
bool nd_exec_is_carrier(const char *name);

/* The table, sorted, for the test that checks it. A trailing '*' stands for any ending.
 * For tests. */
const char *const *nd_exec_carriers(size_t *ret_count);

#endif
