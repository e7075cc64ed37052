/* Child processes on Linux: the exec table, and the search for everything a child has started. */
#ifndef PLATFORM_LINUX_PROCESS_PROCESS_H
#define PLATFORM_LINUX_PROCESS_PROCESS_H

#include "platform/platform.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

extern const struct os_exec_ops os_linux_exec;

/* SIGKILL for everything below root, until nothing new turns up; waits for none of them. Root
 * itself lives, and so do those of its children that are spared, with all that is below them.
 * False: there was nothing to kill. If there was, something may have been faster: look again. */
bool os_tree_kill(pid_t root, const pid_t *spared, size_t spared_count);

/* Everything below root. Caller frees *ret. */
size_t os_tree_members(pid_t root, pid_t **ret);

#endif
