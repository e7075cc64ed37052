/* The mounts of this process, as the text of proc(5).
 *
 * The kernel makes that text anew for every reader, which takes longer than the rest of a decision
 * about a command. So it is kept until the kernel says that a mount came or went. */
#ifndef NODE_ARGV_PATHS_EXEC_MOUNTS_H
#define NODE_ARGV_PATHS_EXEC_MOUNTS_H

#include "lib/base/buf.h"

#include <stdbool.h>

struct nd_exec_mounts { /* a zeroed one has read nothing yet */
    bool is_open;
    int fd;
    struct oc_buf text;
};

/* Never NULL; empty where nothing can be read. path: a file to read every time; NULL: the mounts of
 * this process. Valid until the next call. */
const char *nd_exec_mounts_read(struct nd_exec_mounts *m, const char *path);
void nd_exec_mounts_finish(struct nd_exec_mounts *m);

#endif
