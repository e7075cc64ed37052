/* The canvas programs read what agents send, lay it out and draw it: a mistake there must not cost
 * more than the canvas. Behind this sandbox a program reads fonts, libraries and what its desktop
 * needs, but neither the node's state (keys, tokens, settings) nor the rest of the home, and
 * changes nothing there. What it is made of: platform/linux/helper/helper_sandbox.h. */
#ifndef CANVAS_SERVE_CANVAS_SANDBOX_H
#define CANVAS_SERVE_CANVAS_SANDBOX_H

#include <stdbool.h>

/* Before there are threads. has_screen: on a desktop, with its sockets. root: the folder of canvas
 * files in the node's state, which stays out of reach as all of that; NULL: not known. */
void cv_wall_in(bool has_screen, const char *root);

#endif
