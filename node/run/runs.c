#include "node/run/runs.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/json/json.h"
#include "node/process/process.h"
#include "node/run/run.h"
#include "node/run/run_owner.h"

#include <string.h>

struct nd_runs {
    const struct nd_machine *machine;
    struct oc_list running, ended; /* nd_run_entry.link, oldest first */
    size_t running_count, ended_count;
};

struct nd_runs *nd_runs_create(const struct nd_machine *machine) {
    struct nd_runs *t = oc_new(struct nd_runs);
    t->machine = machine;
    oc_list_init(&t->running);
    oc_list_init(&t->ended);
    return t;
}

void nd_run_entry_finish(struct nd_run_entry *e) {
    oc_free(e->handle);
    oc_free(e->command);
    oc_free(e->cwd);
    oc_free(e->agent_id);
    nd_run_owner_finish(e);
    nd_run_output_finish(&e->log);
}

static void drop_oldest(struct nd_runs *t) {
    struct nd_run_entry *e = oc_list_first(&t->ended, struct nd_run_entry, link);
    oc_list_remove(&e->link);
    t->ended_count--;
    nd_run_free(e);
}

void nd_runs_destroy(struct nd_runs *t) {
    if (!t) {
        return;
    }
    while (!oc_list_empty(&t->running)) {
        struct nd_run_entry *e = oc_list_first(&t->running, struct nd_run_entry, link);
        oc_list_remove(&e->link);
        nd_run_free(e);
    }
    while (!oc_list_empty(&t->ended)) {
        drop_oldest(t);
    }
    oc_free(t);
}

bool nd_runs_have_room(const struct nd_runs *t, int64_t *ret_limit) {
    *ret_limit = oc_json_get_int(oc_json_path(t->machine->config, "node.exec"), "maxConcurrent", 1,
            1024, ND_MAX_RUNS_DEFAULT);
    return t->running_count < (size_t)*ret_limit;
}

static struct nd_run_entry *find_in(const struct oc_list *list, const char *handle) {
    struct nd_run_entry *e;
    oc_list_for_each(e, list, link) {
        if (strcmp(e->handle, handle) == 0) {
            return e;
        }
    }
    return NULL;
}

struct nd_run_entry *nd_runs_find(struct nd_runs *t, const char *handle) {
    struct nd_run_entry *e = find_in(&t->running, handle);
    return e ? e : find_in(&t->ended, handle);
}

struct nd_run_entry *nd_runs_next(struct nd_runs *t, const struct nd_run_entry *after) {
    const struct oc_list *at = after ? after->link.next : t->running.next;
    at = at == &t->running ? t->ended.next : at;
    return at == &t->ended ? NULL : OC_CONTAINER(at, struct nd_run_entry, link);
}

char *nd_runs_new_handle(struct nd_runs *t) {
    for (;;) {
        uint8_t random[OC_RUN_HANDLE_LEN / 2];
        char text[2 * sizeof(random) + 1];
        oc_random(random, sizeof(random));
        oc_hex(random, sizeof(random), text);
        if (!nd_runs_find(t, text)) {
            return oc_strdup(text);
        }
    }
}

void nd_runs_answered(struct nd_runs *t, const struct oc_frame *frame) {
    struct nd_run_entry *e;
    oc_list_for_each(e, &t->running, link) {
        if (nd_run_answered(e, frame)) {
            return;
        }
    }
}

void nd_runs_add(struct nd_runs *t, struct nd_run_entry *e) {
    oc_list_init(&e->link);
    oc_list_append(&t->running, &e->link);
    t->running_count++;
}

void nd_runs_ended(struct nd_runs *t, struct nd_run_entry *e) {
    oc_list_remove(&e->link);
    t->running_count--;
    e->ended_ms = oc_wall_ms(oc_loop_clock(t->machine->loop));
    if (e->is_background) {
        oc_list_append(&t->ended, &e->link);
        t->ended_count++;
    }
    nd_run_entry_changed(e);
    if (t->ended_count > ND_MAX_ENDED_RUNS) {
        drop_oldest(t);
    }
}

void nd_run_entry_changed(struct nd_run_entry *e) {
    struct nd_run_watcher *w, *next;
    oc_list_for_each_safe(w, next, &e->watchers, link) {
        w->on_change(w);
    }
}
