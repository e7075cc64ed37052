/* One running program: its output collected and bounded, its time limited, its end reported once.
 */
#ifndef NODE_PROCESS_H
#define NODE_PROCESS_H

#include "base/buf.h"
#include "net/loop.h"
#include "platform/platform.h"

#include <stdbool.h>
#include <stdint.h>

#define OC_MAX_OUTPUT_BYTES 200000 /* stdout and stderr together */

struct oc_process_result {
    struct oc_child_exit end;
    bool timed_out;         /* killed because its time was over */
    bool was_killed;        /* killed for any reason */
    bool is_truncated;      /* there was more output than is kept */
    struct oc_buf out, err; /* bytes as they came, any encoding */
};

struct oc_process;
/* Fires exactly once, from the loop. result is borrowed. The process is gone when this returns. */
typedef void oc_process_done(void *user, const struct oc_process_result *result);

/* Copies opts. timeout_ms ≤ 0 means no limit. On failure ret_errno says why and done never fires.
 * The end is reported when the program has ended and its output is read; something it left running
 * in the background may hold the pipes open, which is waited for only a moment. What that writes
 * later is read and dropped, so that it can go on. */
enum oc_code oc_process_start(struct oc_loop *loop, const struct oc_exec_ops *ops,
        const struct oc_spawn_opts *opts, int64_t timeout_ms, oc_process_done *done, void *user,
        struct oc_process **ret, int *ret_errno, struct oc_error *err) OC_MUST_USE;
/* Kills the whole tree; done follows. is_timeout tells which flag the result has. */
void oc_process_kill(struct oc_process *p, bool is_timeout);
/* Kills the tree and forgets the process; done does not fire. NULL is fine. */
void oc_process_destroy(struct oc_process *p);

/* Pipes of finished programs that something in the background still holds. Call when the loop goes
 * away. */
void oc_process_drop_leftovers(struct oc_loop *loop);

/* "ENOENT" for ENOENT, and so on; a number in digits when it has no name here. ret holds at least
 * 24 bytes. */
const char *oc_errno_name(int errnum, char ret[24]);

#endif
