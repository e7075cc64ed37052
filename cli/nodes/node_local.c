#include "cli/nodes/node_local.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/protocol/switches.h"
#include "lib/state/exec_approvals.h"
#include "node/commands/commands.h"
#include "node/helper/helper.h"
#include "node/owner/switches.h"
#include "node/policy/exec_rules.h"
#include "node/sandbox/sandbox.h"
#include "node/status_file.h"
#include "platform/platform.h"

#include <string.h>

static cJSON *commands_of(const struct nd_commands *all,
        bool (*is_one)(const struct nd_command *c, const char *name), const char *name) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < all->count; i++) {
        if (is_one(all->rows[i], name)) {
            cJSON_AddItemToArray(list, cJSON_CreateString(all->rows[i]->name));
        }
    }
    return list;
}

static bool needs_switch(const struct nd_command *c, const char *name) {
    return oc_streq(c->switch_name, name);
}

static bool needs_helper(const struct nd_command *c, const char *name) {
    return oc_streq(c->helper, name);
}

static cJSON *node_local_switches(const struct nd_commands *commands) {
    cJSON *all = cJSON_CreateObject();
    size_t count;
    const struct nd_switch *kinds = nd_switches(&count);
    for (size_t i = 0; i < count; i++) {
        OC_AUTO_FREE char *any = oc_strfmt("%s.", kinds[i].name);
        const struct oc_switch *known = oc_switch_of(any);
        cJSON *list = commands_of(commands, needs_switch, kinds[i].name);
        cJSON *s = cJSON_AddObjectToObject(all, kinds[i].name);
        oc_json_set_bool(s, "on", nd_switch_is_on(commands->machine->switches_path, kinds[i].name));
        oc_json_set_str(s, "summary", kinds[i].summary);
        if (known && list->child) {
            oc_json_set_str(s, "package", known->package);
            oc_json_set_bool(s, "installed", nd_switch_is_able(commands, kinds[i].name));
        }
        oc_json_set(s, "commands", list);
    }
    return all;
}

static cJSON *node_local_helpers(const struct nd_commands *commands) {
    cJSON *all = cJSON_CreateObject();
    for (size_t i = 0; i < commands->count; i++) {
        const char *name = commands->rows[i]->helper;
        if (!name || oc_json_get(all, name)) {
            continue;
        }
        OC_AUTO_FREE char *path = nd_helper_find(name);
        cJSON *h = cJSON_AddObjectToObject(all, name);
        oc_json_set_bool(h, "installed", path != NULL);
        oc_json_set_str(h, "path", path);
        oc_json_set_str(h, "package", name);
        oc_json_set(h, "commands", commands_of(commands, needs_helper, name));
    }
    return all;
}

/* Programs that a command can do without; what is missing then. */
static cJSON *node_local_parts(void) {
    static const struct {
        const char *program, *does;
    } known[] = {
        { ND_HELPER_CANVAS_WINDOW, "the canvas is drawn, but not shown on a screen here" },
        { ND_HELPER_WEB, "the canvas shows A2UI surfaces, but no web pages" },
    };
    cJSON *all = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(known); i++) {
        cJSON *p = cJSON_AddObjectToObject(all, known[i].program);
        oc_json_set_bool(p, "installed", nd_helper_is_installed(known[i].program));
        oc_json_set_str(p, "without", known[i].does);
    }
    return all;
}

static cJSON *node_local_exec(const struct cli_node_local_opts *opts, const char *approvals) {
    cJSON *o = cJSON_CreateObject();
    struct nd_exec_rules rules;
    struct oc_error err;
    if (nd_exec_rules_read(approvals, opts->config, NULL, &rules, &err) == OC_OK) {
        oc_json_set_str(o, "security", nd_exec_security_name(rules.security));
        oc_json_set_str(o, "ask", nd_exec_ask_name(rules.ask));
    } else {
        oc_json_set_str(o, "error", err.text);
    }
    oc_json_set_str(o, "path", approvals);
    return o;
}

static char *node_local_sandbox(const struct cli_node_local_opts *opts, const char *approvals) {
    struct nd_sandbox *s = NULL;
    struct oc_error err;
    if (nd_sandbox_create(&(struct nd_sandbox_opts){ .platform = &os_native,
                                  .config = opts->config,
                                  .state_dir = opts->state_dir,
                                  .approvals_path = approvals,
                                  .is_only_asking = true },
                &s, &err) != OC_OK) {
        return oc_strfmt("not possible: %s", err.text);
    }
    char *summary = nd_sandbox_summary(s);
    nd_sandbox_destroy(s);
    return summary;
}

cJSON *cli_node_local(const struct cli_node_local_opts *opts) {
    OC_AUTO_FREE char *switches_path = oc_path_join(opts->state_dir, ND_SWITCHES_FILE);
    OC_AUTO_FREE char *approvals = oc_exec_approvals_path(opts->home);
    OC_AUTO_FREE char *sandbox_text = node_local_sandbox(opts, approvals);
    struct nd_machine machine = { .platform = &os_native,
        .config = opts->config,
        .approvals_path = approvals,
        .switches_path = switches_path };
    struct nd_commands commands = nd_node_commands(&machine, NULL);
    cJSON *doc = cJSON_CreateObject(), *status = NULL;
    struct oc_error err;
    enum oc_code rc = nd_status_file_read(opts->state_dir, &status, &err);
    oc_json_set_bool(doc, "running", rc != OC_E_NOT_FOUND);
    oc_json_set(doc, "node", status);
    oc_json_set(doc, "switches", node_local_switches(&commands));
    if (nd_switches_check(switches_path, &err) != OC_OK) {
        OC_AUTO_FREE char *why = oc_strfmt("%s: %s", switches_path, err.text);
        oc_json_set_str(doc, "switchesError", why);
    }
    oc_json_set(doc, "helpers", node_local_helpers(&commands));
    oc_json_set(doc, "parts", node_local_parts());
    oc_json_set(doc, "exec", node_local_exec(opts, approvals));
    oc_json_set_str(doc, "sandbox", sandbox_text);
    return doc;
}
