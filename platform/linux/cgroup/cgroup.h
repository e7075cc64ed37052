/* A control group (version 2) for every command, where this process has a place for them.
 *
 * That place is our own group, when nobody else is in it: a systemd service with Delegate=yes, a
 * container of our own, or the root of all groups. A group with processes of its own cannot have
 * ceilings for those below, so we move down into one first.
 *
 *   our group ─┬─ openclaw-node    we, and the supervisors
 *              └─ openclaw-run-…   one for each command, with its ceilings
 *
 * There the kernel counts all of a command's processes together, at once and exactly. */
#ifndef PLATFORM_LINUX_CGROUP_CGROUP_H
#define PLATFORM_LINUX_CGROUP_CGROUP_H

#include "platform/platform.h"

#include <stdbool.h>

/* Once for this process; later calls tell the same. */
void os_cgroup_claim(struct os_sandbox_features *ret);

/* A group with these ceilings, and room for processes of ours; its directory on the heap; NULL and
 * errno: it cannot be made, or was not claimed. */
char *os_cgroup_create(const struct os_limits *limits, int64_t helpers);
/* Its processes have ended. NULL is fine. */
void os_cgroup_remove(char *take_dir);

/* Child: the caller goes into it. errno or 0. */
int os_cgroup_enter(const char *dir);
/* SIGKILL for everything in it, if the kernel can (5.14). */
void os_cgroup_kill(const char *dir);
/* The kernel killed it because its memory was used up. */
bool os_cgroup_ran_out(const char *dir);

#endif
