/* The files in "python3 build.py data.csv": they decide what an approved command does, and may change between the
 * approval and the run.
 *
 * Which word is the script and which is its data differs from interpreter to interpreter and from option to option, so
 * every word that names a file counts, and so does the program itself unless it came with the system and is found there.
 * What is told to callers (the plan's mutableFileOperand, the reference's format) is the first one. node/exec_plans.h
 * remembers the rest. */
#ifndef NODE_EXEC_OPERAND_H
#define NODE_EXEC_OPERAND_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct oc_exec_operand {
    size_t index;    /* of the first one in argv */
    char *path;      /* the real one; owned */
    char sha256[65]; /* of its content; "" when it is too large or cannot be read */
    size_t count;
    char all[65]; /* every file: its content while that is little, and who it is (inode, size, times) beyond */
    char *newest; /* the path of the one that was changed last; owned */
    char *program; /* the real path of argv[0], also of one that came with the system; NULL: there is none. Owned */
    bool is_program_theirs; /* neither it nor the name it was found by is only the system's to change */
};

/* True when the command is an interpreter (or anything else that runs what it is told) which is given a file, or a
 * program outside the system's directories, or a link from there. Finish it in any case. cwd may be NULL: ours. path_env: where a bare name is looked up. */
bool oc_exec_operand_find(const struct oc_strv *argv, const char *cwd, const char *path_env,
        struct oc_exec_operand *ret);
void oc_exec_operand_finish(struct oc_exec_operand *o);

#endif
