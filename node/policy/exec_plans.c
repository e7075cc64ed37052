#include "node/policy/exec_plans.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "node/looks/exec_seal.h"

#include <string.h>

void nd_exec_plan_name(const struct nd_exec_plan_key *key, char ret[65]) {
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT((size_t)2 * OC_MAX_REQUEST_BYTES);
    oc_buf_puts(&b, key->cwd ? key->cwd : "");
    for (size_t i = 0; i < key->argv->count; i++) {
        oc_buf_append(&b, "", 1);
        oc_buf_puts(&b, key->argv->items[i]);
    }
    nd_exec_seal(b.len > 0 ? b.data : "", b.len, ret);
}

void nd_exec_look_state(const struct nd_exec_look *look, char ret[65]) {
    OC_AUTO_FREE char *text = oc_strfmt("%s %s", look->program, look->files);
    nd_exec_seal(text, strlen(text), ret);
}

bool nd_exec_look_same(const struct nd_exec_look *a, const struct nd_exec_look *b) {
    return strcmp(a->program, b->program) == 0 && strcmp(a->files, b->files) == 0;
}

/* FNV-1a: nothing is decided by it but whose plan has to go. */
static uint64_t exec_plans_mix(uint64_t h, const char *s) {
    for (; s && *s; s++) {
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    }
    return (h ^ 0xffu) * 1099511628211u;
}

static uint64_t asker_of(const struct nd_exec_plan_key *key) {
    return exec_plans_mix(exec_plans_mix(14695981039346656037u, key->agent_id), key->session_key);
}

/* Where the next one of this asker goes: a free place, the asker's oldest when it has its share,
 * else the oldest. */
static struct nd_exec_plan *place_for(struct nd_exec_plans *t, uint64_t asker) {
    struct nd_exec_plan *oldest = &t->all[0], *own = NULL, *empty = NULL;
    size_t count = 0;
    for (size_t i = 0; i < ND_EXEC_PLANS; i++) {
        struct nd_exec_plan *p = &t->all[i];
        if (!p->key[0]) {
            empty = p;
            continue;
        }
        oldest = !oldest->key[0] || p->order < oldest->order ? p : oldest;
        if (p->asker == asker) {
            own = !own || p->order < own->order ? p : own;
            count++;
        }
    }
    return count >= ND_EXEC_PLANS_EACH ? own : empty ? empty : oldest;
}

static const struct nd_exec_plan *last_of(
        const struct nd_exec_plans *t, const char *name, int64_t now_ms) {
    const struct nd_exec_plan *best = NULL;
    for (size_t i = 0; i < ND_EXEC_PLANS; i++) {
        const struct nd_exec_plan *p = &t->all[i];
        if (strcmp(p->key, name) == 0 && now_ms - p->at_ms < ND_EXEC_PLAN_MS &&
                (!best || p->order > best->order)) {
            best = p;
        }
    }
    return best;
}

uint64_t nd_exec_plans_add(struct nd_exec_plans *t, const struct nd_exec_plan_key *key,
        const struct nd_exec_look *look, int64_t now_ms) {
    char name[65];
    nd_exec_plan_name(key, name);
    const struct nd_exec_plan *last = last_of(t, name, now_ms);
    if (last && nd_exec_look_same(&last->look, look) &&
            strcmp(last->look.would, look->would) == 0) {
        return last->order;
    }
    struct nd_exec_plan *p = place_for(t, asker_of(key));
    *p = (struct nd_exec_plan){
        .asker = asker_of(key), .at_ms = now_ms, .order = ++t->last, .look = *look
    };
    memcpy(p->key, name, sizeof(name));
    return p->order;
}

bool nd_exec_plans_changed(const struct nd_exec_plans *t, const struct nd_exec_plan_key *key,
        const struct nd_exec_look *look, uint64_t since) {
    char name[65];
    nd_exec_plan_name(key, name);
    for (size_t i = 0; i < ND_EXEC_PLANS; i++) {
        const struct nd_exec_plan *p = &t->all[i];
        if (strcmp(p->key, name) == 0 && p->order > since && !nd_exec_look_same(&p->look, look)) {
            return true;
        }
    }
    return false;
}

const struct nd_exec_look *nd_exec_plans_find(const struct nd_exec_plans *t,
        const struct nd_exec_plan_key *key, int64_t now_ms, bool *ret_is_torn) {
    char name[65];
    nd_exec_plan_name(key, name);
    const struct nd_exec_plan *last = last_of(t, name, now_ms);
    *ret_is_torn = false;
    for (size_t i = 0; last && i < ND_EXEC_PLANS; i++) {
        const struct nd_exec_plan *p = &t->all[i];
        if (strcmp(p->key, name) == 0 && now_ms - p->at_ms < ND_EXEC_PLAN_MS &&
                !nd_exec_look_same(&p->look, &last->look)) {
            *ret_is_torn = true;
        }
    }
    return last ? &last->look : NULL;
}

void nd_exec_plans_forget(struct nd_exec_plans *t, const struct nd_exec_plan_key *key) {
    char name[65];
    nd_exec_plan_name(key, name);
    for (size_t i = 0; i < ND_EXEC_PLANS; i++) {
        if (strcmp(t->all[i].key, name) == 0) {
            t->all[i].key[0] = '\0';
        }
    }
}
