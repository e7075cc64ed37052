/* Tells the person at this machine that something was captured here: a notification on the desktop,
 * unless the owner has switched "announce" off. Nobody waits for it, and a desktop that shows
 * nothing keeps no capture back; but it is tried again, logged as a warning, and permissions say
 * so. */
#ifndef NODE_OWNER_ANNOUNCE_H
#define NODE_OWNER_ANNOUNCE_H

#include "node/owner/desktop.h"

/* kind is the name of the switch (node/owner/switches.h): "camera", "location", "screen". text is
 * one sentence for the person, such as "A picture was taken with the camera Front camera". Many
 * captures in a row replace each other's notification. */
void nd_announce_capture(struct nd_desktop *desktop, const char *kind, const char *text);
/* The last capture was told to nobody. */
bool nd_announce_is_failing(const struct nd_desktop *desktop);
/* Ends what is still on its way. */
void nd_announce_finish(struct nd_desktop *desktop);

#endif
