/* A file of JSON lines that does not grow forever: <dir>/<name>.jsonl and, of what was before it,
 * <name>.1.jsonl.
 *
 * When the first is full it takes the place of the second, whose lines are gone then. How many
 * entries that were, so far, stands in the first line of the new one:
 * {"kind":"rotated","pruned":n,"atMs":…}, so that what is missing can be told from what never was.
 * A line is there as a whole or not at all. */
#ifndef NODE_RUN_LOG_RUN_LOG_FILE_H
#define NODE_RUN_LOG_RUN_LOG_FILE_H

#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/json/json.h"
#include "lib/protocol/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ND_RUN_LOG_MAX_READ ((size_t)2 * OC_MAX_RUN_LOG_BYTES)

struct nd_run_log_file {
    const struct oc_clock *clock;
    char *path, *old_path;
    size_t max_bytes;
    int fd; /* -1: not opened yet */
    bool has_failed;
};

/* Nothing is opened before there is something to write. */
void nd_run_log_file_init(struct nd_run_log_file *f, const char *dir, const char *name,
        size_t max_bytes, const struct oc_clock *clock);
void nd_run_log_file_finish(struct nd_run_log_file *f);
/* doc gets its "atMs"; its first member is "kind", and the entries that are counted are "run" and
 * "refused". A file that cannot be written is reported once, until it can be again. */
void nd_run_log_file_add(struct nd_run_log_file *f, cJSON *doc);
/* The text of one of the two files. One that is not there is empty. */
enum oc_code nd_run_log_file_read(const char *dir, const char *name, bool is_old,
        struct oc_buf *ret, struct oc_error *err) OC_MUST_USE;
/* How many entries are gone, by the text of a file; -1: it does not say. */
int64_t nd_run_log_file_pruned(const struct oc_buf *text);

#endif
