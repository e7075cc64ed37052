/* Reading what a PipeWire camera offers. */
#ifndef PLATFORM_LINUX_MEDIA_PW_FORMATS_H
#define PLATFORM_LINUX_MEDIA_PW_FORMATS_H

#include "platform/linux/media/pw_nodes.h"

struct spa_pod;

/* Adds what an EnumFormat parameter says; ignores what cannot be used. */
void os_pw_formats_add(struct os_pw_node *node, const struct spa_pod *param);

#endif
