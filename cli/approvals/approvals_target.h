/* Whose exec-approvals.json an `approvals` command is about: this machine's, or from afar that of a node (--node) or of the
 * gateway (--gateway).
 *
 * Every change is fetch, then store with the hash of what was seen: nobody's change is lost in between. */
#ifndef CLI_APPROVALS_APPROVALS_TARGET_H
#define CLI_APPROVALS_APPROVALS_TARGET_H

#include "cli/command.h"

enum oc_approvals_place { OC_APPROVALS_LOCAL, OC_APPROVALS_GATEWAY, OC_APPROVALS_NODE };
struct oc_approvals_target {
    enum oc_approvals_place place;
    char *node_id; /* NODE; owned */
    char *path;    /* LOCAL; owned */
};
void oc_approvals_target_finish(struct oc_approvals_target *t);
#define OC_AUTO_APPROVALS_TARGET __attribute__((cleanup(oc_approvals_target_finish)))

#define OC_APPROVALS_GATEWAY_OPTION \
    { "gateway", 0, OC_OPT_FLAG, NULL, "the file of the gateway's machine" }

enum oc_code oc_approvals_file_find(
        struct oc_cli *cli, struct oc_approvals_target *ret, struct oc_error *err) OC_MUST_USE;
/* A snapshot: {path, exists, hash, file}. */
enum oc_code oc_approvals_file_fetch(struct oc_cli *cli, const struct oc_approvals_target *t,
        cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The file out of a snapshot, to be changed; a new one when there is none. Caller deletes. */
cJSON *oc_approvals_file_take(cJSON *snapshot);
/* seen: the snapshot the new file was made from; ret: the one after it. */
enum oc_code oc_approvals_file_store(struct oc_cli *cli, const struct oc_approvals_target *t,
        cJSON *take_file, const cJSON *seen, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* Fetches, lets edit make the new file out of the old one (NULL: nothing is to be changed, *ret is NULL then), stores, and
 * begins anew when somebody else changed it meanwhile, so edit may be called several times. */
typedef cJSON *oc_approvals_edit(void *user, cJSON *take_file);
enum oc_code oc_approvals_file_change(struct oc_cli *cli, const struct oc_approvals_target *t,
        oc_approvals_edit *edit, void *user, cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* " --node 1a2b3c4d5e6f" for a command to paste, "" for NULL. Caller frees. */
char *oc_approvals_place(const char *node_id);

#endif
