/* openclaw config set and unset: one change in the owner's file, the rest stays as written. */
#include "cli/command.h"

#include "cli/gateway/secret.h"
#include "cli/gateway/target.h"
#include "cli/output.h"
#include "cli/text.h"
#include "gateway/settings/config_check.h"
#include "lib/base/mem.h"
#include "lib/config/config_edit.h"
#include "lib/config/config_file.h"
#include "lib/config/config_path.h"
#include "lib/config/config_redact.h"
#include "lib/config/config_schema.h"
#include "lib/files/file.h"
#include "node/config_check.h"

#include <string.h>

/* JSON5 when it is, else the text itself: `set gateway.bind lan` needs no quotes for quotes. */
static cJSON *value_of(const char *text) {
    cJSON *v = NULL;
    struct oc_error ignored;
    return oc_json5_parse(text, strlen(text), &v, &ignored) == OC_OK ? v : cJSON_CreateString(text);
}

/* Hidden by its own name, not by the section it is in: webhook.port is a number. */
static bool is_credential(const char *path) {
    const char *dot = strrchr(path, '.'), *leaf = dot ? dot + 1 : path;
    return oc_starts_with(path, "env.") || (oc_config_is_secret(leaf) && !strcasestr(leaf, "hook"));
}

static bool config_edit_concerns(const char *issue_path, const char *path) {
    size_t n = strlen(path), m = strlen(issue_path);
    return strncmp(issue_path, path, n < m ? n : m) == 0;
}

/* What is wrong with this setting now. Mistakes elsewhere in the file were there before and do not
 * stand in the way. */
static enum oc_code check_result(struct cli_cli *cli, const struct oc_config_file *before,
        const struct oc_config_file *after, const char *path, bool is_new, struct oc_error *err) {
    const cJSON *issue = NULL;
    cJSON_ArrayForEach(issue, after->issues) {
        const char *where = oc_json_get_str(issue, "path");
        bool is_whole_file = oc_str_blank(where);
        if (is_whole_file ? before->issues->child == NULL : config_edit_concerns(where, path)) {
            const char *message = oc_json_get_str(issue, "message");
            return oc_fail(err, OC_E_INVALID, "%s%s%s", is_whole_file ? "" : where,
                    is_whole_file ? "" : " ", message ? message : "is wrong");
        }
    }
    cJSON_ArrayForEach(issue, after->warnings) {
        const char *where = oc_json_get_str(issue, "path");
        if (where && config_edit_concerns(where, path)) {
            OC_AUTO_FREE char *text = oc_config_issue_text(issue);
            if (is_new && !cli_args_has(&cli->args, "force")) {
                cli_set_fix(cli, "openclaw config schema lists all settings; --force sets it all "
                                 "the same");
                return oc_fail(err, OC_E_INVALID, "%s", text);
            }
            cli_note("warning: %s", text);
        }
    }
    return OC_OK;
}

/* Settings that go together are changed one by one, so half a change is no error. */
static void warn_if_unusable(struct oc_config_file *after) {
    OC_AUTO_FREE char *state_dir = oc_dir_state();
    gw_check_file(after, state_dir);
    if (after->issues->child) {
        OC_AUTO_FREE char *text = oc_config_issue_text(after->issues->child);
        cli_note("warning: a gateway does not start with this yet: %s", text);
    }
}

/* A node that runs here starts no command while its settings make no sense, so a change does not
 * bring that about. */
static enum oc_code check_node(
        struct oc_config_file *before, struct oc_config_file *after, struct oc_error *err) {
    OC_AUTO_FREE char *state_dir = oc_dir_state(), *home = oc_dir_home();
    if (after->issues->child) {
        return OC_OK; /* of other settings, and told by those who read them */
    }
    nd_check_file(before, state_dir, home);
    nd_check_file(after, state_dir, home);
    const cJSON *issue = after->issues->child;
    if (!issue || before->issues->child) {
        return OC_OK; /* or on the way to something better */
    }
    if (oc_streq(oc_json_get_str(issue, "path"), ND_CHECK_PLACE)) {
        OC_AUTO_FREE char *text = oc_config_issue_text(issue);
        cli_note("warning: %s", text);
        return OC_OK;
    }
    return oc_fail(err, OC_E_INVALID, "%s: %s", oc_json_get_str(issue, "path"),
            oc_json_get_str(issue, "message"));
}

/* Of an item, whether its list is. */
static bool is_set(const cJSON *config, const char *path) {
    OC_AUTO_FREE char *list = oc_strndup(path, strcspn(path, "["));
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    struct oc_error ignored;
    return oc_config_path_parse(list, &parts, &ignored) == OC_OK &&
           oc_config_path_get(config, &parts, parts.count);
}

/* A setting that has moved is changed where it stands: under both names it would hold twice. */
static char *name_in_file(const cJSON *config, const char *path) {
    OC_AUTO_FREE char *other = oc_config_other_spelling(path);
    if (!other || is_set(config, path) || !is_set(config, other)) {
        return oc_strdup(path);
    }
    cli_note("note: the file has it as %s", other);
    return oc_take(&other);
}

