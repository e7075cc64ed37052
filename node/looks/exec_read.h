/* Reads a file that a command names, for its seal. Some files are nobody's script, and must not be
 * described to anybody. */
#ifndef NODE_LOOKS_EXEC_READ_H
#define NODE_LOOKS_EXEC_READ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* In the node's state directory (its workspace is open), /proc, /sys or /dev. path: absolute; by
 * its text, and, if it leads to something, by where it leads. */
bool nd_exec_is_private(const char *path, const char *state_dir);

/* The state directory by its name and by where that leads, found out once for many paths. A zeroed
 * one: there is none. */
struct nd_exec_state {
    const char *dir; /* borrowed */
    char *real;      /* owned */
};
void nd_exec_state_init(struct nd_exec_state *state, const char *dir);
void nd_exec_state_finish(struct nd_exec_state *state);
bool nd_exec_is_private_of(const char *path, const struct nd_exec_state *state);

struct nd_exec_reading {
    const struct nd_exec_state *state;
    size_t max_bytes;
    const atomic_bool *is_cancelled; /* may be NULL */
    atomic_uint *steps;              /* grows with every piece that was read; may be NULL */
};
/* A regular file; never waits for anything but the disk. False: it is too large, private, or cannot
 * be read. *ret_bytes: how much there was. */
bool nd_exec_read_digest(const char *path, const struct nd_exec_reading *how, unsigned char ret[32],
        size_t *ret_bytes);
/* The first bytes of one, whatever its size; how many there were, 0 as above. */
size_t nd_exec_read_head(
        const char *path, const struct nd_exec_reading *how, char *ret, size_t size);
/* A small one as text; NULL as above. Caller frees. */
char *nd_exec_read_text(const char *path, const struct nd_exec_reading *how);

#endif
