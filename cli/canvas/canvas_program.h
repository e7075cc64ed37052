/* openclaw-canvas, run for a person: it draws, we fetch the pictures that it wants. */
#ifndef CLI_CANVAS_CANVAS_PROGRAM_H
#define CLI_CANVAS_CANVAS_PROGRAM_H

#include "lib/base/error.h"
#include "lib/base/str.h"

/* args: without the program's name. It has our stdin, stdout and stderr; *ret_status is its exit
 * code. OC_E_NOT_FOUND when it is not installed. */
enum oc_code cli_canvas_program_run(
        const struct oc_strv *args, int *ret_status, struct oc_error *err) OC_MUST_USE;

#endif
