/* Whose exec-approvals.json an `approvals` command is about: this machine's, or from afar that of a
 * node (--node) or of the gateway (--gateway).
 *
 * Every change is fetch, then store with the hash of what was seen: nobody's change is lost in
 * between. */
#ifndef CLI_APPROVALS_APPROVALS_TARGET_H
#define CLI_APPROVALS_APPROVALS_TARGET_H

#include "cli/command.h"

enum cli_approvals_place { CLI_APPROVALS_LOCAL, CLI_APPROVALS_GATEWAY, CLI_APPROVALS_NODE };
struct cli_approvals_target {
    enum cli_approvals_place place;
    char *node_id; /* NODE; owned */
    char *path;    /* LOCAL; owned */
};
void cli_approvals_target_finish(struct cli_approvals_target *t);
#define CLI_AUTO_APPROVALS_TARGET __attribute__((cleanup(cli_approvals_target_finish)))

#define CLI_APPROVALS_GATEWAY_OPTION \
    { "gateway", 0, CLI_OPT_FLAG, NULL, "the file of the gateway's machine" }

enum oc_code cli_approvals_file_find(
        struct cli_cli *cli, struct cli_approvals_target *ret, struct oc_error *err) OC_MUST_USE;
/* A snapshot: {path, exists, hash, file}. */
enum oc_code cli_approvals_file_fetch(struct cli_cli *cli, const struct cli_approvals_target *t,
        cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The file out of a snapshot, to be changed; a new one when there is none. Caller deletes. */
cJSON *cli_approvals_file_take(cJSON *snapshot);
/* seen: the snapshot the new file was made from; ret: the one after it. */
enum oc_code cli_approvals_file_store(struct cli_cli *cli, const struct cli_approvals_target *t,
        cJSON *take_file, const cJSON *seen, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* Fetches, lets edit make the new file out of the old one (NULL: nothing is to be changed, *ret is
 * NULL then), stores, and begins anew when somebody else changed it meanwhile, so edit may be
 * called several times. */
typedef cJSON *cli_approvals_edit(void *user, cJSON *take_file);
enum oc_code cli_approvals_file_change(struct cli_cli *cli, const struct cli_approvals_target *t,
        cli_approvals_edit *edit, void *user, cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* " --node 1a2b3c4d5e6f" for a command to paste, "" for NULL. Caller frees. */
char *cli_approvals_place_of_node(const char *node_id);
/* The same of a target: also " --gateway", or nothing. Caller frees. */
char *cli_approvals_place_of(const struct cli_approvals_target *t);

#endif
