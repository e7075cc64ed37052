/* Killing a child with everything it started.
 *
 * A process group alone is not enough: setsid leaves it. A supervisor (supervisor.h) has everything
 * its program ever started below it in the process tree, so it kills what is there. If the
 * supervisor itself was killed, the rest is handed to the node, which has no other children than
 * supervisors.
 *
 * First everyone is stopped, round after round until no new process turns up, and only then killed.
 * A process with a pending SIGSTOP cannot fork, and a stopped parent keeps its children attached to
 * itself; killing at once would hand them to us without their history.
 *
 * Some wake each other up, or are a new process by the time we have read about the old one. When
 * the rounds find no end, those are killed as found, with all of their process group: that the
 * kernel does in one go, so no fork gets away. The same is done to what has become our own child.
 * What has a group to itself every time may still be faster than us. Whoever calls must look
 * again. */
#include "platform/linux/process/process.h"

#include "lib/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    GENTLE_ROUNDS = 8, /* an honest tree has been stopped by then */
    MAX_ROUNDS = 40,   /* against a fork bomb that is faster than we are */
};

struct proc {
    pid_t pid, parent, group, session;
    uint64_t started; /* tells a reused number from the process it was */
    char state;
    bool is_member;
};

struct procs {
    struct proc *items;
    size_t count, cap;
};

static void tree_add(struct procs *v, const struct proc *p) {
    if (v->count == v->cap) {
        v->cap = v->cap ? v->cap * 2 : 256;
        v->items = oc_realloc(v->items, v->cap * sizeof(*v->items));
    }
    v->items[v->count++] = *p;
}

static bool read_stat(pid_t pid, struct proc *ret) {
    char path[48], text[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t n = read(fd, text, sizeof(text) - 1);
    if (n <= 0) {
        return false;
    }
    text[n] = '\0';
    /* The name in parentheses may hold anything, so the fields are counted from the last ')'. */
    const char *rest = strrchr(text, ')');
    int parent, group, session;
    unsigned long long started;
    struct proc p = { .pid = pid };
    if (!rest || sscanf(rest + 1,
                         " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                         "%*d %llu",
                         &p.state, &parent, &group, &session,
                         &started) != 5) { /* NOLINT(cert-err34-c) */
        return false;
    }
    p.parent = parent;
    p.group = group;
    p.session = session;
    p.started = started;
    *ret = p;
    return true;
}

static int by_pid(const void *a, const void *b) {
    pid_t x = ((const struct proc *)a)->pid, y = ((const struct proc *)b)->pid;
    return (x > y) - (x < y);
}

static int by_birth(const void *a, const void *b) {
    uint64_t x = ((const struct proc *)a)->started, y = ((const struct proc *)b)->started;
    int rc = by_pid(a, b);
    return rc ? rc : (x > y) - (x < y);
}

static void read_all(struct procs *ret) {
    ret->count = 0;
    DIR *dir = opendir("/proc");
    if (!dir) {
        return;
    }
    struct dirent *e;
    while ((e = readdir(dir))) {
        char *end;
        long pid = strtol(e->d_name, &end, 10);
        struct proc p;
        if (pid > 1 && *end == '\0' && read_stat((pid_t)pid, &p)) {
            tree_add(ret, &p);
        }
    }
    closedir(dir);
    if (ret->count > 0) {
        qsort(ret->items, ret->count, sizeof(*ret->items), by_pid);
    }
}

struct members {
    pid_t root;
    const pid_t *spared;
    size_t spared_count;
};

static bool is_spared(const struct members *m, pid_t pid) {
    for (size_t i = 0; i < m->spared_count; i++) {
        if (m->spared[i] == pid) {
            return true;
        }
    }
    return false;
}

static bool is_member(const struct procs *all, const struct members *m, const struct proc *p) {
    if (p->parent == m->root) {
        return !is_spared(m, p->pid);
    }
    const struct proc key = { .pid = p->parent };
    const struct proc *parent = bsearch(&key, all->items, all->count, sizeof(key), by_pid);
    return parent && parent->is_member;
}

static void find_members(struct procs *all, const struct members *m) {
    bool grew = true;
    while (grew) {
        grew = false;
        for (size_t i = 0; i < all->count; i++) {
            struct proc *p = &all->items[i];
            if (!p->is_member && p->pid != m->root && is_member(all, m, p)) {
                p->is_member = grew = true;
            }
        }
    }
}

static void tree_send(const struct proc *p, int signo) {
    OC_AUTO_FD int fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    if (fd < 0) {
        if (errno != ESRCH) {
            kill(p->pid, signo); /* out of descriptors: better the small risk of a reused number
                                    than a survivor */
        }
        return;
    }
    struct proc now;
    if (read_stat(p->pid, &now) && now.started == p->started) {
        syscall(SYS_pidfd_send_signal, fd, signo, NULL, 0);
    }
}

/* Groups of our own session are the node's and those of supervisors. Any other session was made
 * below root, and nobody comes into a session but by birth. */
static void kill_group(pid_t session, pid_t group) {
    if (session > 1 && group > 1 && session != getsid(0)) {
        kill(-group, SIGKILL);
    }
}

static void kill_group_of(const struct proc *p) {
    struct proc now;
    if (read_stat(p->pid, &now) && now.started == p->started) {
        kill_group(now.session, now.group);
    }
}

/* Our own children have their numbers until we collect them, dead or alive, and so have their
 * groups. One that is a new process with every step leaves a dead one behind each time, which tells
 * the group. */
static bool kill_children(const struct members *m) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "re"); /* not in every kernel */
    bool found = false;
    int pid;
    while (f && fscanf(f, "%d", &pid) == 1) { /* NOLINT(cert-err34-c) */
        if (!is_spared(m, pid)) {
            kill_group(getsid(pid), getpgid(pid));
            kill(pid, SIGKILL);
            found = true;
        }
    }
    if (f) {
        fclose(f);
    }
    return found;
}

