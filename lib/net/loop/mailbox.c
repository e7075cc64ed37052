#include "lib/net/loop/mailbox.h"

#include "lib/base/mem.h"
#include "lib/net/loop/fd.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct post {
    struct post *next;
    void (*fn)(void *user);
    void *user;
};

struct oc_mailbox {
    pthread_mutex_t lock;
    /* under lock */
    unsigned refs;
    bool is_closed;
    struct post *first, **last;
    /* fixed */
    int read_fd, wake_fd;
};

enum oc_code oc_mailbox_create(struct oc_mailbox **ret, struct oc_error *err) {
    int fds[2];
    enum oc_code rc = oc_pipe(fds, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct oc_mailbox *mb = oc_new(struct oc_mailbox);
    pthread_mutex_init(&mb->lock, NULL);
    mb->refs = 1;
    mb->last = &mb->first;
    mb->read_fd = fds[0];
    mb->wake_fd = fds[1];
    *ret = mb;
    return OC_OK;
}

struct oc_mailbox *oc_mailbox_ref(struct oc_mailbox *mb) {
    pthread_mutex_lock(&mb->lock);
    mb->refs++;
    pthread_mutex_unlock(&mb->lock);
    return mb;
}

void oc_mailbox_unref(struct oc_mailbox *mb) {
    if (!mb) {
        return;
    }
    pthread_mutex_lock(&mb->lock);
    bool is_last = --mb->refs == 0;
    pthread_mutex_unlock(&mb->lock);
    if (is_last) {
        pthread_mutex_destroy(&mb->lock);
        close(mb->read_fd);
        close(mb->wake_fd);
        oc_free(mb);
    }
}

bool oc_mailbox_post(struct oc_mailbox *mb, void (*fn)(void *user), void *user) {
    struct post *p = oc_new(struct post);
    *p = (struct post){ .fn = fn, .user = user };
    pthread_mutex_lock(&mb->lock);
    bool accepted = !mb->is_closed;
    bool was_empty = !mb->first;
    if (accepted) {
        *mb->last = p;
        mb->last = &p->next;
    }
    pthread_mutex_unlock(&mb->lock);
    if (!accepted) {
        oc_free(p);
    } else if (was_empty) {
        /* A full pipe means that a wake-up is waiting already. */
        ssize_t n = write(mb->wake_fd, "", 1);
        (void)n;
    }
    return accepted;
}

unsigned oc_mailbox_run(struct oc_mailbox *mb) {
    char drain[64];
    while (read(mb->read_fd, drain, sizeof(drain)) == (ssize_t)sizeof(drain)) {
    }
    pthread_mutex_lock(&mb->lock);
    struct post *p = mb->first;
    mb->first = NULL;
    mb->last = &mb->first;
    pthread_mutex_unlock(&mb->lock);
    unsigned count = 0;
    while (p) {
        struct post *next = p->next;
        p->fn(p->user);
        oc_free(p);
        p = next;
        count++;
    }
    return count;
}

void oc_mailbox_close(struct oc_mailbox *mb) {
    pthread_mutex_lock(&mb->lock);
    mb->is_closed = true;
    pthread_mutex_unlock(&mb->lock);
}

int oc_mailbox_read_fd(const struct oc_mailbox *mb) {
    return mb->read_fd;
}

int oc_mailbox_wake_fd(const struct oc_mailbox *mb) {
    return mb->wake_fd;
}

int oc_mailbox_thread(void *(*main)(void *arg), void *arg) {
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_t thread;
    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&thread, &attr, main, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return rc;
}
