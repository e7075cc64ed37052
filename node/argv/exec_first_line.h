/* "#!/usr/bin/env deploy": the first line of a script is a command, and what it names runs. Read as the kernel reads it. */
#ifndef NODE_ARGV_EXEC_FIRST_LINE_H
#define NODE_ARGV_EXEC_FIRST_LINE_H

#include "lib/base/str.h"

enum oc_first_line {
    OC_LINE_NONE,    /* there is none: a shell of the system runs it */
    OC_LINE_COMMAND, /* ret: the interpreter, all that follows it as one word, if anything does */
    OC_LINE_UNCLEAR, /* too long, without an interpreter, or it cannot be read */
};
/* ret must be empty. */
enum oc_first_line oc_exec_first_line(const char *path, struct oc_strv *ret);

#endif
