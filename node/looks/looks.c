#include "node/looks/looks.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/net/loop/mailbox.h"
#include "node/argv/paths/exec_path.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

struct nd_look {
    struct oc_strv argv, reach;
    char *real, *cwd, *state_dir, *path_env, *who;
    void (*in_thread)(const char *who, atomic_uint *steps);
    struct oc_mailbox *mailbox; /* own reference: the loop may be gone before the answer */
    atomic_bool is_cancelled;
    atomic_uint steps; /* of the thread: it grows while a file system answers */
    /* core thread only */
    struct oc_loop *loop;
    struct nd_looks *looks; /* NULL: they are gone */
    struct nd_look *next;
    bool is_running;
    unsigned seen_steps; /* at the last tick */
    int64_t since_ms;    /* when it began */
    bool is_stuck;       /* it lost its place, and made no step since the last tick */
    nd_look_done *done;  /* NULL: cancelled */
    void *user;
    /* written by the thread, read after it has posted */
    struct nd_look_found found;
};

static void looks_destroy(struct nd_look *l) {
    nd_exec_operand_finish(&l->found.given);
    nd_exec_operand_finish(&l->found.real);
    oc_mailbox_unref(l->mailbox);
    oc_strv_finish(&l->argv);
    oc_strv_finish(&l->reach);
    oc_free(l->real);
    oc_free(l->cwd);
    oc_free(l->state_dir);
    oc_free(l->path_env);
    oc_free(l->who);
    oc_free(l);
}

static void looks_look(struct nd_look *l) {
    if (l->in_thread) {
        l->in_thread(l->who, &l->steps);
    }
    if (l->reach.count > 0) {
        struct stat st;
        for (size_t i = 0; i < l->reach.count && !atomic_load(&l->is_cancelled); i++) {
            (void)stat(l->reach.items[i], &st); /* whatever it says, it has answered */
            atomic_fetch_add(&l->steps, 1);
        }
        return;
    }
    struct nd_exec_place place = { .cwd = l->cwd,
        .path_env = l->path_env,
        .state_dir = l->state_dir,
        .is_cancelled = &l->is_cancelled,
        .steps = &l->steps };
    nd_exec_operand_find(&l->argv, &place, &l->found.given);
    if (l->real) {
        char *given = l->argv.items[0];
        l->argv.items[0] = l->real;
        nd_exec_operand_find(&l->argv, &place, &l->found.real);
        l->argv.items[0] = given;
        l->found.has_real = true;
    }
}

static void start_next(struct nd_looks *looks);

static void give_place_up(struct nd_looks *looks, const struct nd_look *l) {
    if (looks->running == l) {
        looks->running = NULL;
    } else {
        struct nd_look **at = &looks->slow;
        while (*at && *at != l) {
            at = &(*at)->next;
        }
        *at = *at ? l->next : NULL;
    }
    if (!looks->running && !looks->slow) {
        oc_timer_cancel(&looks->tick);
    }
}

static void looks_deliver(void *user) {
    struct nd_look *l = user;
    struct nd_looks *looks = l->looks;
    if (looks) {
        give_place_up(looks, l);
        looks->made++;
        start_next(looks);
    }
    if (l->done) {
        l->done(l->user, &l->found);
    }
    looks_destroy(l);
}

static void *look_main(void *arg) {
    struct nd_look *l = arg;
    struct oc_mailbox *mailbox = oc_mailbox_ref(l->mailbox);
    looks_look(l);
    if (!oc_mailbox_post(mailbox, looks_deliver, l)) {
        looks_destroy(l);
    }
    oc_mailbox_unref(mailbox);
    return NULL;
}

struct slow {
    size_t all, own, stuck, own_stuck; /* own: of the one who asks */
};

static struct slow count_slow(const struct nd_looks *looks, const char *who) {
    struct slow n = { 0 };
    for (const struct nd_look *l = looks->slow; l; l = l->next) {
        bool is_own = oc_streq(l->who, who);
        n.all++;
        n.own += is_own;
        n.stuck += l->is_stuck;
        n.own_stuck += is_own && l->is_stuck;
    }
    return n;
}

static struct nd_look *oldest_of(const struct nd_looks *looks, const char *who) {
    struct nd_look *l = looks->first;
    while (l && !oc_streq(l->who, who)) {
        l = l->next;
    }
    return l;
}

static void unlink_waiting(struct nd_looks *looks, struct nd_look *l) {
    struct nd_look *prev = NULL;
    for (struct nd_look *at = looks->first; at && at != l; at = at->next) {
        prev = at;
    }
    if (prev) {
        prev->next = l->next;
    } else {
        looks->first = l->next;
    }
    looks->last = looks->last == l ? prev : looks->last;
    l->next = NULL;
    if (!oldest_of(looks, l->who)) {
        oc_strv_remove(&looks->turns, l->who);
    }
}

/* The oldest of whose turn it is; whoever has one that lost its place waits for that one first. */
static struct nd_look *take_next(struct nd_looks *looks) {
    for (size_t i = 0; i < looks->turns.count; i++) {
        struct slow n = count_slow(looks, looks->turns.items[i]);
        if (n.own > 0 || n.stuck >= ND_MAX_STUCK_LOOKS || n.all >= ND_MAX_SLOW_LOOKS) {
            continue;
        }
        struct nd_look *l = oldest_of(looks, looks->turns.items[i]);
        unlink_waiting(looks, l);
        oc_strv_remove(&looks->turns, l->who);
        if (oldest_of(looks, l->who)) {
            oc_strv_add(&looks->turns, l->who); /* behind everybody else */
        }
        return l;
    }
    return NULL;
}

