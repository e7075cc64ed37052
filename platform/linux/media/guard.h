/* A time limit for calls of libraries that have none: xcb and libwayland wait for a server that
 * hangs as long as it does.
 *
 *   os_guard_begin(ms, "the X server does not answer") ─▶ the call ─▶ os_guard_end
 *                     └─ late ─▶ the error is the answer, and the program ends
 */
#ifndef PLATFORM_LINUX_MEDIA_GUARD_H
#define PLATFORM_LINUX_MEDIA_GUARD_H

/* One at a time. what is not copied. */
void os_guard_begin(int ms, const char *what);
void os_guard_end(void);

#endif
