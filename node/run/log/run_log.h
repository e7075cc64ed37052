/* What ran on this machine, for its owner, whoever the gateway was: <state>/exec-log.jsonl, one
 * JSON object per line.
 *
 * A line is added before a command starts, one when it ended, one when the gateway knows that.
 * Refusals stand in exec-refused.jsonl, where they push nothing out but each other. Lines are never
 * changed. When a file is full (OC_MAX_RUN_LOG_BYTES, OC_MAX_RUN_REFUSED_BYTES) it takes the place
 * of the one before (node/run/log/run_log_file.h). What callers wrote is cut by the room it takes
 * here, and of the environment only names are kept. The files are as safe as the account: a command
 * that is not sandboxed (node.exec.sandbox) can write wherever the node can. */
#ifndef NODE_RUN_LOG_RUN_LOG_H
#define NODE_RUN_LOG_RUN_LOG_H

#include "lib/base/clock.h"
#include "lib/json/json.h"
#include "node/run/log/run_end.h"

#include <stdbool.h>
#include <stdint.h>

#define ND_RUN_LOG_ID 16

struct nd_run_log;

/* gateway: where commands come from. Nothing is opened before there is something to write. A log
 * that cannot be written is reported once, until it can be again. */
struct nd_run_log *nd_run_log_create(
        const char *state_dir, const char *gateway, const struct oc_clock *clock);
void nd_run_log_destroy(struct nd_run_log *log);

/* log may be NULL. ret_id names the run in its other lines (nd_run_end.log_id). */
void nd_run_log_begin(
        struct nd_run_log *log, const struct nd_run_about *run, char ret_id[ND_RUN_LOG_ID + 1]);
/* One that has no line yet was refused. */
void nd_run_log_end(struct nd_run_log *log, const struct nd_run_end *end);
/* The gateway knows the end of it. */
void nd_run_log_told(struct nd_run_log *log, const char *id);
/* At the start of a node: runs that the last one left behind get an end, and what this gateway has
 * not been told is given to fn, in the shape of gateway/audit/run_end.h. The callee owns the
 * report. */
typedef void nd_run_log_unconfirmed(void *user, const char *id, cJSON *take_report);
void nd_run_log_recover(struct nd_run_log *log, nd_run_log_unconfirmed *fn, void *user);

/* The newest first, at most limit, in the shape of exec.audit.list: {"items":[…],"pruned":n}. A log
 * that does not exist is empty; lines that cannot be read are left out. */
enum oc_code nd_run_log_read(const char *state_dir, int64_t since_ms, int64_t limit, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;

#endif
