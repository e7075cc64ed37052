/* The result of system.run, read as slices so that output of any size and content passes through
 * unchanged. */
#ifndef CLI_RUN_EXEC_ANSWER_H
#define CLI_RUN_EXEC_ANSWER_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct cli_exec_answer {
    struct oc_slice out, err; /* bodies: still escaped (lib/json/json_scan.h) */
    bool was_live;            /* the output was sent as it came */
    bool has_exit_code, timed_out;
    int64_t exit_code;
    int64_t signal;    /* 0 when not told */
    char *limit;       /* of the node, over which the command was killed; NULL: none. Owned */
    bool left_killed;  /* what the command left running was killed */
    char *left_handle; /* or goes on under this handle; NULL: it left nothing. Owned */
    char *env_dropped; /* names of variables that the command did not get, "A, B"; NULL: none. Owned
                        */
    char *error;       /* why nothing was started; NULL when something was. Owned */
    struct oc_buf scratch; /* holds the text when it came as payloadJSON only */
};

/* answer: the payload of node.invoke, valid JSON; borrowed by ret. ret needs cli_exec_answer_finish
 * in every case. */
enum oc_code cli_exec_answer_decode(
        struct oc_slice answer, struct cli_exec_answer *ret, struct oc_error *err) OC_MUST_USE;
void cli_exec_answer_finish(struct cli_exec_answer *r);
/* The command's own code; 124 timed out, 127 not found, 126 not started, 128+n killed by signal n.
 */
int cli_exec_exit_code(const struct cli_exec_answer *r);

#endif
