/* openclaw nodes describe: one node in full, with the gates each of its commands has passed. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/node_gates.h"
#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/switches.h"
#include "lib/text/fix.h"
#include "lib/text/paste.h"

#include <string.h>

static void add_field(struct cli_table *t, const char *name, const char *value) {
    if (value && *value) {
        cli_table_add(t, name);
        cli_table_add(t, value);
    }
}

static void add_text(struct cli_table *t, const char *name, const cJSON *node, const char *key) {
    OC_AUTO_FREE char *shown = cli_shown(oc_json_get_str(node, key));
    add_field(t, name, shown);
}

static void add_list(struct cli_table *t, const char *name, const cJSON *array) {
    OC_AUTO_FREE char *shown = cli_shown_list(array);
    add_field(t, name, shown);
}

static void add_versions(struct cli_table *t, const cJSON *node) {
    OC_AUTO_FREE char *version = cli_shown(oc_json_get_str(node, "version"));
    OC_AUTO_FREE char *core = cli_shown(oc_json_get_str(node, "coreVersion"));
    OC_AUTO_FREE char *ui = cli_shown(oc_json_get_str(node, "uiVersion"));
    OC_AUTO_FREE char *text = *core || *ui
                                      ? oc_strfmt("%s%s%s%s%s", *core ? "core v" : "", core,
                                                *core && *ui ? " · " : "", *ui ? "ui v" : "", ui)
                              : *version ? oc_strfmt("v%s", version)
                                         : oc_strdup("");
    add_field(t, "Version", text);
}

/* Our nodes say "system.run.denied": false, see node/declare/permissions.c; people read "system.run
 * allowed". */
#define DENIED ".denied"

/* Not what is allowed, but how: they have lines of their own. */
static bool is_remark(const char *name) {
    return oc_ends_with(name, OC_PERMISSION_INSTALLED) || oc_streq(name, OC_PERMISSION_ANNOUNCED) ||
           oc_streq(name, OC_PERMISSION_UNANNOUNCED);
}

static void add_permissions(struct cli_table *t, const cJSON *permissions) {
    OC_AUTO_STRV struct oc_strv all = { 0 };
    const cJSON *p;
    oc_json_for_each_member(p, permissions) {
        OC_AUTO_FREE char *name = cli_shown(p->string);
        size_t len = strlen(name);
        if (is_remark(p->string) || oc_starts_with(name, OC_PERMISSION_SANDBOX)) {
            continue; /* rows of their own */
        }
        bool is_denial = len > strlen(DENIED) && oc_streq(name + len - strlen(DENIED), DENIED);
        bool may = cJSON_IsTrue(p) != is_denial;
        OC_AUTO_FREE char *pair =
                oc_strfmt("%.*s %s", (int)(is_denial ? len - strlen(DENIED) : len), name,
                        may ? "allowed" : "not allowed");
        oc_strv_add(&all, pair);
    }
    OC_AUTO_FREE char *text = oc_strv_join(&all, ", ");
    add_field(t, "Perms", text);
    if (oc_json_get(permissions, OC_PERMISSION_UNANNOUNCED)) {
        add_field(t, "Captures", "announced to the person at the machine");
    } else if (oc_json_get(permissions, OC_PERMISSION_ANNOUNCED)) {
        add_field(t, "Captures", "not announced");
    }
}

static void add_sandbox(struct cli_table *t, const cJSON *permissions) {
    const cJSON *p;
    oc_json_for_each_member(p, permissions) {
        if (oc_starts_with(p->string, OC_PERMISSION_SANDBOX) && oc_ends_with(p->string, DENIED)) {
            OC_AUTO_FREE char *name = cli_shown(p->string + strlen(OC_PERMISSION_SANDBOX));
            name[strlen(name) - strlen(DENIED)] = '\0';
            add_field(t, "Sandbox", name);
            return;
        }
    }
}

