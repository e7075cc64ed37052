/* The sentences that are made of grounds (lib/base/grounds.h). Every command line in them is ours;
 * what a peer chose stands in it as one word, by the rules of lib/text/paste.h. */
#ifndef LIB_TEXT_FIX_H
#define LIB_TEXT_FIX_H

#include "lib/base/error.h"

/* In front of a command that helps at the machine only. */
#define OC_FIX_AT_NODE "on the node run: "
#define OC_FIX_AT_GATEWAY "on the gateway host run: "

/* What opens the gate, as one line: a command to paste or what to do. With grounds.node_id it is
 * for those who are elsewhere: it names the node. NULL: none is known. Caller frees. */
char *oc_fix_text(const struct oc_grounds *g);

/* What a peer calls the fix, without anything that a shell would act on. Only what one of our own
 * remedies says, as a whole, is shown as ours: anybody can begin a sentence with our name. All else
 * is marked as theirs; what is not plain is not shown. NULL stays NULL. Caller frees. For tests. */
char *oc_fix_told(enum oc_speaker by, const char *fix);

/* "text (gate: …; fix: …)", for those who get nothing but a text. fix may be NULL. Caller frees. */
char *oc_fix_sentence(const char *text, const struct oc_grounds *g, const char *fix);

/* The same of a whole error. Caller frees. */
char *oc_fix_error(const struct oc_error *err);

/* Whether a node may name it: it is about the node's own rules. */
bool oc_remedy_is_of_node(enum oc_remedy remedy);
/* Whether it is a command that works on one node: without its name, on this machine. */
bool oc_remedy_names_node(enum oc_remedy remedy);
/* Whether a gateway may name it that does not let us in. */
bool oc_remedy_is_of_handshake(enum oc_remedy remedy);

#endif
