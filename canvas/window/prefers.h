/* Does the person like it dark or light? The desktop's settings portal knows, and tells when it
 * changes. */
#ifndef CANVAS_WINDOW_PREFERS_H
#define CANVAS_WINDOW_PREFERS_H

struct cv_prefers;

/* Told once soon, if the desktop has an opinion, and again on each change: "openclaw" (dark) or
 * "default" (light). */
struct cv_prefers *cv_prefers_watch(void (*on_theme)(void *user, const char *theme), void *user);
void cv_prefers_destroy(struct cv_prefers *p);

#endif
