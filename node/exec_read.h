/* Reads a file that a command names, for its seal. Some files are nobody's script, and must not be described to anybody. */
#ifndef NODE_EXEC_READ_H
#define NODE_EXEC_READ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* In the node's state directory (its workspace is open), /proc, /sys or /dev. path: absolute; by its text, and, if it leads
 * to something, by where it leads. */
bool oc_exec_is_private(const char *path, const char *state_dir);

struct oc_exec_reading {
    const char *state_dir;
    size_t max_bytes;
    const atomic_bool *is_cancelled; /* may be NULL */
};
/* A regular file; never waits for anything but the disk. False: it is too large, private, or cannot be read. *ret_bytes:
 * how much there was. */
bool oc_exec_read_digest(const char *path, const struct oc_exec_reading *how, unsigned char ret[32],
        size_t *ret_bytes);
/* A small one as text; NULL as above. Caller frees. */
char *oc_exec_read_text(const char *path, const struct oc_exec_reading *how);

#endif
