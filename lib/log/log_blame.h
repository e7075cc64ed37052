/* Lines that somebody else causes. Whoever sends us messages can make us write about each of them,
 * so what is logged while one is handled is counted for its sender: so many lines a minute, then
 * one that says how many there would have been.
 *
 *   oc_log_blame(&(struct oc_log_cause){ "203.0.113.5", 8, true });
 *   …whatever is logged here…
 *   oc_log_blame(NULL);
 *
 * Debug lines are not counted: who asks for them wants them. For the thread that calls it alone. */
#ifndef LIB_LOG_LOG_BLAME_H
#define LIB_LOG_LOG_BLAME_H

#include "lib/log/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OC_LOG_WINDOW_MS 60000
#define OC_MAX_LOG_CAUSES \
    64 /* told apart at a time, of strangers and of others; all further ones count together */

struct oc_log_cause {
    const char *name;   /* an address, a device; shown */
    unsigned max_lines; /* in a window */
    bool is_stranger;   /* nobody has let it in: of lines that say the same only one is written */
};

/* Borrowed until the next call. NULL: our own lines again. Returns who was blamed before. */
const struct oc_log_cause *oc_log_blame(const struct oc_log_cause *cause);
/* Whether the line that is being written is because of a stranger. For taps. */
bool oc_log_is_strangers(void);
/* Writes what is owed of windows that are over; all: of the others, too, at the end. From time to
 * time. */
void oc_log_settle(bool all);

/* For lib/log/log.c: false, the line is not written. */
bool oc_log_admit(enum oc_log_level level, const char *line);

/* The counting by itself, for tests. */
struct oc_log_tally;
struct oc_log_tally *oc_log_tally_create(void);
void oc_log_tally_destroy(struct oc_log_tally *b);
bool oc_log_tally_admit(
        struct oc_log_tally *b, const struct oc_log_cause *cause, const char *line, int64_t now_ms);
/* The next cause whose window is over (all: any) and that had lines dropped; its record is free
 * then. False: none. */
bool oc_log_tally_owed(struct oc_log_tally *b, int64_t now_ms, bool all, char *ret_name,
        size_t name_size, uint64_t *ret_dropped);

#endif