static void add_status(struct cli_table *t, const cJSON *node) {
    bool is_up = cli_node_is_connected(node);
    char age[24];
    cli_age(oc_wall_ms(&oc_clock_system),
            oc_json_get_ms(node, is_up ? "connectedAtMs" : "lastConnectedAtMs", 0), age);
    OC_AUTO_FREE char *text = oc_strfmt("%s · %s%s%s%s",
            oc_json_get_bool(node, "paired", false) ? "paired" : "unpaired",
            is_up ? "connected" : "disconnected", *age ? " (" : "", age, *age ? ")" : "");
    cli_table_add(t, "Status");
    cli_table_add_styled(t, text, is_up ? CLI_STYLE_GOOD : CLI_STYLE_DIM);
}

static void print_fields(const cJSON *node) {
    static const char *const headers[] = { "Field", "Value" };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create(headers, OC_COUNT(headers));
    add_text(t, "ID", node, "nodeId");
    add_text(t, "Name", node, "displayName");
    add_text(t, "IP", node, "remoteIp");
    add_text(t, "Platform", node, "platform");
    add_text(t, "Device", node, "deviceFamily");
    add_text(t, "Model", node, "modelIdentifier");
    add_permissions(t, oc_json_get(node, "permissions"));
    add_sandbox(t, oc_json_get(node, "permissions"));
    add_versions(t, node);
    add_text(t, "PATH", node, "pathEnv");
    add_status(t, node);
    const char *pending = oc_json_get_str(node, "pendingRequestId");
    if (!oc_str_blank(pending)) {
        OC_AUTO_FREE char *command =
                oc_paste(CLI_SEE_PENDING, "openclaw nodes approve %s", pending);
        cli_table_add(t, "Approval");
        cli_table_add_styled(t, "approval pending", CLI_STYLE_WARN);
        add_field(t, "Approve", command);
    } else {
        add_text(t, "Approval", node, "approvalState");
    }
    add_list(t, "Caps", oc_json_get(node, "caps"));
    cli_out_heading("Node");
    cli_out_table(t);
}

static void add_gate(struct cli_table *t, const cJSON *gates, const char *key) {
    bool is_open = oc_json_get_bool(gates, key, false);
    cli_table_add_styled(t, is_open ? "yes" : "no", is_open ? CLI_STYLE_GOOD : CLI_STYLE_BAD);
}

/* Only a node of ours says whether its owner allows a command, and only for those that the owner
 * decides about. */
static void add_local_gate(struct cli_table *t, const cJSON *gates) {
    if (oc_json_get(gates, "local")) {
        add_gate(t, gates, "local");
    } else {
        cli_table_add_styled(t, "-", CLI_STYLE_DIM);
    }
}

/* Commands that are shut alike: an approval opens all of them. */
struct fix_group {
    const cJSON *first;
    char *fix;
    struct oc_strv names;
};

static void fix_groups_print(struct fix_group *groups, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct fix_group *g = &groups[i];
        OC_AUTO_FREE char *all = oc_strv_join(&g->names, ", ");
        OC_AUTO_FREE char *gate = cli_shown(oc_json_get_str(g->first, "gate"));
        cli_out_line("%s: %s%s\n  fix: %s", all, *gate ? "shut at gate " : "not connected", gate,
                g->fix);
        oc_strv_finish(&g->names);
        oc_free(g->fix);
    }
}

/* For each command that cannot be used the gate that is shut and the one thing that opens it. The
 * gateway says how many there are: each is read once. */
static void print_fixes(const cJSON *gates) {
    struct oc_map *by_fix = oc_map_create();
    size_t count = 0, most = (size_t)cJSON_GetArraySize(gates);
    struct fix_group *groups = oc_new_array(struct fix_group, most + 1);
    const cJSON *g;
    oc_json_for_each_member(g, gates) {
        OC_AUTO_FREE char *fix = cli_node_gate_fix(g);
        struct fix_group *group = fix ? oc_map_get(by_fix, fix) : NULL;
        if (fix && !group) {
            group = &groups[count++];
            oc_map_put(by_fix, fix, group);
            *group = (struct fix_group){ .first = g, .fix = oc_take(&fix) };
        }
        if (group) {
            OC_AUTO_FREE char *name = cli_shown(g->string);
            oc_strv_add(&group->names, name);
        }
    }
    oc_map_destroy(by_fix);
    fix_groups_print(groups, count);
    oc_free(groups);
}