static void lose_place(struct nd_looks *looks) {
    struct nd_look *l = looks->running;
    looks->running = NULL;
    l->next = looks->slow;
    looks->slow = l;
}

/* Whether it made no step since the last tick. */
static bool has_stopped(struct nd_look *l) {
    unsigned steps = atomic_load(&l->steps);
    bool is_same = steps == l->seen_steps;
    l->seen_steps = steps;
    return is_same;
}

static void on_tick(struct oc_timer *t) {
    struct nd_looks *looks = t->user;
    struct nd_look *now = looks->running;
    for (struct nd_look *l = looks->slow; l; l = l->next) {
        l->is_stuck = has_stopped(l);
    }
    bool has_now_stopped = now && has_stopped(now);
    if (now && oc_mono_ms(oc_loop_clock(now->loop)) - now->since_ms >= ND_LOOK_MS) {
        now->is_stuck = has_now_stopped;
        lose_place(looks);
    }
    const struct nd_look *any = looks->running ? looks->running : looks->slow;
    if (any) {
        oc_timer_set(any->loop, t, ND_LOOK_STEP_MS);
    }
    start_next(looks);
}

static void start_next(struct nd_looks *looks) {
    struct nd_look *l = looks->running ? NULL : take_next(looks);
    if (!l) {
        return;
    }
    looks->running = l;
    l->is_running = true;
    l->since_ms = oc_mono_ms(oc_loop_clock(l->loop));
    if (!looks->tick.loop) { /* which is set already while others are slow */
        looks->tick.on_expire = on_tick;
        looks->tick.user = looks;
        oc_timer_set(l->loop, &looks->tick, ND_LOOK_STEP_MS);
    }
    if (oc_mailbox_thread(look_main, l) != 0) {
        looks_look(l); /* no thread to be had: slowly is better than not at all */
        if (!oc_mailbox_post(l->mailbox, looks_deliver, l)) {
            give_place_up(looks, l);
            looks_destroy(l);
        }
    }
}

/* Behind everybody who waits, but before whoever is being served now. */
static void take_turn(struct nd_looks *looks, const char *who) {
    const char *served = looks->running ? looks->running->who : NULL;
    if (oc_strv_has(&looks->turns, who)) {
        return;
    }
    bool is_after = served && !oc_streq(served, who) && oc_strv_has(&looks->turns, served);
    oc_strv_add(&looks->turns, who);
    if (is_after) {
        oc_strv_remove(&looks->turns, served);
        oc_strv_add(&looks->turns, served);
    }
}

static enum oc_code check_room(
        const struct nd_looks *looks, const struct nd_look_ask *ask, struct oc_error *err) {
    const char *who = ask->who ? ask->who : "";
    struct slow n = count_slow(looks, who);
    size_t all = 0, own = 0;
    if (n.own_stuck > 0 || n.stuck >= ND_MAX_STUCK_LOOKS) {
        return oc_fail_busy(err, OC_REMEDY_OTHER_FILES,
                "a file system of the node does not answer: %zu command%s that named files there "
                "still wait%s, %zu of yours",
                n.stuck, n.stuck == 1 ? "" : "s", n.stuck == 1 ? "s" : "", n.own_stuck);
    }
    for (const struct nd_look *l = looks->first; l; l = l->next) {
        all++;
        own += oc_streq(l->who, who);
    }
    if (all >= ND_MAX_LOOKS || (!ask->is_urgent && own >= ND_MAX_LOOKS_EACH)) {
        return oc_fail_busy(err, OC_REMEDY_TRY_LATER,
                "too many commands wait until the node has looked at their files (%zu, of these "
                "%zu of yours)",
                all, own);
    }
    return OC_OK;
}

enum oc_code nd_look_start(struct nd_looks *looks, struct oc_loop *loop,
        const struct nd_look_ask *ask, nd_look_done *done, void *user, struct nd_look **ret,
        struct oc_error *err) {
    enum oc_code rc = check_room(looks, ask, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct nd_look *l = oc_new(struct nd_look);
    oc_strv_copy(&l->argv, ask->argv);
    if (ask->reach) {
        oc_strv_copy(&l->reach, ask->reach);
    }
    l->real = oc_strdup(ask->real);
    l->cwd = oc_strdup(ask->cwd);
    l->state_dir = oc_strdup(ask->state_dir);
    l->path_env = oc_strdup(nd_exec_search_path());
    l->who = oc_strdup(ask->who ? ask->who : "");
    l->in_thread = looks->in_thread;
    l->loop = loop;
    l->mailbox = oc_mailbox_ref(oc_loop_mailbox(loop));
    l->looks = looks;
    l->done = done;
    l->user = user;
    if (looks->last) {
        looks->last->next = l;
    } else {
        looks->first = l;
    }
    looks->last = l;
    take_turn(looks, l->who);
    *ret = l;
    start_next(looks);
    return OC_OK;
}

void nd_look_cancel(struct nd_look *l) {
    if (!l) {
        return;
    }
    l->done = NULL;
    atomic_store(&l->is_cancelled, true);
    if (!l->is_running) {
        unlink_waiting(l->looks, l);
        looks_destroy(l);
    }
}

void nd_looks_finish(struct nd_looks *looks) {
    while (looks->first) {
        nd_look_cancel(looks->first);
    }
    if (looks->running) {
        lose_place(looks);
    }
    for (struct nd_look *l = looks->slow; l; l = l->next) {
        l->done = NULL;
        l->looks = NULL;
        atomic_store(&l->is_cancelled, true);
    }
    oc_timer_cancel(&looks->tick);
    oc_strv_finish(&looks->turns);
    *looks = (struct nd_looks){ 0 };
}
