/* Reading and choosing what a PipeWire camera offers. */
#ifndef PLATFORM_LINUX_MEDIA_PW_FORMATS_H
#define PLATFORM_LINUX_MEDIA_PW_FORMATS_H

#include "platform/linux/media/pw_nodes.h"

struct spa_pod;

/* Adds what an EnumFormat parameter says; ignores what cannot be used. */
void oc_pw_formats_add(struct oc_pw_node *node, const struct spa_pod *param);
/* The smallest picture that is at least wanted_width wide, or else the widest; a fluent one rather than a large one. NULL when
 * the camera tells nothing: then PipeWire decides. */
const struct oc_pw_format *oc_pw_formats_choose(const struct oc_pw_node *node, int wanted_width);

#endif
