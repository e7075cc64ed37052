/* Re-indents JSON text without building a tree: a 20 MB payload, numbers of any size and \u0000
 * come out as they came in. */
#ifndef CLI_PRETTY_H
#define CLI_PRETTY_H

#include "lib/base/buf.h"

#include <stdio.h>

/* json must be valid. Characters that steer terminals or cannot be seen (DEL, C1, bidirectional
 * overrides, zero width) are written as \uXXXX. No newline at the end. */
void cli_pretty(struct oc_slice json, FILE *out);

#endif
