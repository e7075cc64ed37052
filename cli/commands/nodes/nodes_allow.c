/* openclaw nodes allow and deny: the gateway's command policy (gate 3), changed through the
 * gateway, so that it works from wherever an administrator is. Entries that are there stay. */
#include "cli/command.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "gateway/settings/policy.h"
#include "lib/base/mem.h"
#include "lib/base/nearest.h"
#include "lib/config/config_path.h"

#include <string.h>

#define ALLOW "gateway.nodes.commands.allow"
#define DENY "gateway.nodes.commands.deny"
#define OLD_ALLOW "gateway.nodes.allowCommands"
#define OLD_DENY "gateway.nodes.denyCommands"

/* 2026.2.26 knows nothing but the older names; every other gateway takes the newer ones. */
struct lists {
    const char *allow_path, *deny_path;
    struct oc_strv allow, deny, old_deny;
    bool is_old;
};

static void read_list(const cJSON *config, const char *path, struct oc_strv *ret) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, oc_json_path(config, path)) {
        if (cJSON_IsString(item)) {
            oc_strv_add_unique(ret, item->valuestring);
        }
    }
}

static void lists_finish(struct lists *l) {
    oc_strv_finish(&l->allow);
    oc_strv_finish(&l->deny);
    oc_strv_finish(&l->old_deny);
}

static struct lists lists_read(const struct cli_cli *cli, const cJSON *config) {
    bool is_old = oc_json_get_int(cli_rpc_hello(cli->rpc), "protocol", 1, INT16_MAX, 0) < 4;
    struct lists l = {
        .allow_path = is_old ? OLD_ALLOW : ALLOW,
        .deny_path = is_old ? OLD_DENY : DENY,
        .is_old = is_old,
    };
    read_list(config, l.allow_path, &l.allow);
    read_list(config, l.deny_path, &l.deny);
    if (!is_old) {
        read_list(config, OLD_DENY, &l.old_deny);
    }
    return l;
}

/* Some are open on no platform unless they are listed. */
static bool is_default_somewhere(const char *command) {
    static const enum gw_platform_class classes[] = { GW_PLAT_UNKNOWN, GW_PLAT_LINUX, GW_PLAT_MACOS,
        GW_PLAT_WINDOWS, GW_PLAT_IOS, GW_PLAT_ANDROID };
    struct gw_policy none = { 0 };
    for (size_t i = 0; i < OC_COUNT(classes); i++) {
        if (gw_policy_allows(&none, classes[i], command)) {
            return true;
        }
    }
    return false;
}

static void nodes_allow_allow(struct lists *l, const char *command) {
    bool was_denied = oc_strv_has(&l->deny, command) || oc_strv_has(&l->old_deny, command);
    oc_strv_remove(&l->deny, command);
    oc_strv_remove(&l->old_deny, command);
    if (!was_denied || !is_default_somewhere(command)) {
        oc_strv_add_unique(&l->allow, command);
    }
}

static void nodes_allow_deny(struct lists *l, const char *command) {
    oc_strv_add_unique(&l->deny, command);
}

/* {"gateway":{"nodes":{…}}} with the list at the path, when it changed. */
static void put_list(cJSON *patch, cJSON *replaced, const cJSON *config, const char *path,
        const struct oc_strv *now) {
    OC_AUTO_STRV struct oc_strv before = { 0 };
    read_list(config, path, &before);
    bool is_same = before.count == now->count;
    for (size_t i = 0; is_same && i < now->count; i++) {
        is_same = oc_strv_has(&before, now->items[i]);
    }
    if (is_same) {
        return;
    }
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    struct oc_error ignored;
    if (oc_config_path_parse(path, &parts, &ignored) != OC_OK) {
        return;
    }
    cJSON *at = patch;
    for (size_t i = 0; i + 1 < parts.count; i++) {
        cJSON *next = cJSON_GetObjectItemCaseSensitive(at, parts.items[i]);
        at = next ? next : cJSON_AddObjectToObject(at, parts.items[i]);
    }
    oc_json_set_strv(at, parts.items[parts.count - 1], now);
    cJSON_AddItemToArray(replaced, cJSON_CreateString(path));
}

/* NULL: everything is as wanted. */
static cJSON *nodes_allow_change(const struct cli_cli *cli, const cJSON *seen, bool is_allow) {
    const cJSON *config = oc_json_get(seen, "resolved");
    config = config ? config : oc_json_get(seen, "config");
    struct lists l = lists_read(cli, config);
    for (size_t i = 0; i < cli->args.rest.count; i++) {
        (is_allow ? nodes_allow_allow : nodes_allow_deny)(&l, cli->args.rest.items[i]);
    }
    OC_AUTO_JSON cJSON *patch = cJSON_CreateObject(), *replaced = cJSON_CreateArray();
    put_list(patch, replaced, config, l.allow_path, &l.allow);
    put_list(patch, replaced, config, l.deny_path, &l.deny);
    if (!l.is_old) {
        put_list(patch, replaced, config, OLD_DENY, &l.old_deny);
    }
    cJSON *params = NULL;
    if (patch->child) {
        OC_AUTO_FREE char *raw = oc_json_print(patch, false);
        params = cli_params_str("raw", raw);
        oc_json_set_str(params, "baseHash", oc_json_get_str(seen, "hash"));
        if (!l.is_old) {
            oc_json_set(params, "replacePaths", oc_take(&replaced));
        }
    }
    lists_finish(&l);
    return params;
}

