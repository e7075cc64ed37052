/* What ran on this machine, for its owner, whoever the gateway was: <state>/exec-log.jsonl, one
 * JSON object per line.
 *
 * A line is added before a command starts, one when it ended, one when the gateway knows that.
 * Refusals stand in exec-refused.jsonl, where they push nothing out but each other. Lines are never
 * changed. When a file is full (OC_MAX_RUN_LOG_BYTES, OC_MAX_RUN_REFUSED_BYTES) it takes the place
 * of the one before (node/run/run_log_file.h). What callers wrote is cut by the room it takes here,
 * and of the environment only names are kept. The files are as safe as the account: a command that
 * is not sandboxed (node.exec.sandbox) can write wherever the node can. */
#ifndef NODE_RUN_RUN_LOG_H
#define NODE_RUN_RUN_LOG_H

#include "lib/base/clock.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

#define ND_RUN_LOG_ID 16

struct nd_run_log;

/* gateway: where commands come from. Nothing is opened before there is something to write. A log
 * that cannot be written is reported once, until it can be again. */
struct nd_run_log *nd_run_log_create(
        const char *state_dir, const char *gateway, const struct oc_clock *clock);
void nd_run_log_destroy(struct nd_run_log *log);

struct nd_run_log_run {
    const struct oc_strv *argv;
    const char *cwd, *agent_id, *session_key, *run_id, *handle; /* may be NULL */
    const cJSON *env;                                           /* an object, or NULL */
    const char *invoke_id;         /* what the gateway calls it; may be NULL */
    const cJSON *caller;           /* who the gateway says asked; may be NULL */
    const char *gate, *gate_entry; /* what let it through, or stopped it; may be NULL */
    enum oc_cause cause;           /* refused: why */
    bool is_background, has_tty;
};
/* log may be NULL. ret_id names the run in its other line. */
void nd_run_log_begin(
        struct nd_run_log *log, const struct nd_run_log_run *run, char ret_id[ND_RUN_LOG_ID + 1]);
void nd_run_log_refused(
        struct nd_run_log *log, const struct nd_run_log_run *run, const char *reason);

/* end: node/run/run_log_note.h. */
void nd_run_log_end(struct nd_run_log *log, const char *id, const cJSON *end);
/* The gateway knows the end of it. */
void nd_run_log_told(struct nd_run_log *log, const char *id);
/* At the start of a node: runs that the last one left behind get an end, and what this gateway has
 * not been told is given to fn, in the shape of gateway/exec/run_end.h. The callee owns the
 * report. */
typedef void nd_run_log_unconfirmed(void *user, const char *id, cJSON *take_report);
void nd_run_log_recover(struct nd_run_log *log, nd_run_log_unconfirmed *fn, void *user);

/* The newest first, at most limit, in the shape of exec.audit.list: {"items":[…],"pruned":n}. A log
 * that does not exist is empty; lines that cannot be read are left out. */
enum oc_code nd_run_log_read(const char *state_dir, int64_t since_ms, int64_t limit, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;

#endif
