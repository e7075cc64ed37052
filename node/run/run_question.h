/* What the person at this machine is asked before a command runs (lib/state/prompt_line.h). */
#ifndef NODE_RUN_RUN_QUESTION_H
#define NODE_RUN_RUN_QUESTION_H

#include "lib/json/json.h"

#include <stdint.h>

struct nd_exec_operand;
struct nd_exec_verdict;
struct nd_run_params;

struct nd_run_question {
    const char *node_name;
    const cJSON *caller; /* who wants it, in the gateway's words; NULL: it did not say */
    const struct nd_run_params *params;
    const struct nd_exec_verdict *verdict;
    const struct nd_exec_operand *files; /* what it is bound to */
    const cJSON *manner; /* {"background","tty","stdin"?,"timeoutMs"?}; NULL: as in params */
    int64_t timeout_ms;  /* that somebody has to answer */
};

/* Caller deletes. */
cJSON *nd_run_question_build(const struct nd_run_question *q);

/* Somebody at this machine denied what was asked in such a question: the run log gets its line. log
 * may be NULL. */
struct nd_run_log;
void nd_run_question_denied(struct nd_run_log *log, const char *approval_id, const cJSON *question);

#endif
