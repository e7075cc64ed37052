/* Hashes that only this process can make: whoever sees one learns nothing about what was hashed,
 * not even by trying.
 *
 * What commands name is described to callers and gateways by them. A plain hash of a short secret
 * (a PIN in a file of one's own) can be guessed. The key is random, in memory only, and gone with
 * the process. Any thread. */
#ifndef NODE_LOOKS_EXEC_SEAL_H
#define NODE_LOOKS_EXEC_SEAL_H

#include <stddef.h>

#define ND_SEAL_LEN 64 /* hex digits */

void nd_exec_seal(const void *data, size_t len, char ret[ND_SEAL_LEN + 1]);
/* Which key it is, for telling "another process made this" from "it has changed". */
const char *nd_exec_seal_epoch(void);

#endif
