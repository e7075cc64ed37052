/* A2UI messages as a file has them, looked at before anything is sent (docs/CANVAS.md#messages):
 * which version, and what is wrong where. What is inside the messages is the canvas's matter. */
#ifndef CLI_CANVAS_A2UI_JSONL_H
#define CLI_CANVAS_A2UI_JSONL_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

#include <stddef.h>

/* OC_OK: v0.8 messages, *ret_count of them. Else *ret_text says why, all bad lines at once; caller
 * frees. */
enum oc_code cli_a2ui_jsonl_check(
        const char *text, size_t len, size_t *ret_count, char **ret_text) OC_MUST_USE;
/* The same messages, one a line, as nodes of every kind read them; caller frees. */
char *cli_a2ui_jsonl_of(const char *text, size_t len);
/* Two messages that show this text on the surface "main"; caller frees. */
char *cli_a2ui_jsonl_of_text(const char *text);

#endif