/* Our gateway says for every command which gates it passes:
 * {"system.run":{"declared","approved","policy","local"?}}, and the grounds of the one that is
 * shut. */
static void print_gates(const cJSON *gates, bool is_up) {
    static const char *const headers[] = { "Command", "Declared", "Approved", "Policy", "Owner",
        "Usable" };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create(headers, OC_COUNT(headers));
    const cJSON *g;
    oc_json_for_each_member(g, gates) {
        OC_AUTO_FREE char *name = cli_shown(g->string);
        bool usable = cli_node_gates_usable(g);
        cli_table_add(t, name);
        add_gate(t, g, "declared");
        add_gate(t, g, "approved");
        add_gate(t, g, "policy");
        add_local_gate(t, g);
        if (is_up) {
            cli_table_add_styled(t, usable ? "yes" : "no", usable ? CLI_STYLE_GOOD : CLI_STYLE_BAD);
        } else {
            cli_table_add_styled(t, "offline", CLI_STYLE_DIM);
        }
    }
    cli_out_table(t);
    cli_out_line("Declared by the node · approved with openclaw nodes approve · allowed by "
                 "gateway.nodes.commands · allowed by the node's owner in exec-approvals.json or "
                 "with openclaw node enable");
    print_fixes(gates);
}

/* What the node's owner keeps from everyone: its commands are not even declared. */
static void print_switches(const cJSON *switches) {
    const cJSON *s;
    oc_json_for_each_member(s, switches) {
        OC_AUTO_FREE char *fix = cli_node_gate_fix(s);
        if (fix) {
            OC_AUTO_FREE char *name = cli_shown(s->string),
                              *gate = cli_shown(oc_json_get_str(s, "gate"));
            cli_out_line("%s: shut at gate %s\n  fix: %s", name, gate, fix);
        }
    }
}

static void print_list(const cJSON *array, const char *when_empty) {
    const cJSON *c;
    bool any = false;
    cJSON_ArrayForEach(c, array) {
        if (cJSON_IsString(c)) {
            OC_AUTO_FREE char *shown = cli_shown(c->valuestring);
            cli_out_line("- %s", shown);
            any = true;
        }
    }
    if (!any) {
        cli_out_line("- %s", when_empty);
    }
}

static void print_commands(const cJSON *node) {
    const cJSON *gates = oc_json_get(node, "gates");
    const cJSON *pending = oc_json_get(node, "pendingDeclaredCommands");
    cli_out_text("\n");
    cli_out_heading("Commands");
    if (cJSON_IsObject(gates) && gates->child) {
        print_gates(gates, cli_node_is_connected(node));
        print_switches(oc_json_get(node, "switches"));
        return;
    }
    print_list(oc_json_get(node, "commands"), pending ? "(none effective)" : "(none reported)");
    if (pending) {
        cli_out_text("\n");
        cli_out_heading("Pending commands");
        print_list(pending, "(none)");
    }
}

static int nodes_describe_run(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *list = NULL, *node = NULL;
    const cJSON *found;
    int code = cli_node_word(cli, 0, 0);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (cli_find_node(cli, &list, &found, &err) != OC_OK ||
            cli_call_tree(cli, "node.describe",
                    cli_params_str("nodeId", oc_json_get_str(found, "nodeId")), &node,
                    &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    cli_node_gates_complete(cli, node);
    if (cli->is_json) {
        cli_out_json(node);
        return CLI_EXIT_OK;
    }
    print_fields(node);
    print_commands(node);
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    CLI_NODE_OPTION,
    { 0 },
};

const struct cli_command cli_command_nodes_describe = {
    .path = "nodes describe",
    .summary = "One node in full: state, commands, and which gates they pass",
    .operands = "[node]",
    .details = "The node may be left out when only one is connected.",
    .examples = "openclaw nodes describe\n"
                "openclaw nodes describe workshop",
    .options = options,
    .calls_gateway = true,
    .max_operands = 1,
    .run = nodes_describe_run,
};
