#include "cli/service/service_install.h"

#include "cli/output.h"
#include "cli/service/service.h"
#include "cli/service/service_env.h"
#include "cli/service/systemctl.h"
#include "cli/service/unit_text.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/files/file.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION_WITH_STEPS 254 /* of systemd: RestartSteps= */
#define PAIR_CODE "OPENCLAW_PAIR_CODE"

void cli_service_plan_finish(struct cli_service_plan *p) {
    oc_strv_finish(&p->words);
    oc_strv_finish(&p->env);
    cJSON_Delete(p->secrets);
}

void cli_service_plan_pass(
        struct cli_service_plan *p, const struct cli_args *args, const char *name) {
    if (cli_args_has(args, name)) {
        OC_AUTO_FREE char *word = oc_strfmt("--%s=%s", name, cli_args_text(args, name));
        oc_strv_add(&p->words, word);
    }
}

void cli_service_plan_pass_flag(
        struct cli_service_plan *p, const struct cli_args *args, const char *name) {
    if (cli_args_has(args, name)) {
        OC_AUTO_FREE char *word = oc_strfmt("--%s", name);
        oc_strv_add(&p->words, word);
    }
}

void cli_service_plan_secret(struct cli_service_plan *p, const char *name, const char *value) {
    const char *secret = oc_str_blank(value) ? getenv(name) : value;
    if (!oc_str_blank(secret)) {
        p->secrets = p->secrets ? p->secrets : cJSON_CreateObject();
        oc_json_set_str(p->secrets, name, secret);
    }
}

char *cli_service_linger_hint(void) {
    const struct passwd *pw = getpwuid(geteuid());
    return cli_service_lingers()
                   ? NULL
                   : oc_strfmt("it ends when you log out, and starts when you log in; "
                               "for always: loginctl enable-linger %s",
                             pw ? pw->pw_name : "");
}

static void add_variable(struct oc_strv *env, const char *name, const char *value) {
    if (value && *value) {
        OC_AUTO_FREE char *entry = oc_strfmt("%s=%s", name, value);
        oc_strv_add(env, entry);
    }
}

/* What decides which files are ours, so that the service finds those of whoever installs it.
 * Relative ones made absolute: a service has another directory. */
static void add_environment(struct oc_strv *env) {
    static const char *const as_they_are[] = { "OPENCLAW_INCLUDE_ROOTS", "OPENCLAW_GATEWAY_PORT",
        "OPENCLAW_ALLOW_INSECURE_PRIVATE_WS", "SSL_CERT_FILE", "SSL_CERT_DIR" };
    OC_AUTO_FREE char *home = oc_dir_home(), *state = oc_dir_state(), *config = oc_path_config();
    const char *told_home = getenv("OPENCLAW_HOME"), *told_state = getenv("OPENCLAW_STATE_DIR"),
               *told_config = getenv("OPENCLAW_CONFIG_PATH");
    add_variable(env, "OPENCLAW_HOME", told_home && *told_home ? home : NULL);
    add_variable(env, "OPENCLAW_STATE_DIR", told_state && *told_state ? state : NULL);
    add_variable(env, "OPENCLAW_CONFIG_PATH", told_config && *told_config ? config : NULL);
    for (size_t i = 0; i < OC_COUNT(as_they_are); i++) {
        add_variable(env, as_they_are[i], getenv(as_they_are[i]));
    }
}

/* systemd leaves out lines that are not UTF-8, and starts the service without them. */
static enum oc_code check_words(const struct oc_strv *words, struct oc_error *err) {
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        if (!oc_utf8_valid(word, strlen(word))) {
            OC_AUTO_FREE char *shown = oc_printable(word, strlen(word), 200);
            return oc_fail(err, OC_E_INVALID, "no unit can hold what is not UTF-8: %s", shown);
        }
    }
    return OC_OK;
}

