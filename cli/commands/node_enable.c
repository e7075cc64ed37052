/* openclaw node enable, disable: what the owner of this machine lets gateways use of it. */
#include "cli/command.h"

#include "cli/output.h"
#include "lib/base/mem.h"
#include "lib/base/nearest.h"
#include "lib/config/config.h"
#include "lib/files/file.h"
#include "lib/protocol/switches.h"
#include "node/commands/commands.h"
#include "node/owner/switches.h"
#include "node/status_file.h"
#include "platform/platform.h"

#include <string.h>

static const char *const known[] = { "announce", "approvals", "camera", "canvas", "location",
    "screen" };

/* The commands behind a switch. */
static void list_commands(const struct nd_commands *all, const char *name, struct oc_strv *ret) {
    for (size_t i = 0; i < all->count; i++) {
        if (oc_streq(all->rows[i]->switch_name, name)) {
            oc_strv_add(ret, all->rows[i]->name);
        }
    }
}

static int check_names(const struct cli_cli *cli) {
    const struct oc_strv *names = &cli->args.rest;
    for (size_t i = 0; i < names->count; i++) {
        if (!nd_switch_find(names->items[i])) {
            OC_AUTO_FREE char *shown = oc_printable(names->items[i], strlen(names->items[i]), 60);
            const char *near = oc_nearest(names->items[i], known, OC_COUNT(known));
            return near ? cli_usage(cli, "there is no switch '%s'; did you mean %s?", shown, near)
                        : cli_usage(cli,
                                  "there is no switch '%s'; there are announce, approvals, camera, "
                                  "canvas, location, screen",
                                  shown);
        }
    }
    return CLI_EXIT_OK;
}

/* What it means, in a line or two. */
static void explain_on(const char *name, const cJSON *config) {
    struct nd_machine machine = { .platform = &os_native, .config = config };
    struct nd_commands all = nd_node_commands(&machine, NULL);
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    list_commands(&all, name, &commands);
    OC_AUTO_FREE char *joined = oc_strv_join(&commands, ", ");
    if (strcmp(name, "announce") == 0) {
        cli_out_line("announce is on: a notification tells the person at this machine about every "
                     "capture.");
        return;
    }
    if (strcmp(name, "approvals") == 0) {
        cli_out_line(
                "approvals is on: administrators of gateways that this node is connected to may "
                "change which programs run here (%s).",
                joined);
        return;
    }
    if (commands.count == 0) {
        cli_out_line("%s is on, but this version has no command that needs it.", name);
        return;
    }
    cli_out_line("%s is on: gateways that this node is connected to may use %s.", name, joined);
    if (!nd_switch_is_able(&all, name)) {
        cli_out_line("  The program for it is missing: install the package %s.",
                oc_switch_of(commands.items[0])->package);
    }
}

static void explain_off(const char *name) {
    if (strcmp(name, "announce") == 0) {
        cli_out_line(
                "announce is off: captures happen without a notification, and gateways are told "
                "that they do.");
    } else if (strcmp(name, "approvals") == 0) {
        cli_out_line(
                "approvals is off: exec-approvals.json is changed at this machine only (openclaw "
                "approvals), and through your own gateway on it.");
    } else {
        cli_out_line("%s is off: its commands are refused from now on.", name);
    }
}

static void explain_next(const char *state_dir, const char *switches_path, bool on, bool captures) {
    OC_AUTO_JSON cJSON *status = NULL;
    struct oc_error err;
    bool runs = nd_status_file_read(state_dir, &status, &err) != OC_E_NOT_FOUND;
    if (on) {
        cli_out_line(
                "The gateway's owner has to approve new commands; on the gateway run: openclaw "
                "nodes approve");
        if (!captures) {
            /* what the canvas shows is seen anyway */
        } else if (nd_switch_is_on(switches_path, "announce")) {
            cli_out_line("Every capture is announced with a notification (openclaw node disable "
                         "announce ends that).");
        } else {
            cli_out_line(
                    "Captures are not announced (openclaw node enable announce changes that).");
        }
    }
    cli_out_line(runs ? "The node that runs here tells its gateway by itself."
                      : "No node runs here now; the next openclaw node run takes it over.");
}

