#include "cli/approvals/allowlist_pattern.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/argv/exec_carriers.h"
#include "node/argv/paths/exec_path.h"
#include "node/policy/exec_glob.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define ASK_MS 10000

static cJSON *ask_node(struct cli_cli *cli, const struct cli_approvals_target *t,
        const char *command, cJSON *take_params) {
    char key[OC_UUID_LEN + 1];
    oc_uuid4(key);
    cJSON *params = cli_params_str("nodeId", t->node_id), *answer = NULL;
    oc_json_set_str(params, "command", command);
    oc_json_set(params, "params", take_params);
    oc_json_set_int(params, "timeoutMs", ASK_MS);
    oc_json_set_str(params, "idempotencyKey", key);
    struct oc_error ignored;
    return cli_call_tree(cli, "node.invoke", params, &answer, &ignored) == OC_OK ? answer : NULL;
}

static cJSON *one_of(const char *key, const char *word) {
    cJSON *params = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(params, key), cJSON_CreateString(word));
    return params;
}

/* The node's own words about its own files; NULL when it has none. Caller frees. */
static char *find_there(
        struct cli_cli *cli, const struct cli_approvals_target *t, const char *program) {
    OC_AUTO_FREE char *path = strchr(program, '/') ? oc_strdup(program) : NULL;
    if (!path) {
        OC_AUTO_JSON cJSON *found = ask_node(cli, t, "system.which", one_of("bins", program));
        path = oc_strdup(oc_json_get_str(oc_json_path(found, "payload.bins"), program));
    }
    if (!path) {
        return NULL;
    }
    OC_AUTO_JSON cJSON *plan = ask_node(cli, t, "system.run.prepare", one_of("command", path));
    const cJSON *approval = oc_json_path(plan, "payload.approval");
    const cJSON *argv = oc_json_path(plan, "payload.plan.argv");
    const char *real = approval ? oc_json_get_str(approval, "resolvedPath")
                                : cJSON_GetStringValue(cJSON_GetArrayItem(argv, 0));
    if (!plan && !strchr(program, '/')) { /* where nothing runs, nothing more is told */
        real = path;
    }
    return real && real[0] == '/' ? oc_strdup(real) : NULL;
}

static char *find_here(const char *program) {
    OC_AUTO_FREE char *found = NULL, *plain = oc_starts_with(program, "~/") ? oc_path_user(program)
                                                                            : oc_strdup(program);
    return nd_exec_find(plain, NULL, nd_exec_search_path(), &found) == 0 ? nd_exec_real(found)
                                                                         : NULL;
}

char *cli_allowlist_real(
        struct cli_cli *cli, const struct cli_approvals_target *t, const char *program) {
    return t->place == CLI_APPROVALS_LOCAL  ? find_here(program)
           : t->place == CLI_APPROVALS_NODE ? find_there(cli, t, program)
                                            : NULL;
}

static enum oc_code check_carrier(struct cli_cli *cli, const struct cli_approvals_target *t,
        const char *path, struct oc_error *err) {
    const char *name = nd_path_name(path);
    if (!nd_exec_is_carrier(name)) {
        return OC_OK;
    }
    OC_AUTO_FREE char *shown = cli_shown(name), *place = cli_approvals_place_of(t);
    cli_set_fix(
            cli, "openclaw approvals allowlist add <path of the program that it runs>%s", place);
    return oc_fail(err, OC_E_INVALID,
            "%s runs any other command that it is given, so no list allows it; add the programs "
            "that it is to run (wrappers and sh -c are looked into), approve such commands when "
            "asked, or allow everything (security full)",
            shown);
}

/* A pattern that names more than one program, or may. */
static enum oc_code check_glob(const char *pattern, struct oc_error *err) {
    if (strcmp(pattern, "*") == 0 || pattern[0] == '/' || oc_starts_with(pattern, "~/")) {
        return OC_OK;
    }
    OC_AUTO_FREE char *shown = cli_shown(pattern);
    return oc_fail(err, OC_E_INVALID,
            "%s would never match: patterns are compared with the full path of a program; begin it "
            "with / or ~/",
            shown);
}

static void warn_of_missing(const struct cli_approvals_target *t, const char *pattern) {
    OC_AUTO_FREE char *shown = cli_shown(pattern);
    struct stat st;
    if (t->place == CLI_APPROVALS_LOCAL && stat(pattern, &st) == 0 && S_ISDIR(st.st_mode)) {
        cli_note("%s is a directory; its programs are: '%s/*'", shown, shown);
    } else if (t->place == CLI_APPROVALS_GATEWAY) {
        cli_note("Lists are compared with the real path: if %s is a link there, name what it leads "
                 "to.",
                shown);
    } else {
        cli_note("There is no program %s %s now; the entry counts once there is one, and it is no "
                 "link.",
                shown, t->place == CLI_APPROVALS_LOCAL ? "here" : "that the node can name");
    }
}

enum oc_code cli_allowlist_pattern(struct cli_cli *cli, const struct cli_approvals_target *t,
        char **pattern, struct oc_error *err) {
    OC_AUTO_FREE char *copy = oc_strdup(*pattern);
    const char *given = oc_trim(copy);
    OC_AUTO_FREE char *shown = cli_shown(given);
    if (!*given) {
        return oc_fail(err, OC_E_INVALID, "the path of a program is needed");
    }
    if (given[nd_exec_glob_literal(given)]) {
        return check_glob(given, err);
    }
    enum oc_code rc = check_carrier(cli, t, given, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_FREE char *real = cli_allowlist_real(cli, t, given);
    if (!real && given[0] != '/' && !oc_starts_with(given, "~/")) {
        return oc_fail(err, OC_E_NOT_FOUND,
                "%s is not a path, and %s; a name alone never matches, so give the full path of "
                "the program",
                shown,
                t->place == CLI_APPROVALS_LOCAL  ? "there is no such program on the PATH here"
                : t->place == CLI_APPROVALS_NODE ? "the node does not say which program that is"
                                                 : "the gateway does not say which program it is");
    }
    if (!real) {
        warn_of_missing(t, given);
        return OC_OK;
    }
    rc = check_carrier(cli, t, real, err);
    if (rc == OC_OK && strcmp(real, given) != 0) {
        OC_AUTO_FREE char *target = cli_shown(real);
        cli_note("%s is %s%s, and that is what lists are compared with.", shown, target,
                t->place == CLI_APPROVALS_LOCAL ? "" : " on the node");
        oc_free(*pattern);
        *pattern = oc_take(&real);
    }
    return rc;
}
