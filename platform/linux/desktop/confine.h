/* What this helper cannot do even when a daemon's answer breaks it: write files, start programs, gain rights. */
#ifndef PLATFORM_LINUX_DESKTOP_CONFINE_H
#define PLATFORM_LINUX_DESKTOP_CONFINE_H

/* As far as this kernel can; sockets stay open to it. */
void oc_desktop_confine(void);

#endif
