#include "node/declare/redeclare.h"

#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/net/watch/watch.h"

#include <string.h>

enum { SETTLE_MS = 100 };

struct nd_redeclare {
    const struct nd_commands *all;
    struct nd_redeclare_opts opts;
    struct oc_watch *watch; /* consent.json */
    bool waits;             /* until nothing runs */
};

static bool is_same(const struct oc_strv *a, const struct oc_strv *b) {
    return a->count == b->count && oc_strv_covers(a, b);
}

static void redeclare_replace(struct oc_strv *dst, struct oc_strv *take_src) {
    oc_strv_finish(dst);
    *dst = *take_src;
    *take_src = (struct oc_strv){ 0 };
}

/* True if they were not. */
static bool bring_up_to_date(struct nd_redeclare *r) {
    OC_AUTO_STRV struct oc_strv commands = { 0 }, caps = { 0 };
    nd_commands_list(r->all, &commands, &caps);
    r->waits = false;
    if (is_same(&commands, r->opts.commands)) {
        return false;
    }
    redeclare_replace(r->opts.commands, &commands);
    redeclare_replace(r->opts.caps, &caps);
    return true;
}

static void on_change(void *user) {
    struct nd_redeclare *r = user;
    r->opts.withdraw(r->opts.user);
    if (r->opts.is_busy(r->opts.user)) {
        r->waits = true;
        return;
    }
    if (bring_up_to_date(r)) {
        oc_log(OC_LOG_INFO, "node", "the owner changed what this node offers: connecting anew");
        r->opts.reconnect(r->opts.user);
    }
}

struct nd_redeclare *nd_redeclare_create(
        const struct nd_commands *all, const struct nd_redeclare_opts *opts) {
    struct nd_redeclare *r = oc_new(struct nd_redeclare);
    r->all = all;
    r->opts = *opts;
    OC_AUTO_STRV struct oc_strv files = { 0 };
    oc_strv_add(&files, all->machine->switches_path);
    r->watch = oc_watch_create(all->machine->loop,
            &(struct oc_watch_opts){
                    .files = &files, .settle_ms = SETTLE_MS, .on_change = on_change, .user = r });
    return r;
}

void nd_redeclare_destroy(struct nd_redeclare *r) {
    if (r) {
        oc_watch_destroy(r->watch);
        oc_free(r);
    }
}

void nd_redeclare_idle(struct nd_redeclare *r) {
    if (r->waits) {
        on_change(r);
    }
}

void nd_redeclare_check(struct nd_redeclare *r) {
    if (r) {
        on_change(r);
    }
}

void nd_redeclare_refresh(struct nd_redeclare *r) {
    bring_up_to_date(r);
}
