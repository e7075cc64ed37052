/* The command behind "nice -n 5", "timeout 5", "env A=b", as far as every word in front of it is
 * understood.
 *
 * Programs differ in their options, and one that is misread makes another word the program. Only
 * options of the table count as understood, none of which changes the directory, the search path or
 * the words of the command. */
#ifndef NODE_ARGV_EXEC_WRAPPERS_H
#define NODE_ARGV_EXEC_WRAPPERS_H

#include "lib/base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* name: without directory and version. */
bool nd_exec_is_wrapper(const char *name);

struct nd_exec_behind {
    size_t at;   /* index of the command; 0: there is none, or it is not known */
    char *twist; /* the option or variable that is not understood, or that makes the command mean
                    another one; NULL: none. Owned */
};
void nd_exec_behind_wrapper(
        const char *name, const struct oc_strv *argv, struct nd_exec_behind *ret);

#endif
