/* One running program: its output collected and bounded, its time limited, its end reported once.
 */
#ifndef NODE_PROCESS_PROCESS_H
#define NODE_PROCESS_PROCESS_H

#include "lib/base/buf.h"
#include "lib/net/loop/loop.h"
#include "platform/platform.h"

#include <stdbool.h>
#include <stdint.h>

#define ND_MAX_OUTPUT_BYTES 200000 /* stdout and stderr together */

struct nd_process_result {
    struct os_child_exit end;
    bool timed_out;         /* killed because its time was over */
    bool was_killed;        /* killed for any reason */
    bool is_truncated;      /* there was more output than is kept */
    bool left_behind;       /* what the program started runs on */
    bool cleaned_up;        /* the same, but it was killed */
    struct oc_buf out, err; /* bytes as they came, any encoding */
    uint64_t bytes;         /* that came, kept or not */
    uint64_t err_bytes;     /* of these on standard error */
};

struct nd_process;
/* Fires exactly once, from the loop. result is borrowed. The process is gone when this returns,
 * unless something was left behind that may stay. */
typedef void nd_process_done(void *user, const struct nd_process_result *result);

/* Copies opts. timeout_ms ≤ 0 means no limit. On failure ret_errno says why and done never fires.
 * The end is reported when the program has ended and its output is read. Something it left running
 * in the background is waited for only a moment, or while somebody who looks on reads slowly, at
 * most until timeout_ms, and then killed, unless it may stay (below). */
enum oc_code nd_process_start(struct oc_loop *loop, const struct os_exec_ops *ops,
        const struct os_spawn_opts *opts, int64_t timeout_ms, nd_process_done *done, void *user,
        struct nd_process **ret, int *ret_errno, struct oc_error *err) OC_MUST_USE;

/* From now on every piece of output is also given to fn as it comes, and it may pause. Both streams
 * come in the order in which they were written if the program was started in_order, as long as no
 * stream floods the other (node/process/process.c); else as they are found. NULL: no more. */
typedef void nd_process_output(void *user, bool is_err, const char *bytes, size_t len);
void nd_process_set_output(struct nd_process *p, nd_process_output *fn, void *user);
/* A paused process is not read from: it blocks as soon as its pipes are full, and its end is not
 * reported while there may be output left. */
void nd_process_pause(struct nd_process *p);
void nd_process_resume(struct nd_process *p);

/* What the program gets as input, when it was started with some. Takes what fits
 * (ND_MAX_INPUT_BYTES wait at a time) and returns how much that was. */
#define ND_MAX_INPUT_BYTES 262144
size_t nd_process_write(struct nd_process *p, const char *bytes, size_t len);
/* fn is called, from the loop, when the program has taken some of what waits, or takes no more. */
typedef void nd_process_room(void *user);
void nd_process_set_room(struct nd_process *p, nd_process_room *fn, void *user);
/* End of input, behind what was written before. On a terminal that is its end-of-file character. */
void nd_process_end_input(struct nd_process *p);
bool nd_process_has_input(const struct nd_process *p); /* it can still be written to */
void nd_process_resize(struct nd_process *p, const struct os_tty_size *size);
pid_t nd_process_pid(const struct nd_process *p);

/* What the program leaves behind may stay: done fires with left_behind set, the process lives on,
 * and so does its output. When the last of it has ended, or was killed, gone fires and the process
 * is freed. */
typedef void nd_process_gone(void *user);
void nd_process_keep_left(struct nd_process *p, nd_process_gone *gone);

/* Kills the whole tree; done (or gone) follows. is_timeout tells which flag the result has. If the
 * program itself has ended, its result stays what it was, but neither its reader nor what it left
 * behind is waited for any more, and what may stay is killed too, unless it is a timeout. */
void nd_process_kill(struct nd_process *p, bool is_timeout);
/* Kills the tree and forgets the process; done does not fire. NULL is fine. */
void nd_process_destroy(struct nd_process *p);

/* Pipes of finished programs that something in the background still holds. Call when the loop goes
 * away. */
void nd_process_drop_leftovers(struct oc_loop *loop);

/* "ENOENT" for ENOENT, and so on; a number in digits when it has no name here. ret holds at least
 * 24 bytes. */
const char *nd_errno_name(int errnum, char ret[24]);

#endif
