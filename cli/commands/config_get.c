/* openclaw config get, path, schema: looking at the settings. */
#include "cli/command.h"

#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/config/config_file.h"
#include "lib/config/config_path.h"
#include "lib/config/config_redact.h"
#include "lib/config/config_schema.h"
#include "lib/files/file.h"

#include <string.h>

static void print_plain(const cJSON *v) {
    if (cJSON_IsString(v)) {
        OC_AUTO_SECRET char *shown = oc_printable(v->valuestring, strlen(v->valuestring), 65536);
        cli_out_line("%s", shown);
    } else {
        cli_out_json(v);
    }
}

static int fail_unset(struct cli_cli *cli, const char *path, const char *file) {
    struct oc_error err;
    const struct oc_config_key *key = oc_config_key_find(path);
    OC_AUTO_FREE char *shown = cli_shown(path);
    if (key && key->def && strcmp(key->path, path) == 0) {
        cli_set_fix(cli, "nothing to do: without it %s is used", key->def);
    }
    oc_fail(&err, OC_E_NOT_FOUND, "%s is not set in %s", shown, file);
    return cli_fail(cli, &err);
}

/* A setting that has moved, written in its other place. */
static const cJSON *under_other_name(const cJSON *config, const char *path) {
    OC_AUTO_FREE char *other = oc_config_other_spelling(path);
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    struct oc_error ignored;
    if (!other || oc_config_path_parse(other, &parts, &ignored) != OC_OK) {
        return NULL;
    }
    const cJSON *v = oc_config_path_get(config, &parts, parts.count);
    if (v) {
        cli_note("note: the file has it as %s", other);
    }
    return v;
}

static int run_get(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_FREE char *file = oc_path_config();
    const char *path = cli->args.rest.count > 0 ? cli->args.rest.items[0] : NULL;
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    if (path && oc_config_path_parse(path, &parts, &err) != OC_OK) {
        return cli_usage(cli, "%s", err.text);
    }
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    oc_config_file_read(file, &f);
    /* A wrong type somewhere is no reason not to show the rest; a text that cannot be read is. */
    if (f.exists && !f.config->child && oc_config_file_verdict(&f, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (!cli_args_has(&cli->args, "show-secrets")) {
        oc_config_redact(f.config);
    }
    const cJSON *v = oc_config_path_get(f.config, &parts, parts.count);
    if (!v && path) {
        v = under_other_name(f.config, path);
    }
    if (!v) {
        return fail_unset(cli, path ? path : "", file);
    }
    if (cli->is_json) {
        cli_out_json(v);
    } else {
        print_plain(v);
    }
    return CLI_EXIT_OK;
}

static const struct cli_option get_options[] = {
    { "json", 0, CLI_OPT_FLAG, NULL, "print JSON, also for a single text" },
    { "show-secrets", 0, CLI_OPT_FLAG, NULL, "print tokens and passwords as they are" },
    { 0 },
};

const struct cli_command cli_command_config_get = {
    .path = "config get",
    .summary = "Show the settings, or one of them",
    .operands = "[path]",
    .details = "Included files and ${NAME} are resolved. Secrets are hidden.",
    .examples = "openclaw config get\n"
                "openclaw config get gateway.port",
    .options = get_options,
    .max_operands = 1,
    .run = run_get,
};

static int run_path(struct cli_cli *cli) {
    (void)cli;
    OC_AUTO_FREE char *file = oc_path_config();
    cli_out_line("%s", file);
    return CLI_EXIT_OK;
}

const struct cli_command cli_command_config_path = {
    .path = "config path",
    .summary = "Show which file the settings are in",
    .examples = "openclaw config path",
    .run = run_path,
};

static int run_schema(struct cli_cli *cli) {
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *schema = oc_config_json_schema();
        cli_out_json(schema);
        return CLI_EXIT_OK;
    }
    size_t count;
    const struct oc_config_key *keys = oc_config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        const struct oc_config_key *k = &keys[i];
        if (k->flags & OC_CONFIG_FOREIGN) {
            continue;
        }
        cli_out_line("%s", k->path);
        cli_out_line("    %s%s%s%s%s", k->summary, k->allowed ? "; " : "",
                k->allowed ? k->allowed : "", k->def ? "; default " : "", k->def ? k->def : "");
    }
    return CLI_EXIT_OK;
}

static const struct cli_option schema_options[] = {
    { "json", 0, CLI_OPT_FLAG, NULL, "print a JSON schema, also of what other programs use" },
    { 0 },
};

const struct cli_command cli_command_config_schema = {
    .path = "config schema",
    .summary = "Show what can be set",
    .examples = "openclaw config schema",
    .options = schema_options,
    .run = run_schema,
};
