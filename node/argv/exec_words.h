/* Which words of a plain program could make it run something: "tar -I ./x", "git -c alias.x=!./x
 * x".
 *
 * No table knows the options of all programs, so a plain program's words are taken for harmless by
 * simple rules only: none is an option that is known, or called, like one that runs something; none
 * is a command by its look ("!x", "x|", "sh x"); and none of their pieces is a program or script
 * outside the system's directories (node/looks/exec_operand.c asks the disk about those). Some
 * programs run nothing, whatever they are given (node/argv/exec_quiet.h). */
#ifndef NODE_ARGV_EXEC_WORDS_H
#define NODE_ARGV_EXEC_WORDS_H

#include "lib/base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether word i of argv tells the program of that name (without directory and version) to run
 * something. */
bool nd_exec_word_runs(const char *name, const struct oc_strv *argv, size_t i);

/* A command that perl, ruby or tclsh runs instead of opening a file of that name. */
bool nd_exec_is_pipe_word(const char *word);

#endif
