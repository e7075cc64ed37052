/* The last output of a background run, both streams in order of arrival. Positions count from the
 * first byte ever. */
#ifndef NODE_RUN_RUN_OUTPUT_H
#define NODE_RUN_RUN_OUTPUT_H

#include "lib/base/buf.h"

#include <stdint.h>

#define ND_MAX_RUN_OUTPUT 131072 /* bytes kept of one run */

struct nd_run_output {
    struct oc_buf bytes;
    uint64_t start; /* position of the first byte that is kept */
};

void nd_run_output_init(struct nd_run_output *log);
void nd_run_output_finish(struct nd_run_output *log);
void nd_run_output_append(struct nd_run_output *log, const char *bytes, size_t len);
uint64_t nd_run_output_end(const struct nd_run_output *log); /* position behind the last byte */

/* Up to max bytes from a position on; one that is gone gives the oldest there are. Unless the run
 * is over, a character whose rest has not come yet is left for later; nor is one cut in two, if
 * there is anything before it. The slice is borrowed until the next append. */
struct oc_slice nd_run_output_read(const struct nd_run_output *log, uint64_t from, size_t max,
        bool is_over, uint64_t *ret_from);

#endif
