#include "platform/linux/media/guard.h"

#include "platform/linux/helper/serve.h"

#include <glib.h>
#include <unistd.h>

static GMutex lock;
static GCond changed;
static gint64 until; /* 0: nobody is in a call */
static const char *slow;

/* Holds the lock while it answers, so that whoever comes back just then does not answer too. */
static gpointer guard_watch(gpointer user) {
    (void)user;
    g_mutex_lock(&lock);
    while (until != 0) {
        if (!g_cond_wait_until(&changed, &lock, until) && until != 0 &&
                g_get_monotonic_time() >= until) {
            os_serve_error("UNAVAILABLE", "UNAVAILABLE: %s", slow);
            _exit(1);
        }
    }
    g_mutex_unlock(&lock);
    return NULL;
}

void os_guard_begin(int ms, const char *what) {
    g_mutex_lock(&lock);
    slow = what;
    until = g_get_monotonic_time() + (gint64)ms * 1000;
    g_mutex_unlock(&lock);
    g_thread_unref(g_thread_new("guard", guard_watch, NULL));
}

void os_guard_end(void) {
    g_mutex_lock(&lock);
    until = 0;
    g_cond_broadcast(&changed);
    g_mutex_unlock(&lock);
}