/* The first `count` of v are sorted. */
static bool tree_knows(const struct procs *v, size_t count, const struct proc *p) {
    const struct proc *found = count > 0 ? bsearch(p, v->items, count, sizeof(*p), by_birth) : NULL;
    return found != NULL;
}

/* Stops, or kills, the members that are not yet in `met`. False: there are none. */
static bool tree_strike(const struct procs *all, struct procs *met, bool is_gentle) {
    size_t known = met->count;
    for (size_t i = 0; i < all->count; i++) {
        const struct proc *p = &all->items[i];
        if (!p->is_member || p->state == 'Z' || tree_knows(met, known, p)) {
            continue;
        }
        if (!is_gentle) {
            kill_group_of(p);
        }
        tree_send(p, is_gentle ? SIGSTOP : SIGKILL);
        tree_add(met, p);
    }
    if (met->count == known) {
        return false;
    }
    qsort(met->items, met->count, sizeof(*met->items), by_birth);
    return true;
}

bool os_tree_kill(pid_t root, const pid_t *spared, size_t spared_count) {
    struct members m = { .root = root, .spared = spared, .spared_count = spared_count };
    struct procs all = { 0 }, met = { 0 };
    bool grew = true;
    for (int round = 0; grew && round < MAX_ROUNDS; round++) {
        read_all(&all);
        find_members(&all, &m);
        grew = tree_strike(&all, &met, round < GENTLE_ROUNDS);
    }
    for (size_t i = 0; i < met.count; i++) {
        tree_send(&met.items[i], SIGKILL);
    }
    bool found = root == getpid() && kill_children(&m);
    found = found || met.count > 0;
    oc_free(all.items);
    oc_free(met.items);
    return found;
}

size_t os_tree_members(pid_t root, pid_t **ret) {
    struct members m = { .root = root };
    struct procs all = { 0 };
    read_all(&all);
    find_members(&all, &m);
    pid_t *pids = oc_new_array(pid_t, all.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i].is_member) {
            pids[count++] = all.items[i].pid;
        }
    }
    oc_free(all.items);
    *ret = pids;
    return count;
}
