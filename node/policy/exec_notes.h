/* What is looked at and written down around one command that somebody is asked about: what it was
 * when they were asked, is it still that when it runs, and which entries of the list were used. */
#ifndef NODE_POLICY_EXEC_NOTES_H
#define NODE_POLICY_EXEC_NOTES_H

#include "node/argv/run_params.h"
#include "node/looks/exec_operand.h"
#include "node/looks/looks.h"
#include "node/machine.h"
#include "node/policy/exec_plans.h"
#include "node/policy/exec_policy.h"

#include <stdbool.h>
#include <stdint.h>

struct nd_exec_memory; /* node/policy/exec_remember.h */
struct nd_skill_bins;  /* node/policy/skill_bins.h */

struct nd_exec_notes {
    const struct nd_machine *machine;
    struct nd_skill_bins *skills;  /* NULL: nobody to ask */
    struct nd_exec_memory *memory; /* NULL: what is allowed for good is not kept */
    struct nd_exec_plans plans;    /* commands that wait for an approval */
    uint64_t judged;               /* commands so far, for tests */
};

/* What the owner's policy says about it now. ret needs nd_exec_verdict_finish. */
void nd_exec_notes_judge(struct nd_exec_notes *notes, const cJSON *caller,
        const struct nd_run_params *p, struct nd_exec_verdict *ret);

/* Whether that would be the same now: the owner's files are. What the command's own files are is
 * looked at elsewhere. */
bool nd_exec_is_current(const struct nd_exec_notes *notes, const struct nd_exec_verdict *v);

/* One look at a command (node/looks/looks.h). */
struct nd_exec_looked {
    const struct oc_strv *argv; /* as it was asked for; NULL: as the params have it */
    const char *cwd;            /* where; hardened; may be NULL */
    const char *real;           /* argv[0] after hardening, when found has it as well */
    struct nd_look_found *found;
};
/* For somebody to decide about. remember: what "always" would add. */
void nd_exec_look_of(
        const struct nd_exec_operand *o, const struct oc_strv *remember, struct nd_exec_look *ret);
/* Keeps it for the approved run: under the words as they were given, and as they are after
 * hardening, since approved may be the one or the other. Gives the text of the look that gateways
 * of ours bring along; caller frees. */
char *nd_exec_note_look(struct nd_exec_notes *notes, const struct nd_run_params *p,
        const struct nd_exec_looked *l, const struct oc_strv *remember);

/* Right before a command runs because somebody allowed it. l: what it is now. shown: the look that
 * the person at this machine was asked about; NULL: the gateway vouches. False: *ret_message, which
 * the caller frees, and *ret_grounds refuse it. What "always" would add and nobody was told about
 * is taken out of the verdict. */
bool nd_exec_is_as_approved(struct nd_exec_notes *notes, const struct nd_run_params *p,
        struct nd_exec_verdict *v, const struct nd_exec_looked *l, const struct nd_exec_look *shown,
        char **ret_message, struct oc_grounds *ret_grounds);

/* allow-always: from now on the list allows the programs themselves; ret_remembered, empty, gets
 * those that were added or were there. And when each entry was used last. A note that cannot be
 * written is logged and does not stop the command. */
void nd_exec_note_use(const struct nd_exec_notes *notes, const struct nd_run_params *p,
        const struct nd_exec_verdict *v, struct oc_strv *ret_remembered);

/* {wouldAllow, contentBound, bound, unbound}: which files the approval would be about, what decides
 * about the command and is not among them, and what "always" would add, which is nothing then. */
void nd_exec_put_bound(
        cJSON *o, const struct nd_exec_operand *files, const struct oc_strv *remember);

/* Paths for people and the wire, whatever bytes they have. NULL gives null. */
cJSON *nd_exec_path_json(const char *path);
cJSON *nd_exec_paths_json(const struct oc_strv *paths);

#endif
