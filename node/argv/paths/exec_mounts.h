/* Whether a file system of this machine can hang, asked for every command.
 *
 * The kernel makes the text of proc(5) anew for every reader, which takes longer than the rest of a
 * decision about a command. That none can hang is therefore kept until the kernel says that a mount
 * came or went. Where one can, the mounts are read every time: the kernel is silent when a
 * directory above one is renamed. */
#ifndef NODE_ARGV_PATHS_EXEC_MOUNTS_H
#define NODE_ARGV_PATHS_EXEC_MOUNTS_H

#include "node/argv/paths/exec_reach.h"

#include <stdbool.h>

struct nd_exec_mounts { /* a zeroed one has read nothing yet */
    bool is_open, none_can_hang;
    int fd;
};

/* False: none can. ret: zeroed; gets the mounts where one can. path: a file to read every time;
 * NULL: the mounts of this process. */
bool nd_exec_mounts_can_hang(struct nd_exec_mounts *m, const char *path, struct nd_exec_reach *ret);
void nd_exec_mounts_finish(struct nd_exec_mounts *m);

#endif
