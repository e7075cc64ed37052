/* Which way a text is read. */
#ifndef CANVAS_TEXT_DIRECTION_H
#define CANVAS_TEXT_DIRECTION_H

#include <stdbool.h>

/* Its first letter is of a script that is written from right to left (Hebrew, Arabic, Syriac,
 * Thaana, N'Ko). */
bool cv_reads_leftwards(const char *utf8);

#endif
