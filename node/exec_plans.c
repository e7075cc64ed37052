#include "node/exec_plans.h"

#include "base/buf.h"
#include "protocol/identity.h"
#include "protocol/limits.h"

#include <string.h>

static void hash_of(const struct oc_exec_plan_key *key, char ret[65]) {
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT((size_t)2 * OC_MAX_REQUEST_BYTES);
    oc_buf_puts(&b, key->cwd ? key->cwd : "");
    for (size_t i = 0; i < key->argv->count; i++) {
        oc_buf_append(&b, "", 1);
        oc_buf_puts(&b, key->argv->items[i]);
    }
    oc_sha256_hex(b.len > 0 ? b.data : "", b.len, ret);
}

/* FNV-1a: nothing is decided by it but whose plan has to go. */
static uint64_t mix(uint64_t h, const char *s) {
    for (; s && *s; s++) {
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    }
    return (h ^ 0xffu) * 1099511628211u;
}

static uint64_t asker_of(const struct oc_exec_plan_key *key) {
    return mix(mix(14695981039346656037u, key->agent_id), key->session_key);
}

/* Where the next one of this asker goes: a free place, the asker's oldest when it has its share, else the oldest. */
static struct oc_exec_plan *place_for(struct oc_exec_plans *t, uint64_t asker) {
    struct oc_exec_plan *oldest = &t->all[0], *own = NULL, *empty = NULL;
    size_t count = 0;
    for (size_t i = 0; i < OC_EXEC_PLANS; i++) {
        struct oc_exec_plan *p = &t->all[i];
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
    return count >= OC_EXEC_PLANS_EACH ? own : empty ? empty : oldest;
}

/* The first or the last of this command that is at most `until_ms` young. */
static const struct oc_exec_plan *pick(const struct oc_exec_plans *t, const char *key,
        bool wants_last, int64_t until_ms, int64_t now_ms) {
    const struct oc_exec_plan *best = NULL;
    for (size_t i = 0; i < OC_EXEC_PLANS; i++) {
        const struct oc_exec_plan *p = &t->all[i];
        if (strcmp(p->key, key) == 0 && p->at_ms <= until_ms &&
                now_ms - p->at_ms < OC_EXEC_PLAN_MS &&
                (!best || (p->order > best->order) == wants_last)) {
            best = p;
        }
    }
    return best;
}

void oc_exec_plans_add(struct oc_exec_plans *t, const struct oc_exec_plan_key *key,
        const struct oc_exec_look *look, int64_t now_ms) {
    char hash[65];
    hash_of(key, hash);
    const struct oc_exec_plan *last = pick(t, hash, true, now_ms, now_ms);
    if (last && strcmp(last->look.program, look->program) == 0 &&
            strcmp(last->look.files, look->files) == 0 &&
            strcmp(last->look.would, look->would) == 0) {
        return;
    }
    struct oc_exec_plan *p = place_for(t, asker_of(key));
    *p = (struct oc_exec_plan){
        .asker = asker_of(key), .at_ms = now_ms, .order = ++t->last, .look = *look
    };
    memcpy(p->key, hash, sizeof(hash));
}

const struct oc_exec_look *oc_exec_plans_find(const struct oc_exec_plans *t,
        const struct oc_exec_plan_key *key, int64_t approval_age_ms, int64_t now_ms) {
    char hash[65];
    hash_of(key, hash);
    bool is_known = approval_age_ms >= 0;
    /* Two clocks do not run alike, and nobody looks at a file in the blink of an eye. */
    int64_t slack_ms = 100 + approval_age_ms / 1000;
    const struct oc_exec_plan *p = pick(
            t, hash, is_known, is_known ? now_ms - approval_age_ms + slack_ms : now_ms, now_ms);
    return p ? &p->look : NULL;
}

void oc_exec_plans_forget(struct oc_exec_plans *t, const struct oc_exec_plan_key *key) {
    char hash[65];
    hash_of(key, hash);
    for (size_t i = 0; i < OC_EXEC_PLANS; i++) {
        if (strcmp(t->all[i].key, hash) == 0) {
            t->all[i].key[0] = '\0';
        }
    }
}
