/* What reaches the terminal: results on stdout, everything else on stderr.
 *
 * Colour only on a terminal without NO_COLOR. With --json stdout carries exactly one document. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/table.h"
#include "lib/base/buf.h"
#include "lib/base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

void oc_out_init(bool no_colour);
void oc_out_line(const char *fmt, ...) OC_PRINTF(1, 2); /* stdout, adds the newline */
void oc_out_heading(const char *text);                  /* bold where possible */
void oc_out_text(const char *text);                     /* as it is */
void oc_out_table(const struct oc_table *t);
void oc_out_json(const cJSON *v);
void oc_out_json_line(const cJSON *v);       /* on one line, for those that come one by one */
void oc_out_json_text(struct oc_slice json); /* valid JSON; re-indented */
/* The bytes themselves, to stdout or stderr, in order with what was printed before. */
void oc_out_bytes(bool to_stderr, const char *data, size_t len);
void oc_note(const char *fmt, ...) OC_PRINTF(1, 2); /* stderr, adds the newline */
/* Writes out what is buffered. False when something was lost, now or before. */
bool oc_out_flush(void);
bool oc_out_reader_is_gone(void); /* stdout is a pipe that nobody reads any more */

/* Asks on the terminal, answer defaults to no. Only call when oc_can_ask. */
bool oc_ask(const char *fmt, ...) OC_PRINTF(1, 2);
bool oc_can_ask(void); /* stdin and stderr are a terminal */

#endif
