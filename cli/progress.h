/* A bar on the terminal while something takes a known time: "Recording [=====> ] 3 of 10 s". On
 * stderr, only when that is a terminal, and gone without a trace afterwards. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "lib/net/loop/loop.h"

#include <stdbool.h>
#include <stdint.h>

struct cli_progress {
    struct oc_loop *loop;
    const char *label; /* a literal */
    int64_t total_ms, began_ms;
    bool is_drawn;
    struct oc_timer timer;
};

/* is_quiet: draws nothing. The bar moves while the loop is stepped. */
void cli_progress_begin(struct cli_progress *p, struct oc_loop *loop, const char *label,
        int64_t total_ms, bool is_quiet);
void cli_progress_end(struct cli_progress *p);

/* Pure: the line for this moment, without control characters; caller frees. */
char *cli_progress_line(const char *label, int64_t elapsed_ms, int64_t total_ms);

#endif