/* What is missing on the way is made: objects, and lists for [0]. */
static enum oc_code config_edit_set(struct oc_config_file *f, const char *path,
        struct oc_strv *parts, const cJSON *value, struct oc_error *err) {
    size_t there = 0;
    while (there < parts->count && oc_config_path_get(f->resolved, parts, there + 1)) {
        there++;
    }
    OC_AUTO_JSON cJSON *whole = NULL;
    enum oc_code rc = oc_config_path_wrap(path, there + 1, value, &whole, err);
    if (rc != OC_OK) {
        return rc;
    }
    while (parts->count > there + 1) {
        oc_free(parts->items[--parts->count]);
    }
    return oc_config_edit_set(&f->raw, f->resolved, parts, whole, err);
}

static int config_edit_change(struct cli_cli *cli, const char *given, const cJSON *value) {
    struct oc_error err;
    OC_AUTO_FREE char *file = oc_path_config();
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    OC_AUTO_CONFIG_FILE struct oc_config_file before = { 0 }, after = { 0 };
    oc_config_file_read(file, &before);
    OC_AUTO_FREE char *path = name_in_file(before.resolved, given);
    if (oc_config_path_parse(path, &parts, &err) != OC_OK) {
        return cli_usage(cli, "%s", err.text);
    }
    enum oc_code rc = value ? config_edit_set(&before, path, &parts, value, &err)
                            : oc_config_edit_unset(&before.raw, before.resolved, &parts, &err);
    if (rc == OC_E_INVALID) {
        oc_error_prefix(&err, "%s", file);
    }
    struct oc_slice text = { before.raw.data ? before.raw.data : "", before.raw.len };
    oc_config_file_from_text(file, text, &after);
    if (rc == OC_OK) {
        rc = check_result(cli, &before, &after, path, value != NULL, &err);
    }
    if (rc == OC_OK) {
        rc = check_node(&before, &after, &err);
    }
    bool was_right = !after.issues->child;
    if (rc == OC_OK) {
        rc = oc_config_file_write(file, &before.raw, &err);
    }
    if (rc != OC_OK) {
        return cli_fail(cli, &err);
    }
    OC_AUTO_FREE char *shown = cli_shown(path);
    cli_out_line("%s %s in %s", shown, value ? "set" : "removed", file);
    if (was_right) {
        warn_if_unusable(&after);
    } else {
        OC_AUTO_FREE char *other = oc_config_issue_text(after.issues->child);
        cli_note("warning: the file is not taken over before this is corrected: %s", other);
    }
    return CLI_EXIT_OK;
}

static int run_set(struct cli_cli *cli) {
    const char *path = cli->args.rest.items[0];
    bool from_stdin = cli->args.rest.count < 2;
    if (from_stdin == !cli_args_has(&cli->args, "stdin")) {
        return cli_usage(cli, from_stdin ? "<value> is missing" : "--stdin or a value, not both");
    }
    OC_AUTO_SECRET char *line = NULL;
    struct oc_error err;
    bool is_secret = oc_config_is_secret(path);
    if (is_secret && !from_stdin) {
        cli_args_wipe(&cli->args, 1); /* others can read our argv for as long as we run */
    }
    if (from_stdin && cli_secret_from_file("-", path, &line, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    const char *given = from_stdin ? line : cli->args.rest.items[1];
    OC_AUTO_JSON cJSON *value =
            cli_args_has(&cli->args, "text") ? cJSON_CreateString(given) : value_of(given);
    if (cJSON_IsNumber(value) && is_credential(path)) {
        cJSON_Delete(value); /* a token of digits is still a text */
        value = cJSON_CreateString(given);
    }
    return config_edit_change(cli, path, value);
}

static const struct cli_option set_options[] = {
    { "text", 0, CLI_OPT_FLAG, NULL, "the value is a text, whatever it looks like" },
    { "stdin", 0, CLI_OPT_FLAG, NULL, "read the value from stdin; for secrets" },
    { "force", 0, CLI_OPT_FLAG, NULL, "set what nobody here knows, too" },
    { 0 },
};

const struct cli_command cli_command_config_set = {
    .path = "config set",
    .summary = "Change one setting",
    .operands = "<path> [value]",
    .details =
            "The value is JSON5, or a plain text. Comments and everything else in the file stay.\n"
            "A running gateway or node takes the change over by itself.",
    .examples = "openclaw config set gateway.port 18790",
    .options = set_options,
    .min_operands = 1,
    .max_operands = 2,
    .run = run_set,
};

static int run_unset(struct cli_cli *cli) {
    return config_edit_change(cli, cli->args.rest.items[0], NULL);
}

const struct cli_command cli_command_config_unset = {
    .path = "config unset",
    .summary = "Remove one setting, so that its default holds",
    .operands = "<path>",
    .examples = "openclaw config unset gateway.port",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_unset,
};
