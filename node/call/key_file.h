/* The idempotency keys a node has acted on, on disk, so that a key does not run twice when the node
 * was restarted in between.
 *
 * <state>/node-runs.log holds hashes and times only. The file is locked as long as the node runs,
 * which also keeps a second node from using the same identity: the two would take the gateway's
 * connection from each other forever. */
#ifndef NODE_CALL_KEY_FILE_H
#define NODE_CALL_KEY_FILE_H

#include "lib/base/clock.h"
#include "lib/base/error.h"

#include <stddef.h>
#include <stdint.h>

#define ND_KEY_FILE_HASH 64

struct nd_key_file_mark {
    int64_t age_ms;
    char key_hash[ND_KEY_FILE_HASH + 1], params_hash[ND_KEY_FILE_HASH + 1];
};

struct nd_key_file;

/* OC_E_UNAVAILABLE when another process holds it. Lines that make no sense (a torn write) are
 * skipped. */
enum oc_code nd_key_file_open(const char *state_dir, const struct oc_clock *clock,
        struct nd_key_file **ret, struct oc_error *err) OC_MUST_USE;
void nd_key_file_close(struct nd_key_file *j);
/* What earlier runs left that is still young enough to matter, oldest first. */
const struct nd_key_file_mark *nd_key_file_marks(const struct nd_key_file *j, size_t *ret_count);
/* Written before the command starts. A full disk does not stop the node: the key is then only
 * remembered in memory. */
void nd_key_file_add(struct nd_key_file *j, const char *key_hash, const char *params_hash);

#endif
