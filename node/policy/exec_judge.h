/* Would the list allow this command? A pure function of argv, list, environment facts and a view of
 * the files.
 *
 * argv is peeled: dispatch wrappers (nice, timeout …) in front are understood or refused, and a
 * shell that is given its script as an argument is replaced by what node/argv/shell/exec_shell.h
 * reads in it. What is left are programs; each must be satisfied by an entry of the list, by a safe
 * bin or by a skill's program. Carriers (node/argv/exec_carriers.h) never are.
 *
 * What a satisfied judgement says shall run is not the argv that came in but one built from what
 * was understood, with every program named by its real path. */
#ifndef NODE_POLICY_EXEC_JUDGE_H
#define NODE_POLICY_EXEC_JUDGE_H

#include "lib/base/str.h"
#include "lib/json/json.h"
#include "node/argv/paths/exec_path.h"
#include "node/policy/exec_list.h"
#include "node/policy/exec_safe_bins.h"

#include <stdbool.h>
#include <stddef.h>

struct nd_exec_scene {
    const struct nd_exec_fs *fs;
    const char *cwd;             /* absolute */
    const char *path_env, *home; /* home may be NULL */
    const cJSON *shared, *own;   /* allowlists of agents["*"] and of the agent; NULL: empty */
    struct nd_safe_bins safe_bins;
    const struct oc_strv *skills; /* names of programs that skills need; NULL: none count */
    struct nd_exec_tops *tops;    /* the judge's own */
};

/* One program of the command. */
struct nd_exec_part {
    char *path;      /* its real path; NULL when it was not found */
    bool is_carrier; /* it runs whatever it is told, so it is never remembered */
    bool is_satisfied;
    const cJSON *entry; /* of the lists that allows it, borrowed; NULL: something else does */
};

struct nd_exec_judgement {
    bool is_satisfied;
    bool is_script; /* a shell was given a script */
    char *why;      /* not satisfied: the first thing that was missing or not understood */
    char *missing;  /* not satisfied: the real path that an entry would have to name, if that is all
                     */
    struct oc_strv argv;        /* satisfied: what shall run … */
    char *path;                 /* … and from which file … */
    char *cwd;                  /* … and in which directory; NULL: where it was asked to */
    struct nd_exec_part *parts; /* as far as the command was understood; none if it was not */
    size_t count;
};

void nd_exec_judge(const struct nd_exec_scene *scene, const struct oc_strv *argv,
        struct nd_exec_judgement *ret);
void nd_exec_judgement_finish(struct nd_exec_judgement *j);

#endif
