#include "lib/base/grounds.h"

#include <stddef.h>
#include <string.h>

static const char *const causes[] = {
#define OC_CAUSE(id, name) [OC_CAUSE_##id] = (name),
#include "lib/base/grounds.def"
};

static const char *const gates[] = {
#define OC_GATE(id, name) [OC_GATE_##id] = (name),
#include "lib/base/grounds.def"
};

static const char *const remedies[] = {
#define OC_REMEDY(id, name) [OC_REMEDY_##id] = (name),
#include "lib/base/grounds.def"
};

static const char *const run_gates[] = {
#define OC_RUN_GATE(id, name) [OC_RUN_GATE_##id] = (name),
#include "lib/base/grounds.def"
};

static void put_whole(char *to, size_t size, const char *text) {
    size_t len = text ? strlen(text) : 0;
    memset(to, 0, size);
    if (len > 0 && len < size) {
        memcpy(to, text, len + 1);
    }
}

bool oc_grounds_any(const struct oc_grounds *g) {
    return g->cause || g->gate || g->remedy;
}

void oc_grounds_set_subject(struct oc_grounds *g, const char *subject) {
    put_whole(g->subject, sizeof(g->subject), subject);
}

void oc_grounds_set_node(struct oc_grounds *g, const char *node_id) {
    put_whole(g->node_id, sizeof(g->node_id), node_id);
}

void oc_grounds_set_told(struct oc_grounds *g, enum oc_speaker by, const char *fix) {
    put_whole(g->told, sizeof(g->told), fix);
    g->told_by = g->told[0] ? by : OC_SPEAKER_NODE;
}

const char *oc_cause_name(enum oc_cause cause) {
    return causes[cause];
}

const char *oc_gate_name(enum oc_gate gate) {
    return gates[gate];
}

const char *oc_remedy_name(enum oc_remedy remedy) {
    return remedies[remedy];
}

const char *oc_run_gate_name(enum oc_run_gate gate) {
    return run_gates[gate];
}

/* What builds of ours from before November 18, 2026 call them. */
static const char *name_now(const char *name) {
    static const struct {
        const char *was, *is;
    } renamed[] = {
        { "NOT_CONTAINED", "NOT_SANDBOXED" },
        { "allow-uncontained", "allow-unsandboxed" },
    };
    for (size_t i = 0; name && i < sizeof(renamed) / sizeof(renamed[0]); i++) {
        if (strcmp(name, renamed[i].was) == 0) {
            return renamed[i].is;
        }
    }
    return name;
}

static int index_of(const char *const *names, int count, const char *given) {
    const char *name = name_now(given);
    for (int i = 1; name && i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return 0;
}

enum oc_cause oc_cause_named(const char *name) {
    return (enum oc_cause)index_of(causes, OC_CAUSE_COUNT, name);
}

enum oc_gate oc_gate_named(const char *name) {
    return (enum oc_gate)index_of(gates, OC_GATE_COUNT, name);
}

enum oc_remedy oc_remedy_named(const char *name) {
    return (enum oc_remedy)index_of(remedies, OC_REMEDY_COUNT, name);
}

enum oc_run_gate oc_run_gate_named(const char *name) {
    return (enum oc_run_gate)index_of(run_gates, OC_RUN_GATE_COUNT, name);
}
