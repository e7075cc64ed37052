#include "node/policy/exec_remember.h"

#include "lib/base/error.h"
#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "lib/state/exec_approvals.h"

#define TAG "node.exec"

enum {
    AGAIN_MS = 50,
    MAX_TRIES = 100,
    MAX_WAITING = 64, /* each is a person's word, so there are never that many */
};

struct remembered_entry {
    struct oc_list link;
    char *agent_id, *pattern;
    int64_t now_ms;
    int tries;
};

struct nd_exec_memory {
    struct oc_loop *loop;
    char *path;
    struct oc_timer again;
    struct oc_list waiting; /* entry.link */
    size_t count;
};

/* Whether it is done with, for good or ill. */
static bool exec_remember_put(struct nd_exec_memory *m, struct remembered_entry *e, bool is_last) {
    struct oc_error err = { 0 };
    enum oc_code rc = oc_exec_approvals_allow(m->path, e->agent_id, e->pattern, e->now_ms, &err);
    bool may_pass = rc == OC_E_UNAVAILABLE || rc == OC_E_CANCELLED;
    if (rc != OC_OK && (!may_pass || is_last || ++e->tries >= MAX_TRIES)) {
        oc_log(OC_LOG_WARN, TAG, "'%s' was allowed for good, but that cannot be written down: %s",
                e->pattern, err.text);
        return true;
    }
    return rc == OC_OK;
}

static void exec_remember_drop(struct remembered_entry *e) {
    oc_free(e->agent_id);
    oc_free(e->pattern);
    oc_free(e);
}

static void put_all(struct nd_exec_memory *m, bool is_last) {
    struct remembered_entry *e, *next;
    oc_list_for_each_safe(e, next, &m->waiting, link) {
        if (exec_remember_put(m, e, is_last)) {
            oc_list_remove(&e->link);
            m->count--;
            exec_remember_drop(e);
        }
    }
}

static void on_again(struct oc_timer *t) {
    struct nd_exec_memory *m = t->user;
    put_all(m, false);
    if (m->count > 0) {
        oc_timer_set(m->loop, &m->again, AGAIN_MS);
    }
}

struct nd_exec_memory *nd_exec_memory_create(struct oc_loop *loop, const char *approvals_path) {
    struct nd_exec_memory *m = oc_new(struct nd_exec_memory);
    m->loop = loop;
    m->path = oc_strdup(approvals_path);
    m->again = (struct oc_timer){ .on_expire = on_again, .user = m };
    oc_list_init(&m->waiting);
    return m;
}

void nd_exec_memory_destroy(struct nd_exec_memory *m) {
    if (!m) {
        return;
    }
    oc_timer_cancel(&m->again);
    put_all(m, true);
    oc_free(m->path);
    oc_free(m);
}

void nd_exec_memory_add(
        struct nd_exec_memory *m, const char *agent_id, const char *pattern, int64_t now_ms) {
    struct remembered_entry *e = oc_new(struct remembered_entry);
    *e = (struct remembered_entry){
        .agent_id = oc_strdup(agent_id), .pattern = oc_strdup(pattern), .now_ms = now_ms
    };
    if (exec_remember_put(m, e, m->count >= MAX_WAITING)) {
        exec_remember_drop(e);
        return;
    }
    oc_list_init(&e->link);
    oc_list_append(&m->waiting, &e->link);
    m->count++;
    oc_timer_set(m->loop, &m->again, AGAIN_MS);
}
