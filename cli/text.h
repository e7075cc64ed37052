/* Text for people: how wide it is on a terminal, how it wraps, how old something is. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "lib/base/buf.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

/* Terminal columns of valid UTF-8; combining marks count 0, East Asian wide characters and emoji 2.
 */
size_t cli_text_width(const char *s, size_t len);
/* The first line of s when at most `columns` wide: how many bytes belong to it. Breaks behind a
 * space, or behind one of
 * "/:,", or hard when a word is longer. *ret_next is where the next line starts (white space
 * skipped). */
size_t cli_text_wrap(const char *s, size_t columns, size_t *ret_next);
/* The first word that cli_text_wrap would not break: its bytes; *ret_next is where the next starts.
 */
size_t cli_text_word(const char *s, size_t *ret_next);
/* How many bytes of s fit into so many columns, without space at their end. */
size_t cli_text_cut(const char *s, size_t columns);
#define CLI_NO_BREAK_SPACE "\u00a0"
/* Words that a table keeps on one line, "connected (3m ago)"; caller frees. */
char *cli_unbroken(const char *words);

/* A peer's string for one line of output; "" for NULL. Caller frees. */
char *cli_shown(const char *peer_text);
/* The strings of an array, printable, joined with ", ". Caller frees. */
char *cli_shown_list(const cJSON *array);

/* "just now", "3m ago", "2h ago", "5d ago"; "" when at_ms ≤ 0. */
void cli_age(int64_t now_ms, int64_t at_ms, char ret[24]);
/* "850ms", "12s", "3m 5s", "2h 4m", "5d 3h". */
void cli_span(int64_t ms, char ret[24]);
/* "850 bytes", "12 KB", "1.3 MB". */
void cli_size(uint64_t bytes, char ret[24]);
/* "20:11:36", of this machine's day. */
#define CLI_TIME_LEN 16
void cli_time_of_day(int64_t wall_ms, char ret[CLI_TIME_LEN]);

#endif
