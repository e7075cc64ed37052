/* openclaw nodes canvas watch: an address where a browser sees the canvas of a node. */
#ifndef CLI_CANVAS_CANVAS_WATCH_H
#define CLI_CANVAS_CANVAS_WATCH_H

#include "cli/command.h"

/* With the options --node, --read-only and --qr. Returns the exit code. */
int cli_canvas_watch(struct cli_cli *cli);

#endif
