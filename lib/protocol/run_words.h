/* What is said about a command of system.run, as closed lists: on the wire, in the run log of the
 * node and in the audit of the gateway. */
#ifndef LIB_PROTOCOL_RUN_WORDS_H
#define LIB_PROTOCOL_RUN_WORDS_H

#include <stdbool.h>

/* How it ended. */
enum oc_outcome {
    OC_OUTCOME_NONE,
#define OC_OUTCOME(id, name, is_of_node) OC_OUTCOME_##id,
#include "lib/protocol/run_words.def"
    OC_OUTCOME_COUNT,
};

/* What somebody decided about it; none: nobody did, or not yet. */
enum oc_decision {
    OC_DECISION_NONE,
#define OC_DECISION(id, name) OC_DECISION_##id,
#include "lib/protocol/run_words.def"
    OC_DECISION_COUNT,
};

/* NULL for the first of each list. */
const char *oc_outcome_name(enum oc_outcome outcome);
const char *oc_decision_name(enum oc_decision decision);
/* The first of each list for NULL and for what is not in it. */
enum oc_outcome oc_outcome_named(const char *name);
enum oc_decision oc_decision_named(const char *name);
/* Whether a node reports it: the others are what a gateway knows without a report. */
bool oc_outcome_is_of_node(enum oc_outcome outcome);

#endif