static enum oc_code service_install_compose(const struct cli_service_plan *p,
        const struct cli_service *s, int version, char **ret, struct oc_error *err) {
    OC_AUTO_FREE char *program = cli_service_program();
    OC_AUTO_FREE char *rewrite = oc_strfmt("openclaw %s install", p->group);
    OC_AUTO_STRV struct oc_strv argv = { 0 }, env = { 0 };
    if (!program) {
        return oc_fail(err, OC_E_NOT_FOUND,
                "this program is no longer where it was started from; run the installed one");
    }
    if (strpbrk(program, "'\"\\\r\n")) {
        return oc_fail(err, OC_E_INVALID,
                "systemd starts no program with quotes or backslashes in its path: %s", program);
    }
    if (strpbrk(s->env_path, "\r\n")) {
        return oc_fail(err, OC_E_INVALID,
                "the name of the state directory has a line break in it, which no unit can hold");
    }
    oc_strv_add(&argv, program);
    oc_strv_add(&argv, p->group);
    oc_strv_add(&argv, "run");
    for (size_t i = 0; i < p->words.count; i++) {
        oc_strv_add(&argv, p->words.items[i]);
    }
    add_environment(&env);
    for (size_t i = 0; i < p->env.count; i++) {
        oc_strv_add(&env, p->env.items[i]);
    }
    enum oc_code rc = check_words(&argv, err);
    rc = rc == OC_OK ? check_words(&env, err) : rc;
    if (rc != OC_OK) {
        return rc;
    }
    *ret = cli_unit_text(&(struct cli_unit){ .description = p->description,
            .rewrite = rewrite,
            .argv = &argv,
            .env = &env,
            .env_path = s->env_path,
            .runs_commands = p->runs_commands,
            .backs_off = version >= VERSION_WITH_STEPS });
    return *ret ? OC_OK
                : oc_fail(err, OC_E_TOO_LARGE,
                          "the options and variables of the service are too long for a unit");
}

/* What an earlier install was given, and what the owner added by hand, stays. A setup code is for
 * once. */
