/* The files in "nice sh -c './build.sh && python3 x.py'": they decide what an approved command
 * does, and may change between the approval and the run.
 *
 * Which word is the script and which is its data differs from interpreter to interpreter and from
 * option to option, so every word of a carrier counts that names its script, or code
 * (node/looks/exec_code.h), or any file where its options are not understood; and so does every
 * program unless it came with the system and is found there, and what a plain program may be told
 * to run (node/argv/exec_words.h): behind wrappers, and in the text of sh -c, too
 * (node/argv/exec_forms.h, node/argv/shell/exec_shell.h). What is told to callers (the plan's
 * mutableFileOperand, the reference's format) is the first one that is a word of its own.
 *
 * Files are described by seals (node/looks/exec_seal.h), never by plain hashes. Files of the node's
 * own state, of /proc, /sys and /dev, and what is not a regular file are never opened. Any thread:
 * it only reads files. */
#ifndef NODE_LOOKS_EXEC_OPERAND_H
#define NODE_LOOKS_EXEC_OPERAND_H

#include "lib/base/str.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define ND_MAX_BOUND_SHOWN 16
#define ND_MAX_LOOKED_WORDS 256 /* what is behind them is not bound */

struct nd_exec_operand {
    size_t index;     /* of the first file that is a word, in argv */
    size_t last;      /* of the last file */
    char *path;       /* the real one of the first; NULL: there is none. Owned */
    char content[65]; /* seal of its path and content; "" when it is too large or cannot be read */
    size_t count;
    char all[65]; /* every file: its content while that is little, and who it is (inode, size,
                     times) beyond */
    char *newest; /* the path of the one that was changed last; owned */
    struct oc_strv files;   /* the real paths of the first ND_MAX_BOUND_SHOWN */
    struct oc_strv unbound; /* what decides about the command and is not bound, a sentence each */
    char *program; /* the real path of argv[0], also of one that came with the system; NULL: there
                      is none. Owned */
    bool is_program_theirs; /* neither it nor the name it was found by is only the system's to
                               change */
};

struct nd_exec_place {
    const char *cwd;       /* NULL: ours */
    const char *path_env;  /* where bare names are looked up */
    const char *state_dir; /* whose files are never opened, but for its workspace; NULL: none */
    const atomic_bool *is_cancelled; /* nobody wants to know any more; may be NULL */
    atomic_uint *steps;              /* grows while it goes on; may be NULL */
};

/* True when a file decides what the command does. Finish it in any case. */
bool nd_exec_operand_find(
        const struct oc_strv *argv, const struct nd_exec_place *place, struct nd_exec_operand *ret);
void nd_exec_operand_finish(struct nd_exec_operand *o);

#endif
