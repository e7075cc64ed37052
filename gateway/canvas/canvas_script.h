/* The script that every page of the canvas host gets: a bridge to whoever shows it, and reload. */
#ifndef GATEWAY_CANVAS_CANVAS_SCRIPT_H
#define GATEWAY_CANVAS_CANVAS_SCRIPT_H

#include <stdint.h>

#define GW_CANVAS_SCRIPT_LOOKS_AT 65536u /* bytes at the end of a page */

extern const char gw_canvas_script[];
/* Where it goes in a page of this size: in front of the last </body> if its end has one, else
 * behind all. Does not move the descriptor. */
uint64_t gw_canvas_script_at(int fd, uint64_t size);

#endif