static void print_json(const char *switches_path, bool changed) {
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    cJSON *switches = cJSON_AddObjectToObject(doc, "switches");
    for (size_t i = 0; i < OC_COUNT(known); i++) {
        oc_json_set_bool(switches, known[i], nd_switch_is_on(switches_path, known[i]));
    }
    oc_json_set_bool(doc, "changed", changed);
    oc_json_set_str(doc, "path", switches_path);
    cli_out_json(doc);
}

static int set_all(struct cli_cli *cli, bool on) {
    struct oc_error err;
    const struct oc_strv *names = &cli->args.rest;
    OC_AUTO_FREE char *state_dir = oc_dir_state();
    OC_AUTO_FREE char *switches_path = oc_path_join(state_dir, ND_SWITCHES_FILE);
    int wrong = check_names(cli);
    if (wrong != CLI_EXIT_OK) {
        return wrong;
    }
    if (oc_dir_ensure_private(state_dir, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    /* Without it (it may be broken) what a node offers can only be said less exactly. */
    OC_AUTO_FREE char *config_path = oc_path_config();
    OC_AUTO_JSON cJSON *config = NULL;
    (void)!oc_config_load(config_path, &config, &err);
    bool changed = false, gives = false, captures = false;
    for (size_t i = 0; i < names->count; i++) {
        bool was = nd_switch_is_on(switches_path, names->items[i]);
        /* Also what is so already: then the owner has said it, whatever the default becomes. */
        if (nd_switch_set(switches_path, names->items[i], on, &err) != OC_OK) {
            if (err.code == OC_E_CORRUPT || err.code == OC_E_INVALID) {
                cli_set_fix(cli, "remove %s, which switches everything off", switches_path);
            }
            return cli_fail(cli, &err);
        }
        changed = changed || was != on;
        bool brings_commands = strcmp(names->items[i], "announce") != 0 &&
                               strcmp(names->items[i], "approvals") != 0;
        gives = gives || brings_commands;
        captures = captures || (brings_commands && strcmp(names->items[i], "canvas") != 0);
        if (!cli->is_json && on) {
            explain_on(names->items[i], config);
        } else if (!cli->is_json) {
            explain_off(names->items[i]);
        }
    }
    if (cli->is_json) {
        print_json(switches_path, changed);
    } else {
        explain_next(state_dir, switches_path, on && gives, captures);
    }
    return CLI_EXIT_OK;
}

static int run_enable(struct cli_cli *cli) {
    return set_all(cli, true);
}

static int run_disable(struct cli_cli *cli) {
    return set_all(cli, false);
}

static const struct cli_option options[] = {
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

const struct cli_command cli_command_node_enable = {
    .path = "node enable",
    .summary = "Let gateways use camera, screen, location or canvas of this machine",
    .operands = "camera|screen|location|canvas|approvals|announce…",
    .details = "All but announce are off until they are switched on here, at the machine; no "
               "gateway can "
               "do it.\n"
               "A node that runs takes the change over at once. The gateway's owner still has to "
               "approve the new\n"
               "commands (openclaw nodes approve). announce shows a notification at every capture. "
               "approvals lets\n"
               "administrators of a gateway change exec-approvals.json; your own gateway on this "
               "machine may anyway.",
    .examples = "openclaw node enable camera\n"
                "openclaw node enable screen location",
    .options = options,
    .min_operands = 1,
    .max_operands = (size_t)-1,
    .run = run_enable,
};

const struct cli_command cli_command_node_disable = {
    .path = "node disable",
    .summary = "Switch camera, screen, location, canvas or announcements off again",
    .operands = "camera|screen|location|canvas|approvals|announce…",
    .details =
            "Commands that need it are refused from this moment on, also those that are approved.",
    .examples = "openclaw node disable camera",
    .options = options,
    .min_operands = 1,
    .max_operands = (size_t)-1,
    .run = run_disable,
};
