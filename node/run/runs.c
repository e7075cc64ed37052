#include "node/run/runs.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/json/json.h"
#include "node/process/process.h"
#include "node/run/run.h"
#include "node/run/run_owner.h"

#include <string.h>

struct oc_runs {
    const struct oc_machine *machine;
    struct oc_list running, ended; /* oc_run_entry.link, oldest first */
    size_t running_count, ended_count;
};

struct oc_runs *oc_runs_create(const struct oc_machine *machine) {
    struct oc_runs *t = oc_new(struct oc_runs);
    t->machine = machine;
    oc_list_init(&t->running);
    oc_list_init(&t->ended);
    return t;
}

void oc_run_entry_finish(struct oc_run_entry *e) {
    oc_free(e->handle);
    oc_free(e->command);
    oc_free(e->cwd);
    oc_free(e->agent_id);
    oc_run_owner_finish(e);
    oc_run_output_finish(&e->log);
}

static void drop_oldest(struct oc_runs *t) {
    struct oc_run_entry *e = oc_list_first(&t->ended, struct oc_run_entry, link);
    oc_list_remove(&e->link);
    t->ended_count--;
    oc_run_free(e);
}

void oc_runs_destroy(struct oc_runs *t) {
    if (!t) {
        return;
    }
    while (!oc_list_empty(&t->running)) {
        struct oc_run_entry *e = oc_list_first(&t->running, struct oc_run_entry, link);
        oc_list_remove(&e->link);
        oc_run_free(e);
    }
    while (!oc_list_empty(&t->ended)) {
        drop_oldest(t);
    }
    oc_free(t);
}

bool oc_runs_have_room(const struct oc_runs *t, int64_t *ret_limit) {
    *ret_limit = oc_json_get_int(oc_json_path(t->machine->config, "node.exec"), "maxConcurrent", 1,
            1024, OC_MAX_RUNS_DEFAULT);
    return t->running_count < (size_t)*ret_limit;
}

static struct oc_run_entry *find_in(const struct oc_list *list, const char *handle) {
    struct oc_run_entry *e;
    oc_list_for_each(e, list, link) {
        if (strcmp(e->handle, handle) == 0) {
            return e;
        }
    }
    return NULL;
}

struct oc_run_entry *oc_runs_find(struct oc_runs *t, const char *handle) {
    struct oc_run_entry *e = find_in(&t->running, handle);
    return e ? e : find_in(&t->ended, handle);
}

struct oc_run_entry *oc_runs_next(struct oc_runs *t, const struct oc_run_entry *after) {
    const struct oc_list *at = after ? after->link.next : t->running.next;
    at = at == &t->running ? t->ended.next : at;
    return at == &t->ended ? NULL : OC_CONTAINER(at, struct oc_run_entry, link);
}

char *oc_runs_new_handle(struct oc_runs *t) {
    for (;;) {
        uint8_t random[OC_RUN_HANDLE_LEN / 2];
        char text[2 * sizeof(random) + 1];
        oc_random(random, sizeof(random));
        oc_hex(random, sizeof(random), text);
        if (!oc_runs_find(t, text)) {
            return oc_strdup(text);
        }
    }
}

void oc_runs_answered(struct oc_runs *t, const struct oc_frame *frame) {
    struct oc_run_entry *e;
    oc_list_for_each(e, &t->running, link) {
        if (oc_run_answered(e, frame)) {
            return;
        }
    }
}

void oc_runs_add(struct oc_runs *t, struct oc_run_entry *e) {
    oc_list_init(&e->link);
    oc_list_append(&t->running, &e->link);
    t->running_count++;
}

void oc_runs_ended(struct oc_runs *t, struct oc_run_entry *e) {
    oc_list_remove(&e->link);
    t->running_count--;
    e->ended_ms = oc_wall_ms(oc_loop_clock(t->machine->loop));
    if (e->is_background) {
        oc_list_append(&t->ended, &e->link);
        t->ended_count++;
    }
    oc_run_entry_changed(e);
    if (t->ended_count > OC_MAX_ENDED_RUNS) {
        drop_oldest(t);
    }
}

void oc_run_entry_changed(struct oc_run_entry *e) {
    struct oc_run_watcher *w, *next;
    oc_list_for_each_safe(w, next, &e->watchers, link) {
        w->on_change(w);
    }
}
