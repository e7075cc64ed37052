/* The parts of a word that may be the name of a file. */
#ifndef NODE_ARGV_EXEC_PIECES_H
#define NODE_ARGV_EXEC_PIECES_H

#include "lib/base/str.h"

#include <stdbool.h>

/* The word itself, its tail as "-x" + file, what is behind "=", and what stands between
 * blanks and signs of shells. False: it has more of them than are cut out. */
bool nd_exec_word_pieces(const char *word, struct oc_strv *ret);

#endif
