#include "lib/net/loop/signals.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define SIGNAL_COUNT 65

struct slot {
    const struct oc_loop *loop; /* NULL: not watched */
    void (*fn)(void *user, int signo);
    void *user;
    struct sigaction before;
};

static struct slot slots[SIGNAL_COUNT];
/* The handler may touch only these two. A flag and not the byte says which signal came, because the
 * pipe may be full. */
static atomic_int wake_fds[SIGNAL_COUNT];
static atomic_bool came[SIGNAL_COUNT];

static void on_signal(int signo) {
    int saved = errno;
    atomic_store(&came[signo], true);
    ssize_t n = write(atomic_load(&wake_fds[signo]), "", 1);
    (void)n;
    errno = saved;
}

enum oc_code oc_signals_watch(struct oc_loop *loop, int wake_fd, int signo,
        void (*fn)(void *user, int signo), void *user, struct oc_error *err) {
    if (signo <= 0 || signo >= SIGNAL_COUNT) {
        return oc_fail(err, OC_E_INVALID, "signal %d cannot be watched", signo);
    }
    struct slot *s = &slots[signo];
    if (s->loop && s->loop != loop) {
        return oc_fail(err, OC_E_EXISTS, "signal %d is watched by another loop", signo);
    }
    bool is_new = !s->loop;
    s->fn = fn;
    s->user = user;
    if (!is_new) {
        return OC_OK;
    }
    atomic_store(&came[signo], false);
    atomic_store(&wake_fds[signo], wake_fd);
    struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    sigfillset(&sa.sa_mask);
    if (sigaction(signo, &sa, &s->before) < 0) {
        return oc_fail(err, OC_E_IO, "sigaction(%d): %s", signo, strerror(errno));
    }
    s->loop = loop;
    return OC_OK;
}

void oc_signals_dispatch(const struct oc_loop *loop) {
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        if (slots[i].loop == loop && atomic_exchange(&came[i], false)) {
            slots[i].fn(slots[i].user, i);
        }
    }
}

void oc_signals_forget(const struct oc_loop *loop) {
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        if (slots[i].loop == loop) {
            (void)sigaction(i, &slots[i].before, NULL);
            slots[i] = (struct slot){ 0 };
        }
    }
}
