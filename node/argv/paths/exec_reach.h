/* Which paths the loop may touch.
 *
 * A file system of a server or of another process (NFS, FUSE …) may never answer, and whoever asks
 * it waits forever. The loop must not: while it finds out what a command means, it touches no path
 * on such a file system before a thread has (node/looks/looks.h, node/run/run_reach.h). Where a
 * path leads is read from the mounts (exec_mounts.h) and the links of file systems that do answer,
 * one component after the other.
 *
 * Threads that nobody waits for are not guarded. Elsewhere than on Linux nothing is. */
#ifndef NODE_ARGV_PATHS_EXEC_REACH_H
#define NODE_ARGV_PATHS_EXEC_REACH_H

#include "lib/base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct nd_exec_mount {
    char *path; /* owned */
    bool may_hang;
};

struct nd_exec_reach { /* a zeroed one knows no mounts */
    struct nd_exec_mount *mounts;
    size_t count;
    struct oc_strv answered; /* mounts that may be touched, because a thread could */
    struct oc_strv paths;    /* that were not touched … */
    struct oc_strv needed;   /* … and the mounts they are on */
};

/* mountinfo: the text of proc(5). False: none of its file systems can hang. */
bool nd_exec_reach_read(struct nd_exec_reach *r, const char *mountinfo);
void nd_exec_reach_finish(struct nd_exec_reach *r);

/* In between, this thread touches only what may be touched; the rest looks as if it were not there,
 * and is noted. */
void nd_exec_reach_begin(struct nd_exec_reach *r);
void nd_exec_reach_end(void);
/* True where nothing is guarded. */
bool nd_exec_may_touch(const char *path);

#endif
