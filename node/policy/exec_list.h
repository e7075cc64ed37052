/* One allowlist of exec-approvals.json against one program (docs/EXEC.md#allowlist).
 *
 * An entry names a real path: it is compared with what is left when all links are resolved, so that
 * a link which is turned to another program takes no permission along. The one link that is
 * followed for an entry is a directory right below the root, such as /bin. Restrictions we do not
 * understand make an entry worthless, never wider. */
#ifndef NODE_POLICY_EXEC_LIST_H
#define NODE_POLICY_EXEC_LIST_H

#include "lib/base/str.h"
#include "lib/json/json.h"
#include "node/argv/paths/exec_path.h"

/* What directories right below the root really are, looked at once each: lists are long, and the
 * same few stand at the beginning of all entries. A zeroed one is empty; good for one command,
 * since links change. */
struct nd_exec_tops {
    struct oc_strv dirs, real; /* the same order */
};
void nd_exec_tops_finish(struct nd_exec_tops *t);

struct nd_exec_subject {
    const char *real_path;      /* of the program */
    const struct oc_strv *argv; /* its own, without wrappers */
    const char *cwd, *home;     /* absolute; home may be NULL */
    const struct nd_exec_fs *fs;
    struct nd_exec_tops *tops;
};

/* The first entry that allows it, borrowed; NULL when none does. list is an array of entries or
 * NULL. */
const cJSON *nd_exec_list_find(const cJSON *list, const struct nd_exec_subject *subject);

/* An entry with this path as its pattern allows this file and no other. */
bool nd_exec_list_can_name(const char *path);

/* The pattern of an entry, borrowed; NULL when it has none. */
const char *nd_exec_entry_pattern(const cJSON *entry);

#endif
