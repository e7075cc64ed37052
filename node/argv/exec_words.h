/* Which words of a plain program could make it run something: "tar -I ./x", "git -c alias.x=!./x x".
 *
 * No table knows the options of all programs, so a plain program's words are taken for harmless by simple rules only: none is
 * an option that is known, or called, like one that runs something; none is a command by its look ("!x", "x|", "sh x"); and
 * none of their pieces is a program or script outside the system's directories (node/looks/exec_operand.c asks the disk about
 * those). Some programs run nothing, whatever they are given. */
#ifndef NODE_ARGV_EXEC_WORDS_H
#define NODE_ARGV_EXEC_WORDS_H

#include "lib/base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* real: the real path of a program of the system. Its arguments are data: cat, ls, grep … */
bool oc_exec_runs_nothing(const char *real);

/* Whether word i of argv tells the program of that name (without directory and version) to run something. */
bool oc_exec_word_runs(const char *name, const struct oc_strv *argv, size_t i);

/* Of a carrier that finds out itself what it runs: its words are data rather than a script, as those of sed and less. */
bool oc_exec_reads_data(const char *name);
/* Whether the word is an option of such a carrier that is known, or called, like one whose value is code: awk -f,
 * --init-file=x. The value is the rest of the word, or the next one. */
bool oc_exec_is_code_option(const char *name, const char *word);

/* The parts of a word that may be the name of a file: itself, its tail as "-x" + file, what is behind "=", and what stands between
 * blanks and signs of shells. */
void oc_exec_word_pieces(const char *word, struct oc_strv *ret);

/* A command that perl, ruby or tclsh runs instead of opening a file of that name. */
bool oc_exec_is_pipe_word(const char *word);

#endif
