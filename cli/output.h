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

void cli_out_init(bool no_colour);
void cli_out_line(const char *fmt, ...) OC_PRINTF(1, 2); /* stdout, adds the newline */
/* "label  text" in columns: the label is coloured, and on a terminal the text goes on below its own
 * beginning. A command to paste is not broken into lines. */
void cli_out_item(const char *label, enum cli_style style, const char *text);
void cli_out_heading(const char *text); /* bold where possible */
void cli_out_text(const char *text);    /* as it is */
void cli_out_table(const struct cli_table *t);
void cli_out_json(const cJSON *v);
void cli_out_json_line(const cJSON *v);       /* on one line, for those that come one by one */
void cli_out_json_text(struct oc_slice json); /* valid JSON; re-indented */
/* The bytes themselves, to stdout or stderr, in order with what was printed before. */
void cli_out_bytes(bool to_stderr, const char *data, size_t len);
void cli_note(const char *fmt, ...) OC_PRINTF(1, 2); /* stderr, adds the newline */
/* Writes out what is buffered. False when something was lost, now or before. */
bool cli_out_flush(void);
bool cli_out_reader_is_gone(void); /* stdout is a pipe that nobody reads any more */

/* Asks on the terminal, answer defaults to no. Only call when cli_can_ask. */
bool cli_ask(const char *fmt, ...) OC_PRINTF(1, 2);
bool cli_can_ask(void); /* stdin and stderr are a terminal */

#endif
