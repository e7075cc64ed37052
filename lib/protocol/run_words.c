#include "lib/protocol/run_words.h"

#include "lib/base/str.h"

static const char *const outcomes[] = {
#define OC_OUTCOME(id, name, is_of_node) [OC_OUTCOME_##id] = (name),
#include "lib/protocol/run_words.def"
};

static const bool of_node[] = {
#define OC_OUTCOME(id, name, is_of_node) [OC_OUTCOME_##id] = (is_of_node),
#include "lib/protocol/run_words.def"
};

static const char *const decisions[] = {
#define OC_DECISION(id, name) [OC_DECISION_##id] = (name),
#include "lib/protocol/run_words.def"
};

static int index_of_word(const char *const *names, int count, const char *name) {
    for (int i = 1; name && i < count; i++) {
        if (oc_streq(names[i], name)) {
            return i;
        }
    }
    return 0;
}

const char *oc_outcome_name(enum oc_outcome outcome) {
    return outcomes[outcome];
}

enum oc_outcome oc_outcome_named(const char *name) {
    return (enum oc_outcome)index_of_word(outcomes, OC_OUTCOME_COUNT, name);
}

bool oc_outcome_is_of_node(enum oc_outcome outcome) {
    return of_node[outcome];
}

const char *oc_decision_name(enum oc_decision decision) {
    return decisions[decision];
}

enum oc_decision oc_decision_named(const char *name) {
    return (enum oc_decision)index_of_word(decisions, OC_DECISION_COUNT, name);
}