static enum oc_code write_secrets(const struct cli_service_plan *p, const struct cli_service *s,
        bool *ret_changed, struct oc_error *err) {
    OC_AUTO_JSON cJSON *values = NULL;
    enum oc_code rc = cli_service_env_read(s->env_path, &values, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(values, PAIR_CODE);
    const cJSON *v;
    oc_json_for_each_member(v, p->secrets) {
        if (oc_json_get(values,
                    v->string)) { /* in its place: the order says whether something is new */
            cJSON_ReplaceItemInObjectCaseSensitive(
                    values, v->string, cJSON_CreateString(v->valuestring));
        } else {
            oc_json_set_str(values, v->string, v->valuestring);
        }
    }
    return cli_service_env_write(s->env_path, values, ret_changed, err);
}

static enum oc_code check_owner(
        struct cli_cli *cli, const struct cli_service *s, const char *old, struct oc_error *err) {
    if (!old || cli_unit_is_ours(old) || cli_args_has(&cli->args, "force")) {
        return OC_OK;
    }
    cli_set_fix(cli, "openclaw %s install --force", s->group);
    return oc_fail(err, OC_E_DENIED, "%s is not from this program, and would be overwritten",
            s->unit_path);
}

static enum oc_code write_files(struct cli_cli *cli, const struct cli_service_plan *p,
        const struct cli_service *s, int version, bool *ret_changed, struct oc_error *err) {
    OC_AUTO_FREE char *old = cli_service_read(s), *text = NULL;
    OC_AUTO_FREE char *dir = oc_strndup(s->unit_path, strlen(s->unit_path) - strlen(s->unit) - 1);
    bool has_new_secrets = false;
    enum oc_code rc = check_owner(cli, s, old, err);
    rc = rc == OC_OK ? service_install_compose(p, s, version, &text, err) : rc;
    rc = rc == OC_OK ? oc_dir_ensure_private(s->state_dir, err) : rc;
    rc = rc == OC_OK ? oc_dir_ensure_private(dir, err) : rc;
    /* The secrets first: a unit without them would be started and refused. */
    rc = rc == OC_OK ? write_secrets(p, s, &has_new_secrets, err) : rc;
    bool is_new = !oc_streq(old, text);
    if (rc == OC_OK && text && is_new) {
        rc = oc_file_write_private(s->unit_path, text, strlen(text), err);
    }
    if (rc == OC_OK) {
        *ret_changed = is_new || has_new_secrets;
    }
    return rc;
}

/* systemctl's own words about a failed start only say where to look. What the service said itself
 * is better. */
static enum oc_code explain_start(
        struct cli_cli *cli, const struct cli_service *s, struct oc_error *err) {
    OC_AUTO_JSON cJSON *state = cli_service_state(s);
    OC_AUTO_FREE char *summary = cli_service_summary(state);
    const char *said = oc_json_get_str(state, "statusText");
    cli_set_fix(cli, "%s -n 20", oc_json_get_str(state, "logs"));
    return oc_fail(err, OC_E_UNAVAILABLE, "%s is installed, but does not start: %s", s->unit,
            said ? said : summary);
}

static enum oc_code service_install_activate(
        struct cli_cli *cli, const struct cli_service *s, bool is_changed, struct oc_error *err) {
    OC_AUTO_JSON cJSON *shown = NULL;
    enum oc_code rc = cli_systemctl("daemon-reload", NULL, err);
    rc = rc == OC_OK ? cli_systemctl_show(s->unit, "LoadState", &shown, err) : rc;
    const char *load = oc_json_get_str(shown, "LoadState");
    if (rc == OC_OK && oc_streq(load, "not-found")) {
        return oc_fail(err, OC_E_NOT_FOUND,
                "systemd does not find %s: its XDG_CONFIG_HOME is not that of this shell (%s)",
                s->unit, "systemctl --user show-environment tells");
    }
    if (rc == OC_OK && !oc_streq(load, "loaded")) {
        cli_set_fix(cli, "systemd-analyze --user verify %s", s->unit_path);
        return oc_fail(err, OC_E_UNSUPPORTED, "systemd does not take %s: %s", s->unit,
                load ? load : "no answer");
    }
    rc = rc == OC_OK ? cli_systemctl("enable", s->unit, err) : rc;
    if (rc != OC_OK) {
        return rc;
    }
    return cli_systemctl(is_changed ? "restart" : "start", s->unit, err) == OC_OK
                   ? OC_OK
                   : explain_start(cli, s, err);
}

static void service_install_report(
        const struct cli_cli *cli, const struct cli_service *s, bool is_changed, const char *hint) {
    OC_AUTO_JSON cJSON *state = cli_service_state(s);
    const char *said = oc_json_get_str(state, "statusText");
    OC_AUTO_FREE char *summary = cli_service_summary(state),
                      *shown = oc_printable(said ? said : "", said ? strlen(said) : 0, 300);
    bool has_secrets = oc_file_exists(s->env_path);
    if (cli->is_json) {
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        oc_json_set_bool(doc, "ok", true);
        oc_json_set_str(doc, "action", "install");
        oc_json_set_str(doc, "result", is_changed ? "installed" : "already-installed");
        oc_json_set_str_or_null(doc, "environmentFile", has_secrets ? s->env_path : NULL);
        oc_json_set_str_or_null(doc, "hint", hint);
        oc_json_set(doc, "service", oc_take(&state));
        cli_out_json(doc);
        return;
    }
    cli_out_line("%s %s: %s", is_changed ? "Installed" : "Already installed:", s->unit, summary);
    if (*shown) {
        cli_out_line("  %s", shown);
    }
    cli_out_line("  unit: %s", s->unit_path);
    if (has_secrets) {
        cli_out_line("  secrets: %s", s->env_path);
    }
    cli_out_line("  logs: %s", oc_json_get_str(state, "logs"));
    if (hint) {
        cli_note("note: %s", hint);
    }
}

int cli_service_install(struct cli_cli *cli, const struct cli_service_plan *p) {
    CLI_AUTO_SERVICE struct cli_service s;
    OC_AUTO_FREE char *hint = cli_service_linger_hint();
    struct oc_error err;
    int version = 0;
    bool is_changed = false;
    cli_service_init(&s, p->group);
    if (geteuid() == 0 && getenv("SUDO_USER")) {
        cli_note("note: this is root's service; for your own do it without sudo");
    }
    enum oc_code rc = cli_systemctl_reach(&version, &err);
    if (rc != OC_OK) {
        cli_set_fix(cli, "openclaw %s run, in the foreground", p->group);
    }
    rc = rc == OC_OK ? write_files(cli, p, &s, version, &is_changed, &err) : rc;
    rc = rc == OC_OK ? service_install_activate(cli, &s, is_changed, &err) : rc;
    if (rc != OC_OK) {
        return cli_fail(cli, &err);
    }
    service_install_report(cli, &s, is_changed, hint);
    return CLI_EXIT_OK;
}
