/* Log lines on stderr: `level tag message key=value`. The tag is the path of the module
 * (gateway.invoke). Text from a peer goes through oc_printable first. Secrets, frame bodies and
 * prompts are never logged. */
#ifndef LIB_LOG_LOG_H
#define LIB_LOG_LOG_H

#include "lib/base/error.h"

#include <stdbool.h>

enum oc_log_level { OC_LOG_ERROR, OC_LOG_WARN, OC_LOG_INFO, OC_LOG_DEBUG };

void oc_log_set_level(enum oc_log_level max);
bool oc_log_enabled(enum oc_log_level level);
/* Tests capture lines here; NULL restores stderr. */
typedef void oc_log_sink(void *user, enum oc_log_level level, const char *line);
/* For tests. */
void oc_log_set_sink(oc_log_sink *sink, void *user);
/* When stderr is systemd's journal (JOURNAL_STREAM names it), lines begin with their priority
 * ("<4>") instead of the time, which the journal has itself: journalctl -p warning finds them. */
void oc_log_follow_journal(void);
void oc_log(enum oc_log_level level, const char *tag, const char *fmt, ...) OC_PRINTF(3, 4);

#endif
