#include "cli/approvals/approvals_target.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/state/exec_approvals.h"
#include "lib/text/paste.h"

#include <string.h>
#include <time.h>

enum { MAX_TRIES = 20, PAUSE_MS = 25 };

void cli_approvals_target_finish(struct cli_approvals_target *t) {
    oc_free(t->node_id);
    oc_free(t->path);
}

/* This machine's own unless somebody else's is named: whoever sits at a node decides there without
 * any gateway. */
enum oc_code cli_approvals_file_find(
        struct cli_cli *cli, struct cli_approvals_target *ret, struct oc_error *err) {
    bool is_node = cli_args_has(&cli->args, "node"),
         is_gateway = cli_args_has(&cli->args, "gateway");
    if (is_node && is_gateway) {
        return oc_fail(err, OC_E_INVALID, "--node and --gateway are two different files");
    }
    ret->place = is_node      ? CLI_APPROVALS_NODE
                 : is_gateway ? CLI_APPROVALS_GATEWAY
                              : CLI_APPROVALS_LOCAL;
    if (ret->place == CLI_APPROVALS_LOCAL) {
        OC_AUTO_FREE char *home = oc_dir_home();
        ret->path = oc_exec_approvals_path(home);
        return OC_OK;
    }
    if (ret->place == CLI_APPROVALS_GATEWAY) {
        return OC_OK;
    }
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *node;
    enum oc_code rc = cli_find_node(cli, &list, &node, err);
    if (rc == OC_OK) {
        ret->node_id = oc_strdup(oc_json_get_str(node, "nodeId"));
    }
    return rc;
}

enum oc_code cli_approvals_file_fetch(struct cli_cli *cli, const struct cli_approvals_target *t,
        cJSON **ret, struct oc_error *err) {
    if (t->place == CLI_APPROVALS_LOCAL) {
        return oc_exec_approvals_snapshot(t->path, ret, err);
    }
    if (t->place == CLI_APPROVALS_GATEWAY) {
        return cli_call_tree(cli, "exec.approvals.get", cJSON_CreateObject(), ret, err);
    }
    return cli_call_tree(
            cli, "exec.approvals.node.get", cli_params_str("nodeId", t->node_id), ret, err);
}

cJSON *cli_approvals_file_take(cJSON *snapshot) {
    cJSON *file = cJSON_DetachItemFromObjectCaseSensitive(snapshot, "file");
    file = file ? file : cJSON_CreateObject();
    if (!oc_json_get(file, "version")) {
        oc_json_set_int(file, "version", 1);
    }
    return file;
}

static enum oc_code store_here(const struct cli_approvals_target *t, const cJSON *file,
        const char *hash, cJSON **ret, struct oc_error *err) {
    enum oc_code rc = oc_exec_approvals_check(file, "", err);
    return rc == OC_OK ? oc_exec_approvals_replace(t->path, file, hash, ret, err) : rc;
}

enum oc_code cli_approvals_file_store(struct cli_cli *cli, const struct cli_approvals_target *t,
        cJSON *take_file, const cJSON *seen, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *file = take_file;
    const char *hash = oc_json_get_str(seen, "hash");
    if (t->place == CLI_APPROVALS_LOCAL) {
        return store_here(t, file, hash, ret, err);
    }
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "nodeId", t->node_id);
    oc_json_set(params, "file", oc_take(&file));
    oc_json_set_str(params, "baseHash", hash);
    return cli_call_tree(cli,
            t->place == CLI_APPROVALS_NODE ? "exec.approvals.node.set" : "exec.approvals.set",
            params, ret, err);
}

/* Somebody else was faster, or is at it: what they wrote is the new start. */
static bool is_contended(
        enum oc_code rc, const struct cli_approvals_target *t, const struct oc_error *err) {
    if (t->place == CLI_APPROVALS_LOCAL) {
        return rc == OC_E_CANCELLED || rc == OC_E_UNAVAILABLE;
    }
    return err->grounds.cause == OC_CAUSE_FILE_CHANGED;
}

enum oc_code cli_approvals_file_change(struct cli_cli *cli, const struct cli_approvals_target *t,
        cli_approvals_edit *edit, void *user, cJSON **ret, struct oc_error *err) {
    for (int tries = 1;; tries++) {
        OC_AUTO_JSON cJSON *seen = NULL;
        enum oc_code rc = cli_approvals_file_fetch(cli, t, &seen, err);
        if (rc != OC_OK) {
            return rc;
        }
        cJSON *file = edit(user, cli_approvals_file_take(seen));
        if (!file) {
            *ret = NULL;
            return OC_OK;
        }
        rc = cli_approvals_file_store(cli, t, file, seen, ret, err);
        if (rc == OC_OK || !is_contended(rc, t, err)) {
            return rc;
        }
        if (tries == MAX_TRIES) {
            oc_error_prefix(err, "nothing was changed, try again");
            return rc;
        }
        struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
        nanosleep(&pause, NULL);
    }
}

char *cli_approvals_place_of_node(const char *node_id) {
    OC_AUTO_FREE char *id = node_id ? oc_paste_id(node_id) : NULL;
    return id ? oc_paste(" --node <its id>", " --node %s", id) : oc_strdup("");
}

char *cli_approvals_place_of(const struct cli_approvals_target *t) {
    return t->place == CLI_APPROVALS_GATEWAY ? oc_strdup(" --gateway")
                                             : cli_approvals_place_of_node(t->node_id);
}
