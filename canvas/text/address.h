/* Addresses as people read them. */
#ifndef CANVAS_TEXT_ADDRESS_H
#define CANVAS_TEXT_ADDRESS_H

#include "canvas/value/arena.h"

#include <stdbool.h>

/* "song.mp3" of "https://host/a/song.mp3?x=1"; the host when there is no file; "" for data:
 * addresses. In the arena. */
const char *cv_address_name(struct cv_arena *a, const char *url);
/* http and https only. */
bool cv_address_is_web(const char *url);
/* One that may be opened outside: these, and mailto. */
bool cv_address_may_open(const char *url);

#endif
