/* Our standard input on its way to a program on a node, piece by piece: the next one is read when
 * the node has taken the last, so nobody's memory grows, and a program that does not read stops us
 * reading. */
#ifndef CLI_RUN_RUN_INPUT_H
#define CLI_RUN_RUN_INPUT_H

#include "cli/command.h"
#include "lib/net/loop/loop.h"

/* Of static storage: an answer may come when everything else is over. */
struct cli_run_input {
    struct cli_cli *cli;
    const char *node_id, *handle; /* handle NULL: nothing is passed on */
    /* Private: */
    struct oc_io io;
    struct oc_timer pause;
    char *piece;
    size_t len;
    uint64_t at; /* of piece in the whole of it */
    bool has_begun, is_sending, ends, is_over;
};

/* Whether there is anything to pass on: no terminal, not closed, not empty. */
bool cli_run_input_is_given(void);
/* There is input that can be read now, and nobody has. */
bool cli_run_input_is_waiting(void);

/* The program runs; again after the connection was lost. The connection must be there. */
void cli_run_input_begin(struct cli_run_input *in);
/* Nothing is read any more until it begins again. */
void cli_run_input_stop(struct cli_run_input *in);
void cli_run_input_finish(struct cli_run_input *in);

#endif
