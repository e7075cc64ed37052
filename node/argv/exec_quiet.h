/* Programs of the system that run nothing, whatever they are given. */
#ifndef NODE_ARGV_EXEC_QUIET_H
#define NODE_ARGV_EXEC_QUIET_H

#include <stdbool.h>

/* real: the real path of a program of the system. Its arguments are data: cat, ls, grep … */
bool nd_exec_runs_nothing(const char *real);
/* … nor does it leave a file behind, or change one: cp runs nothing, but may write what runs
 * next. */
bool nd_exec_writes_nothing(const char *real);

#endif
