/* "#!/usr/bin/env deploy": the first line of a script is a command, and what it names runs. Read as
 * the kernel reads it. */
#ifndef NODE_ARGV_EXEC_FIRST_LINE_H
#define NODE_ARGV_EXEC_FIRST_LINE_H

#include "lib/base/str.h"

enum nd_first_line {
    ND_LINE_NONE,    /* there is none: a shell of the system runs it */
    ND_LINE_COMMAND, /* ret: the interpreter, all that follows it as one word, if anything does */
    ND_LINE_UNCLEAR, /* too long, without an interpreter, or it cannot be read */
};
/* ret must be empty. */
enum nd_first_line nd_exec_first_line(const char *path, struct oc_strv *ret);

#endif
