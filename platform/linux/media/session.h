/* Where the person at this machine has their session, for a node that runs as a service. */
#ifndef PLATFORM_LINUX_MEDIA_SESSION_H
#define PLATFORM_LINUX_MEDIA_SESSION_H

/* A service that started before its user logged in knows no display; desktops tell theirs to the
 * user's systemd. When our environment names none, takes over DISPLAY, XAUTHORITY and
 * WAYLAND_DISPLAY from there. */
void os_media_find_session(void);

#endif
