/* The file exec-approvals.json as it travels: snapshots, and replacing it as a whole
 * (docs/PROTOCOL.md#exec-approvals).
 *
 * Node and gateway both have one, and operators edit either from afar. What a program may do is
 * decided from the file by node/policy/exec_policy.c; nothing here judges.
 *
 * A file that its owner made read-only, or that belongs to somebody else, is shown but never
 * replaced: `chmod 400` is how the owner of a machine keeps the last word.
 *
 * Our programs change the file one at a time: each holds exec-approvals.json.lock from reading it
 * to replacing it, and none waits for that lock. What a program that knows no lock wrote in between
 * stays, too. */
#ifndef LIB_STATE_EXEC_APPROVALS_H
#define LIB_STATE_EXEC_APPROVALS_H

#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stddef.h>
#include <stdint.h>

/* <home>/.openclaw/exec-approvals.json, wherever the state directory is. Caller frees. */
char *oc_exec_approvals_path(const char *home_dir);

/* {path, exists, hash, file}; the token of the socket is left out of file. A damaged file is
 * OC_E_CORRUPT and not the same as none. */
enum oc_code oc_exec_approvals_snapshot(
        const char *path, cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* Whether this is such a file; the text reads like the reference's, with `where` as the JSON
 * pointer's beginning. */
enum oc_code oc_exec_approvals_check(
        const cJSON *file, const char *where, struct oc_error *err) OC_MUST_USE;

/* Replaces the file, if it is still what the caller has seen: base_hash is the hash of the
 * snapshot. OC_E_EXISTS: there is a file and base_hash is NULL. OC_E_CANCELLED: it changed since.
 * OC_E_UNAVAILABLE: another program is changing it just now. ret_snapshot is what is there now. */
enum oc_code oc_exec_approvals_replace(const char *path, const cJSON *file, const char *base_hash,
        cJSON **ret_snapshot, struct oc_error *err) OC_MUST_USE;

/* Adds a program to an agent's list, unless it is there. OC_E_CANCELLED and OC_E_UNAVAILABLE as
 * above. */
enum oc_code oc_exec_approvals_allow(const char *path, const char *agent_id, const char *pattern,
        int64_t now_ms, struct oc_error *err) OC_MUST_USE;

/* An entry that let a command run, and which file that was. */
struct oc_exec_use {
    const char *pattern, *resolved_path;
};
/* Notes lastUsedAt, lastUsedCommand and lastResolvedPath in the agent's entries, or in those for
 * all agents ("*"). What was noted less than a minute ago and has not changed is not written again;
 * a file that is not ours to write, a link to one, or one that somebody is changing, is left
 * alone. */
enum oc_code oc_exec_approvals_note_use(const char *path, const char *agent_id,
        const struct oc_exec_use *uses, size_t count, const char *command, int64_t now_ms,
        struct oc_error *err) OC_MUST_USE;

#endif
