/* openclaw __complete: names for the shell's completion, one a line. Quick, and silent when there
 * is nothing to say: somebody waits at the prompt. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/output.h"
#include "lib/base/mem.h"
#include "lib/config/config_schema.h"

#include <string.h>

#define QUICK_MS 1000
#define MAX_NAMES 500

/* Names come from peers, and land on a command line: the shell quotes them, and what is not plain
 * text does not get there. */
static bool is_plain(const char *text) {
    OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), SIZE_MAX);
    return *text && text[0] != '-' && strcmp(shown, text) == 0;
}

static void add_plain(struct oc_strv *names, const char *text) {
    if (text && is_plain(text) && names->count < MAX_NAMES) {
        oc_strv_add_unique(names, text);
    }
}

static void complete_nodes(struct cli_cli *cli, struct oc_strv *ret) {
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *nodes = NULL, *node;
    struct oc_error ignored;
    if (cli_node_list(cli, &list, &nodes, &ignored) == OC_OK) {
        cJSON_ArrayForEach(node, nodes) {
            const char *name = oc_json_get_str(node, "displayName");
            add_plain(ret, name && is_plain(name) ? name : oc_json_get_str(node, "nodeId"));
        }
    }
}

static void complete_requests(struct cli_cli *cli, struct oc_strv *ret) {
    CLI_AUTO_WAITING struct cli_waiting waiting = { 0 };
    struct oc_error ignored;
    if (cli_waiting_load(cli, &waiting, &ignored) == OC_OK) {
        for (size_t i = 0; i < waiting.count; i++) {
            add_plain(ret, waiting.items[i].id);
        }
    }
}

/* The members `key` of what a list of the gateway's holds under `member`; NULL: it is the list. */
static void complete_listed(struct cli_cli *cli, const char *method, const char *member,
        const char *key, struct oc_strv *ret) {
    OC_AUTO_JSON cJSON *answer = NULL;
    struct oc_error ignored;
    const cJSON *item;
    if (cli_call_tree(cli, method, cJSON_CreateObject(), &answer, &ignored) == OC_OK) {
        const cJSON *list = member ? oc_json_get(answer, member) : answer;
        cJSON_ArrayForEach(item, list) {
            add_plain(ret, oc_json_get_str(item, key));
        }
    }
}

static void complete_config(struct oc_strv *ret) {
    size_t count;
    const struct oc_config_key *keys = oc_config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (!(keys[i].flags & OC_CONFIG_FOREIGN) && !strchr(keys[i].path, '*')) {
            add_plain(ret, keys[i].path);
        }
    }
}

static int complete_run(struct cli_cli *cli) {
    OC_AUTO_STRV struct oc_strv names = { 0 };
    const char *kind = cli->args.rest.items[0];
    if (strcmp(kind, "nodes") == 0) {
        complete_nodes(cli, &names);
    } else if (strcmp(kind, "requests") == 0) {
        complete_requests(cli, &names);
    } else if (strcmp(kind, "device-requests") == 0) {
        complete_listed(cli, "device.pair.list", "pending", "requestId", &names);
    } else if (strcmp(kind, "devices") == 0) {
        complete_listed(cli, "device.pair.list", "paired", "deviceId", &names);
    } else if (strcmp(kind, "approvals") == 0) {
        complete_listed(cli, "exec.approval.list", NULL, "id", &names);
    } else if (strcmp(kind, "config") == 0) {
        complete_config(&names);
    }
    for (size_t i = 0; i < names.count; i++) {
        cli_out_line("%s", names.items[i]);
    }
    return CLI_EXIT_OK;
}

const struct cli_command cli_command_complete = {
    .path = "__complete",
    .summary = "Names for the shell's completion",
    .operands = "nodes|requests|device-requests|devices|approvals|config",
    .examples = "openclaw __complete nodes",
    .is_hidden = true,
    .calls_gateway = true,
    .timeout_ms = QUICK_MS,
    .min_operands = 1,
    .max_operands = 1,
    .run = complete_run,
};
