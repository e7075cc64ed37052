/* Why something was refused or failed, as data: made where it is known, carried through the layers
 * and over the wire (lib/protocol/grounds.h), and turned into a sentence once, where somebody reads
 * it (lib/text/fix.h).
 *
 *   cause    what programs look at
 *   gate     what stands in the way
 *   subject  what it stands in the way of: a program, a request, a switch, a scope
 *   remedy   what opens it, for the subject
 *
 * Causes, gates and remedies are closed lists: what a peer names is one of them, or nothing. */
#ifndef LIB_BASE_GROUNDS_H
#define LIB_BASE_GROUNDS_H

#include <stdbool.h>

enum oc_cause {
    OC_CAUSE_NONE,
#define OC_CAUSE(id, name) OC_CAUSE_##id,
#include "lib/base/grounds.def"
    OC_CAUSE_COUNT,
};

enum oc_gate {
    OC_GATE_NONE,
#define OC_GATE(id, name) OC_GATE_##id,
#include "lib/base/grounds.def"
    OC_GATE_COUNT,
};

enum oc_remedy {
    OC_REMEDY_NONE,
#define OC_REMEDY(id, name) OC_REMEDY_##id,
#include "lib/base/grounds.def"
    OC_REMEDY_COUNT,
};

/* What let one command of system.run through or stopped it, for the run log and the audit: finer
 * than a gate. */
enum oc_run_gate {
    OC_RUN_GATE_NONE,
#define OC_RUN_GATE(id, name) OC_RUN_GATE_##id,
#include "lib/base/grounds.def"
    OC_RUN_GATE_COUNT,
};

/* Whose words something is in. A node's, unless we know better: they count for less. */
enum oc_speaker { OC_SPEAKER_NODE, OC_SPEAKER_GATEWAY };

#define OC_MAX_SUBJECT 255
#define OC_MAX_TOLD_FIX 399

struct oc_grounds {
    enum oc_cause cause;
    enum oc_gate gate;
    enum oc_remedy remedy;
    bool is_at_node;      /* the remedy helps only at the node's own machine */
    bool is_of_handshake; /* of a gateway that did not let us in: anybody may be that */
    /* Of a peer, perhaps: any bytes of UTF-8. Empty: none. */
    char subject[OC_MAX_SUBJECT + 1];
    char node_id[OC_MAX_SUBJECT + 1]; /* the node it is about, for those who are elsewhere */
    char told[OC_MAX_TOLD_FIX + 1];   /* a peer's own words for a remedy that is none of ours */
    enum oc_speaker told_by;
};

/* Whether anything is known: a cause, a gate or a remedy. */
bool oc_grounds_any(const struct oc_grounds *g);

/* All but these stay as they are. What is too long is left out: half a path is another path. NULL:
 * none. */
void oc_grounds_set_subject(struct oc_grounds *g, const char *subject);
void oc_grounds_set_node(struct oc_grounds *g, const char *node_id);
void oc_grounds_set_told(struct oc_grounds *g, enum oc_speaker by, const char *fix);

/* NULL for the first of each list. */
const char *oc_cause_name(enum oc_cause cause);
const char *oc_gate_name(enum oc_gate gate);
const char *oc_remedy_name(enum oc_remedy remedy);
const char *oc_run_gate_name(enum oc_run_gate gate);
/* The first of each list for NULL and for what is not in it. */
enum oc_cause oc_cause_named(const char *name);
enum oc_gate oc_gate_named(const char *name);
enum oc_remedy oc_remedy_named(const char *name);
enum oc_run_gate oc_run_gate_named(const char *name);

#endif
