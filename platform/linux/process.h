/* Child processes on Linux: the exec table, and the search for everything a child has started. */
#ifndef PLATFORM_LINUX_PROCESS_H
#define PLATFORM_LINUX_PROCESS_H

#include "platform/platform.h"

#include <sys/types.h>

extern const struct oc_exec_ops oc_linux_exec;

/* Each child's environment carries OC_TREE_MARK "=<mark>". It is how an orphan in a session of its
 * own is still recognised as belonging to that child. */
#define OC_TREE_MARK "OPENCLAW_RUN_MARK"
#define OC_TREE_MARK_LEN 32

/* SIGKILL until no new process turns up; waits for none of them. With a mark: root, its process group and session, their
 * descendants, and those of our own adopted orphans that carry the mark. Without: everything below root, but not root. */
void oc_tree_kill(pid_t root, const char *mark);

#endif
