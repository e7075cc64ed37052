/* What ran on this machine, for its owner, whoever the gateway was: <state>/exec-log.jsonl, one JSON object per line.
 *
 * A line is added before a command starts, one when it ended, one for every refusal. Lines are never changed. When the
 * file has grown to OC_MAX_EXEC_LOG_BYTES it becomes exec-log.1.jsonl, in place of the one before. Commands are cut as in the
 * gateway's audit and of the environment only names are kept. The file is as safe as the account: a command that is not
 * contained (node.exec.sandbox) can write wherever the node can. */
#ifndef NODE_EXEC_LOG_H
#define NODE_EXEC_LOG_H

#include "base/clock.h"
#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

#define OC_EXEC_LOG_ID 16

struct oc_exec_log;

/* gateway: where commands come from. Nothing is opened before there is something to write. A log that cannot be written is reported once. */
struct oc_exec_log *oc_exec_log_create(
        const char *state_dir, const char *gateway, const struct oc_clock *clock);
void oc_exec_log_destroy(struct oc_exec_log *log);

struct oc_exec_log_run {
    const struct oc_strv *argv;
    const char *cwd, *agent_id, *session_key, *run_id; /* may be NULL */
    const cJSON *env;                                  /* an object, or NULL */
    bool is_approved;
};
/* log may be NULL. ret_id names the run in its other line. */
void oc_exec_log_begin(struct oc_exec_log *log, const struct oc_exec_log_run *run,
        char ret_id[OC_EXEC_LOG_ID + 1]);
void oc_exec_log_refused(
        struct oc_exec_log *log, const struct oc_exec_log_run *run, const char *reason);

struct oc_exec_log_end {
    const char *outcome; /* exited, killed, timed-out, not-started, cancelled */
    bool has_exit_code;
    int exit_code, signal; /* signal 0: none */
    uint64_t bytes;
    const char *reason; /* may be NULL */
    int64_t took_ms;
};
void oc_exec_log_end(struct oc_exec_log *log, const char *id, const struct oc_exec_log_end *end);

/* The newest first, at most limit, in the shape of exec.audit.list: {"items":[…],"pruned":0}. A log that does not exist is
 * empty; lines that cannot be read are left out. */
enum oc_code oc_exec_log_read(const char *state_dir, int64_t since_ms, int64_t limit, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;

#endif
