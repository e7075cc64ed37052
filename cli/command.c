/* What commands share: time limits, actions, and failing in a way that helps. */
#include "cli/command.h"

#include "cli/output.h"
#include "lib/base/mem.h"
#include "lib/text/fix.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 10000
#define ANSWER_MARGIN_MS 5000

int64_t cli_timeout_ms(const struct cli_cli *cli) {
    int def = cli->command->timeout_ms > 0 ? cli->command->timeout_ms : DEFAULT_TIMEOUT_MS;
    int64_t ms = cli_args_int(&cli->args, "timeout", def);
    return ms > 0 ? ms : def;
}

int64_t cli_answer_ms(const struct cli_cli *cli, int64_t node_ms) {
    int64_t ms = cli_timeout_ms(cli), enough = node_ms + ANSWER_MARGIN_MS;
    return cli_args_has(&cli->args, "timeout") || ms > enough ? ms : enough;
}

void cli_set_fix(struct cli_cli *cli, const char *fmt, ...) {
    char line[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    oc_free(cli->fix);
    cli->fix = oc_strdup(line);
}

/* Whoever asked for a document gets one, also when there is nothing else to say, and always with
 * the same members. */
static void print_error(const char *type, const char *code, const char *message,
        const struct oc_grounds *g, const char *fix) {
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    cJSON *error = cJSON_CreateObject();
    oc_json_set_bool(doc, "ok", false);
    oc_json_set_str(error, "type", type);
    oc_json_set_str(error, "code", code);
    oc_json_set_str_or_null(error, "cause", oc_cause_name(g->cause));
    oc_json_set_str(error, "message", message);
    oc_json_set_str_or_null(error, "gate", oc_gate_name(g->gate));
    oc_json_set_str_or_null(error, "subject", g->subject[0] ? g->subject : NULL);
    oc_json_set_str_or_null(error, "fix", fix);
    oc_json_set(doc, "error", error);
    cli_out_json(doc);
}

/* What failed here has no code of the gateway's: NOT_FOUND, CANCELLED … */
static void own_code(enum oc_code code, char ret[24]) {
    snprintf(ret, 24, "%s", oc_code_name(code));
    for (char *c = ret; *c; c++) {
        *c = (char)(isalpha((unsigned char)*c) ? toupper((unsigned char)*c) : '_');
    }
}

int cli_fail(struct cli_cli *cli, const struct oc_error *err) {
    if (!cli->fix) {
        cli->fix = oc_fix_text(&err->grounds);
    }
    if (cli->is_json) {
        char own[24];
        own_code(err->code, own);
        print_error("cli_error", cli->error_code ? cli->error_code : own, err->text, &err->grounds,
                cli->fix);
    }
    const char *gate = oc_gate_name(err->grounds.gate);
    cli_note("%s failed: %s", cli->command->path, err->text);
    if (cli->fix && gate) {
        cli_note("  fix: %s (gate: %s)", cli->fix, gate);
    } else if (cli->fix || gate) {
        cli_note("  %s: %s", gate ? "gate" : "fix", gate ? gate : cli->fix);
    }
    return CLI_EXIT_FAILED;
}

const struct cli_action *cli_action_find(
        const struct cli_command *c, const char *const *words, size_t count) {
    for (const struct cli_action *a = c->actions; a && a->name && count > 0; a++) {
        const char *space = strchr(a->name, ' ');
        size_t len = space ? (size_t)(space - a->name) : strlen(a->name);
        bool first = strlen(words[0]) == len && strncmp(a->name, words[0], len) == 0;
        if (first && (!space || (count > 1 && strcmp(space + 1, words[1]) == 0))) {
            return a;
        }
    }
    return NULL;
}

bool cli_option_is_of(const struct cli_option *o, const char *action) {
    size_t len = strlen(action);
    for (const char *at = o->actions; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strcspn(at, "|") == len && strncmp(at, action, len) == 0) {
            return true;
        }
    }
    return !o->actions;
}

const char *cli_misplaced(const struct cli_cli *cli, const char *action) {
    for (const struct cli_option *o = cli->command->options; o && o->name; o++) {
        if (cli_args_has(&cli->args, o->name) && !cli_option_is_of(o, action)) {
            return o->name;
        }
    }
    return NULL;
}

int cli_usage(const struct cli_cli *cli, const char *fmt, ...) {
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    OC_AUTO_FREE char *help = oc_strfmt("openclaw %s --help", cli->command->path);
    if (cli->is_json) {
        print_error("usage_error", "USAGE", line, &(struct oc_grounds){ 0 }, help);
    }
    cli_note("openclaw %s: %s", cli->command->path, line);
    cli_note("Try: %s", help);
    return CLI_EXIT_USAGE;
}

cJSON *cli_params_str(const char *key, const char *value) {
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, key, value);
    return params;
}
