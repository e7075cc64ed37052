/* How a carrier is told what to run, as far as its arguments show it.
 *
 * An approval is bound to files (node/looks/exec_operand.h). Shells, wrappers
 * (node/argv/exec_wrappers.h) and interpreters of the table name theirs in their arguments; an
 * option that is in no table is not understood, so that nothing behind it is. All other carriers
 * (make, npm, ssh, docker …) find theirs themselves: what they run cannot be bound, and whoever
 * approves is told so. */
#ifndef NODE_ARGV_EXEC_FORMS_H
#define NODE_ARGV_EXEC_FORMS_H

#include "lib/base/str.h"

#include <stdbool.h>
#include <stddef.h>

enum nd_exec_form {
    ND_FORM_PROGRAM, /* no carrier: its arguments are data, as far as they look so
                        (node/argv/exec_words.h) */
    ND_FORM_SHELL,   /* sh file, sh -c text */
    ND_FORM_WRAPPER, /* nice program … */
    ND_FORM_SCRIPT,  /* python3 file */
    ND_FORM_NODE,    /* node file, node directory, node file-without-its-ending */
    ND_FORM_OPAQUE,  /* everything else */
};

/* name: as it was called; real: the real path of it, or NULL. The stranger of the two counts. */
enum nd_exec_form nd_exec_form_of(const char *name, const char *real);

/* An interpreter's arguments, of a SCRIPT or NODE. real: as above. */
struct nd_exec_script {
    size_t operand;  /* index of the script; 0: there is none */
    char by_name[3]; /* the first option that is not known to load nothing, "--" for long ones; "":
                        none */
    bool is_rest_data;     /* behind that option is the whole program: python3 -c, perl -e */
    bool opens_pipes;      /* a word "x|" is a command for it, instead of a file */
    bool obeys_first_line; /* it may run another program, which the script's first line names */
};
void nd_exec_script_of(const struct oc_strv *argv, const char *real, struct nd_exec_script *ret);

/* Without directory and version, in lower case; "" for a long one. */
void nd_exec_plain_name(const char *path, char ret[64]);

#endif
