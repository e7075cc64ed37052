/* What `nodes run` does while the command is under way: prints output as it comes, passes on the
 * keyboard, and turns Ctrl-C into a cancel on the node. While it only waits for an approval, Ctrl-C
 * takes the request back. */
#ifndef CLI_RUN_LIVE_RUN_H
#define CLI_RUN_LIVE_RUN_H

#include "cli/command.h"
#include "cli/run/run_input.h"
#include "lib/base/encode.h"
#include "lib/net/loop/loop.h"

struct cli_live_run {
    struct cli_cli *cli;
    const char *node_id;
    char key[OC_UUID_LEN + 1];   /* idempotency key of the run */
    const char *handle;          /* of an interactive run: where the keyboard goes. NULL: nowhere */
    struct cli_run_input *input; /* what goes to the program once it runs; NULL: nothing */
    bool prints_output;          /* the user asked to see this run's output as it comes */
    const char *approval_id;     /* what is asked for between two tries; NULL: nothing */
    /* What has happened: */
    bool is_running;      /* a try is under way, so the command may be running */
    int signo;            /* asked us to end; 0: none */
    bool is_cancelled;    /* the node was told */
    int64_t last_seen_ms; /* wall clock: the last sign of life */
    size_t printed[2];    /* bytes of stdout and stderr that were printed as they came */
    bool was_lost;        /* the connection went; the result was asked for again */
    bool has_raw_bytes;   /* not all of them were text, which the result counts otherwise */
    /* Private: */
    struct oc_io keyboard;
    unsigned writes; /* on their way */
};

/* Before it begins, while somebody is asked about it: a signal takes the question back. */
void cli_live_run_watch(struct cli_live_run *v);
/* The connection must be there (cli_call was used), and the key. Sets the hooks. */
void cli_live_run_begin(struct cli_live_run *v);
void cli_live_run_end(struct cli_live_run *v);

/* {"columns","rows"} of our terminal; caller deletes. */
cJSON *cli_live_run_tty(void);

#endif