/* What nodes of this gateway say they have, whether it may be used or not. */
static void add_offered(struct cli_cli *cli, struct oc_strv *known) {
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *nodes = NULL, *node, *gate;
    struct oc_error ignored;
    if (cli_node_list(cli, &list, &nodes, &ignored) != OC_OK) {
        return;
    }
    cJSON_ArrayForEach(node, nodes) {
        OC_AUTO_STRV struct oc_strv names = { 0 }, pending = { 0 };
        oc_json_get_strv(node, "commands", &names);
        oc_json_get_strv(node, "pendingDeclaredCommands", &pending);
        for (size_t i = 0; i < names.count + pending.count; i++) {
            oc_strv_add_unique(
                    known, i < names.count ? names.items[i] : pending.items[i - names.count]);
        }
        const cJSON *gates = oc_json_get(node, "gates");
        oc_json_for_each_member(gate, gates) {
            oc_strv_add_unique(known, gate->string);
        }
    }
}

/* A typing error would be kept, and change nothing. */
static enum oc_code check_names(struct cli_cli *cli, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv known = { 0 };
    gw_policy_known(&known);
    if (cli_args_has(&cli->args, "force")) {
        return OC_OK;
    }
    if (!oc_strv_covers(&known, &cli->args.rest)) {
        add_offered(cli, &known);
    }
    for (size_t i = 0; i < cli->args.rest.count; i++) {
        const char *name = cli->args.rest.items[i];
        if (oc_strv_has(&known, name)) {
            continue;
        }
        OC_AUTO_FREE char *shown = oc_printable(name, strlen(name), 60);
        const char *near = oc_nearest(name, (const char *const *)known.items, known.count);
        OC_AUTO_FREE char *near_shown = near ? oc_printable(near, strlen(near), 60) : NULL;
        cli_set_fix(cli, "openclaw nodes describe shows what a node offers; --force insists");
        return oc_fail(err, OC_E_INVALID, "no node offers %s%s%s%s", shown,
                near ? "; did you mean " : "", near ? near_shown : "", near ? "?" : "");
    }
    return OC_OK;
}

static int run_as(struct cli_cli *cli, bool is_allow) {
    struct oc_error err;
    if (check_names(cli, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    OC_AUTO_JSON cJSON *seen = NULL, *done = NULL;
    if (cli_call_tree(cli, "config.get", cJSON_CreateObject(), &seen, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    cJSON *params = nodes_allow_change(cli, seen, is_allow);
    bool is_changed = params != NULL;
    if (is_changed && cli_call_tree(cli, "config.patch", params, &done, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
        oc_json_set_strv(o, is_allow ? "allowed" : "denied", &cli->args.rest);
        oc_json_set_bool(o, "changed", is_changed);
        cli_out_json(o);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *names = oc_strv_join(&cli->args.rest, ", ");
    OC_AUTO_FREE char *shown = cli_shown(names);
    cli_out_line("%s: %s by the gateway's command policy%s", shown, is_allow ? "allowed" : "denied",
            is_changed ? "" : " (as before)");
    return CLI_EXIT_OK;
}

static int run_allow(struct cli_cli *cli) {
    return run_as(cli, true);
}

static int run_deny(struct cli_cli *cli) {
    return run_as(cli, false);
}

static const struct cli_option options[] = {
    { "force", 0, CLI_OPT_FLAG, NULL, "also a command that no node offers yet" },
    { 0 },
};

const struct cli_command cli_command_nodes_allow = {
    .path = "nodes allow",
    .summary = "Let commands through to nodes: the gateway's command policy",
    .operands = "<command...>",
    .details = "Takes them off gateway.nodes.commands.deny, or adds them to "
               "gateway.nodes.commands.allow.\n"
               "New commands of a node still wait for openclaw nodes approve.",
    .examples = "openclaw nodes allow screen.record",
    .options = options,
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 64,
    .run = run_allow,
};

const struct cli_command cli_command_nodes_deny = {
    .path = "nodes deny",
    .summary = "Let commands through to no node any more",
    .operands = "<command...>",
    .details = "Adds them to gateway.nodes.commands.deny, which wins over everything that allows.",
    .examples = "openclaw nodes deny camera.snap camera.clip",
    .options = options,
    .calls_gateway = true,
    .min_operands = 1,
    .max_operands = 64,
    .run = run_deny,
};
