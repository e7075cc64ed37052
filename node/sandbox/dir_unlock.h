/* Opening what a command has closed to itself, so that it can be removed. */
#ifndef NODE_SANDBOX_DIR_UNLOCK_H
#define NODE_SANDBOX_DIR_UNLOCK_H

#include <stddef.h>

/* Entries that are looked at in one go: the node does nothing else meanwhile. Of a larger tree the
 * rest is opened when what could be removed is gone, at the next start. */
#define ND_MAX_UNLOCKED 65536

/* Makes dir, and the directories below it, ours to read and change. Follows no link, and looks up
 * every name in the directory that it was read from, so that nobody who still works there can lead
 * it outside. */
void nd_dir_unlock(const char *dir, size_t *entries);

#endif
