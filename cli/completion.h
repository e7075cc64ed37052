/* Shell completion scripts, made from the command and option tables. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "lib/base/buf.h"

#include <stdbool.h>

/* shell: "bash", "zsh" or "fish"; false for another one. */
bool cli_completion(const char *shell, struct oc_buf *out);

#endif
