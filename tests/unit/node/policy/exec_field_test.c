/* What went wrong elsewhere: every bug and advisory about running commands that became public for
 * OpenClaw, as a test under its name. Those about the approval itself (who may give it, that it is
 * used once) are in the gateway's tests, and those that need a whole node in
 * tests/e2e/35-field.py. */
#include "lib/state/exec_approvals.h"
#include "node/argv/exec_argv.h"
#include "node/argv/exec_env.h"
#include "node/policy/exec_policy.h"
#include "tests/unit/node/policy/exec_scene.h"

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char *const files[] = { "/usr/bin/git", "/usr/bin/echo", "/usr/bin/tr", "/usr/bin/wc",
    "/usr/bin/head", "/usr/bin/sh", "/usr/bin/bash", "/usr/bin/env", "/usr/bin/nice",
    "/usr/bin/timeout", "/usr/bin/nohup", "/usr/bin/id", "/usr/bin/busybox", "/usr/bin/sudo",
    "/usr/bin/jq", "/tmp/evil/git", "/opt/stable/tool", "/opt/current>/opt/stable/tool",
    "/usr/bin/cmd.exe", "/usr/bin/exec", "/usr/bin/command", NULL };

/* git, echo and env are listed; the usual safe bins are on. */
static void judge(const char *const *argv, struct nd_exec_judgement *ret, cJSON **ret_list) {
    *ret_list = oc_scene_list(ARGV("/usr/bin/git", "/usr/bin/echo", "/usr/bin/env", "/usr/bin/sh",
            "/usr/bin/exec", "/opt/stable/tool"));
    struct nd_exec_fs fs = {
        .user = (void *)(uintptr_t)files, .check = oc_scene_check, .real = oc_scene_real
    };
    struct nd_exec_scene scene = {
        .fs = &fs, .cwd = "/tmp/evil", .path_env = "/usr/bin", .home = "/root", .own = *ret_list
    };
    oc_scene_judge(&scene, argv, ret);
}

static void expect(const char *const *argv, const char *runs) {
    struct nd_exec_judgement j;
    OC_AUTO_JSON cJSON *list = NULL;
    judge(argv, &j, &list);
    OC_AUTO_FREE char *line = oc_scene_line(&j);
    if (!oc_streq(line, runs)) {
        fail_msg("%s %s %s: %s", argv[0], argv[1] ? argv[1] : "", argv[1] && argv[2] ? argv[2] : "",
                line ? line : j.why);
    }
    nd_exec_judgement_finish(&j);
}

static void refused(const char *script) {
    expect(ARGV("/bin/sh", "-lc", script), NULL);
    expect(ARGV("bash", "-c", script), NULL);
}

static void v2026_3_1_executables_are_pinned_to_their_real_path(void **state) {
    (void)state;
    expect(ARGV("tr", "a", "b"), "'/usr/bin/tr' 'a' 'b'");
    expect(ARGV("/usr/bin/tr", "a", "b"), "'/usr/bin/tr' 'a' 'b'");
    expect(ARGV("/opt/current", "x"), "'/opt/stable/tool' 'x'");
    expect(ARGV("sh", "-c", "tr a b | wc -l"), "'/usr/bin/tr' 'a' 'b' | '/usr/bin/wc' '-l'");
}

static void v2026_3_7_env_stacks_keep_the_gate(void **state) {
    (void)state;
    expect(ARGV("env", "env", "env", "env", "git"), "'/usr/bin/git'");
    expect(ARGV("env", "env", "env", "env", "env", "git"), NULL);
    expect(ARGV("env", "env", "env", "env", "env", "sh", "-c", "id"), NULL);
    expect(ARGV("env", "env", "env", "env", "sh", "-c", "id"), NULL);
    expect(ARGV("nice", "env", "timeout", "5", "nohup", "env", "id"), NULL);
}

static void v2026_3_7_comments_are_not_commands(void **state) {
    (void)state;
    refused("git status # && id");
    refused("# git\nid");
    refused("git status #\nid");
    expect(ARGV("sh", "-c", "echo a#b"), "'/usr/bin/echo' 'a#b'");
}

static void v2026_4_7_transport_shells_are_judged_by_what_they_run(void **state) {
    (void)state;
    expect(ARGV("/bin/sh", "-lc", "git status"), "'/usr/bin/git' 'status'");
    refused("id");
}

static void v2026_5_4_exec_is_a_carrier(void **state) {
    (void)state;
    refused("exec id");
    refused("exec git");
    refused("command id");
    refused("builtin id");
    refused("git && exec sh");
    expect(ARGV("exec", "git"), NULL); /* a program of that name, even when listed */
}

static void v2026_5_4_env_with_split_strings_and_paths(void **state) {
    (void)state;
    static const char *const options[] = { "-S", "-Sgit", "-iS", "-vS", "-0S", "-s", "-S git",
        "--split-string", "--split-string=git", "-P", "-P/tmp/evil", "-iP", "-u", "-uX", "-C",
        "--chdir=/tmp/evil", "-i", "-", "-v", "--unset=PATH", "--block-signal", "--argv0=x", "-a" };
    for (size_t i = 0; i < OC_COUNT(options); i++) {
        expect(ARGV("env", options[i], "git", "status"), NULL);
        expect(ARGV("env", options[i], "git status", "git"), NULL);
        OC_AUTO_FREE char *script = oc_strfmt("env %s git status", options[i]);
        refused(script);
    }
}

static void v2026_5_17_a_turned_link_loses_its_entry(void **state) {
    (void)state;
    /* The entry names /opt/stable/tool; while the link points there it may be used, an entry for
     * the link itself is worth nothing. */
    OC_AUTO_JSON cJSON *list = oc_scene_list(ARGV("/opt/current"));
    struct nd_exec_fs fs = {
        .user = (void *)(uintptr_t)files, .check = oc_scene_check, .real = oc_scene_real
    };
    struct nd_exec_scene scene = { .fs = &fs, .cwd = "/", .path_env = "/usr/bin", .own = list };
    struct nd_exec_judgement j;
    oc_scene_judge(&scene, ARGV("/opt/current"), &j);
    assert_false(j.is_satisfied);
    nd_exec_judgement_finish(&j);
}

/* CVE-2026-53822: what was built from the judged words is judged like any other command, and gives
 * itself. */
static void v2026_5_20_the_rebuilt_command_is_judged_the_same(void **state) {
    (void)state;
    static const char *const scripts[] = { "git status && echo 'a b' | wc -l", "echo \"it's\"; git",
        "timeout 5 git || nice echo x" };
    for (size_t i = 0; i < OC_COUNT(scripts); i++) {
        struct nd_exec_judgement first, second;
        OC_AUTO_JSON cJSON *a = NULL, *b = NULL;
        judge(ARGV("sh", "-c", scripts[i]), &first, &a);
        assert_true(first.is_satisfied);
        judge(ARGV("/bin/sh", "-c", first.argv.items[2]), &second, &b);
        assert_true(second.is_satisfied);
        assert_string_equal(first.argv.items[2], second.argv.items[2]);
        nd_exec_judgement_finish(&first);
        nd_exec_judgement_finish(&second);
    }
}

static void v2026_7_33_escaped_newlines_in_command_words(void **state) {
    (void)state;
    refused("gi\\\nt status");
    refused("git \\\nstatus");
    refused("git status \\\n&& id");
    refused("git\nid");
    refused("git\r\nid");
}

static void cve_2026_28470_substitution_in_double_quotes(void **state) {
    (void)state;
    refused("echo \"$(id)\"");
    refused("echo \"`id`\"");
    refused("echo \"a $(id) b\"");
    refused("echo \"${x:-$(id)}\"");
    refused("echo $(id)");
    refused("echo a\"\"$(id)");
    expect(ARGV("sh", "-c", "echo '$(id)'"), "'/usr/bin/echo' '$(id)'");
    expect(ARGV("sh", "-c", "echo \"\\$(id)\""), "'/usr/bin/echo' '$(id)'");
}

static void cve_2026_28460_line_continuation(void **state) {
    (void)state;
    refused("echo \"$\\\n(id)\"");
    refused("echo $\\\n(id)");
    refused("echo \"a\\\nb\"");
}

static void cve_2026_27566_wrapper_chains(void **state) {
    (void)state;
    expect(ARGV("nice", "sh", "-c", "id"), NULL);
    expect(ARGV("env", "nice", "bash", "-lc", "id"), NULL);
    expect(ARGV("timeout", "5", "nice", "-n", "1", "sh", "-c", "git; id"), NULL);
    expect(ARGV("busybox", "sh", "-c", "id"), NULL);
    expect(ARGV("nice", "busybox", "sh", "-c", "id"), NULL);
    expect(ARGV("sudo", "git"), NULL);
    expect(ARGV("sh", "-c", "sh -c id"), NULL);
    expect(ARGV("sh", "-c", "env sh -c id"), NULL);
    expect(ARGV("sh", "-c", "nice env sudo id"), NULL);
}

static void cve_2026_31992_env_split_string(void **state) {
    (void)state;
    expect(ARGV("env", "-S", "sh -c id"), NULL);
    expect(ARGV("env", "-S", "sh -c id", "git"), NULL);
    expect(ARGV("/usr/bin/env", "-Ssh -c id"), NULL);
    refused("env -S 'sh -c id'");
}

static void cve_2026_28463_patterns_and_variables_for_safe_bins(void **state) {
    (void)state;
    refused("head -n 5 *");
    refused("wc $HOME");
    refused("wc ${x}");
    refused("jq . *");
    refused("tr a b ~");
    refused("echo x | head $x");
    refused("echo x | head /etc/passwd");
    expect(ARGV("sh", "-c", "echo x | head '*'"), NULL); /* that would be a file */
    expect(ARGV("head", "$HOME"), NULL);
    expect(ARGV("sh", "-c", "echo x | tr x '*'"), "'/usr/bin/echo' 'x' | '/usr/bin/tr' 'x' '*'");
}

static void cve_2026_28391_cmd_exe(void **state) {
    (void)state;
    expect(ARGV("cmd.exe", "/c", "git"), NULL);
    expect(ARGV("cmd.exe", "/d", "/s", "/c", "git & id"), NULL);
    expect(ARGV("CMD", "/K", "git"), NULL);
    expect(ARGV("powershell.exe", "-Command", "git"), NULL);
}

static void cve_2026_32016_a_name_is_not_a_program(void **state) {
    (void)state;
    expect(ARGV("/tmp/evil/git"), NULL);
    expect(ARGV("./git"), NULL);
    refused("./git status");
    refused("/tmp/evil/git status");
}

/* A link to a file that does not exist yet must not be allowed because of its own name. */
static void cve_2026_32055_links_to_missing_files(void **state) {
    OC_AUTO_FREE char *link = oc_strfmt("%s/tool", (const char *)*state),
                      *list = oc_strfmt("%s/exec-approvals.json", (const char *)*state);
    assert_int_equal(symlink("missing", link), 0);
    OC_AUTO_FREE char *text = oc_strfmt("{\"version\":1,\"defaults\":{\"security\":\"allowlist\","
                                        "\"ask\":\"off\"},\"agents\":{\"main\":{\"allowlist\":["
                                        "{\"pattern\":\"%s\"},{\"pattern\":\"%s/*\"}]}}}",
            link, (const char *)*state);
    oc_write_text(list, text);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, link);
    struct nd_exec_verdict v;
    nd_exec_decide(
            &(struct nd_exec_request){
                    .approvals_path = list, .argv = &argv, .path_env = "/usr/bin" },
            &v);
    assert_false(v.is_allowed);
    assert_non_null(strstr(v.message, "was not found"));
    nd_exec_verdict_finish(&v);
}

/* With security full and ask off nothing is looked at: interpreters, one-liners, scripts that
 * change. */
static void v2026_4_26_full_trust_simply_runs(void **state) {
    OC_AUTO_FREE char *list = oc_strfmt("%s/exec-approvals.json", (const char *)*state);
    oc_write_text(list, "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":\"off\"}}");
    static const char *const commands[][4] = { { "python3", "-c", "print(1)" },
        { "sh", "-c", "a | b > c &" }, { "/usr/bin/env", "-S", "sh -c id" },
        { "bash", "-lc", "$(id)\n" }, { "node", "x.js" }, { "/bin/sh" } };
    for (size_t i = 0; i < OC_COUNT(commands); i++) {
        for (int approved = 0; approved < 2; approved++) {
            OC_AUTO_STRV struct oc_strv argv = { 0 };
            for (const char *const *c = commands[i]; *c; c++) {
                oc_strv_add(&argv, *c);
            }
            struct nd_exec_verdict v;
            nd_exec_decide(&(struct nd_exec_request){ .approvals_path = list,
                                   .argv = &argv,
                                   .path_env = "/usr/bin:/bin",
                                   .cwd = *state,
                                   .is_approved = approved },
                    &v);
            assert_true(v.is_allowed);
            OC_AUTO_FREE char *asked = oc_strv_join(&argv, " "), *runs = oc_strv_join(&v.argv, " ");
            assert_string_equal(asked, runs);
            nd_exec_verdict_finish(&v);
        }
    }
}

static enum nd_exec_security security_of(const char *path, enum nd_exec_ask *ret_ask) {
    struct nd_exec_rules rules;
    struct oc_error err;
    OC_AUTO_JSON cJSON *config = NULL;
    static const char text[] = "{\"tools\":{\"exec\":{\"ask\":\"always\"}}}";
    assert_int_equal(oc_json_parse(text, strlen(text), &config, NULL), OC_OK);
    assert_int_equal(nd_exec_rules_read(path, config, "main", &rules, &err), OC_OK);
    *ret_ask = rules.ask;
    return rules.security;
}

static void v2026_3_7_an_explicit_ask_off_wins(void **state) {
    OC_AUTO_FREE char *list = oc_strfmt("%s/exec-approvals.json", (const char *)*state);
    oc_write_text(list, "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":\"always\"},"
                        "\"agents\":{\"main\":{\"ask\":\"off\"},\"*\":{\"ask\":\"on-miss\"}}}");
    enum nd_exec_ask ask;
    assert_int_equal(security_of(list, &ask), ND_EXEC_FULL);
    assert_int_equal(ask, ND_EXEC_ASK_OFF);
    oc_write_text(list, "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":\"off\"}}");
    assert_int_equal(security_of(list, &ask), ND_EXEC_FULL);
    assert_int_equal(ask, ND_EXEC_ASK_OFF);
}

/* Upstream made "everything, unasked" the default then. Not here. */
static void v2026_4_2_the_default_is_deny(void **state) {
    OC_AUTO_FREE char *list = oc_strfmt("%s/exec-approvals.json", (const char *)*state);
    enum nd_exec_ask ask;
    assert_int_equal(security_of(list, &ask), ND_EXEC_DENY);
    oc_write_text(list, "{\"version\":1}");
    assert_int_equal(security_of(list, &ask), ND_EXEC_DENY);
}

/* #33137: the text that stands for a command is the same whether its program is a name or a
 * path. */
static void v2026_3_7_the_text_of_commands_found_on_path(void **state) {
    (void)state;
    static const struct {
        const char *argv[4], *raw;
    } cases[] = {
        { { "tr", "a", "b" }, "tr a b" },
        { { "/usr/bin/tr", "a", "b" }, "/usr/bin/tr a b" },
        { { "/bin/sh", "-lc", "tr a b" }, "tr a b" },
        { { "tr", "a b", "c" }, "tr \"a b\" c" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_STRV struct oc_strv argv = { 0 };
        for (size_t k = 0; k < 4 && cases[i].argv[k]; k++) {
            oc_strv_add(&argv, cases[i].argv[k]);
        }
        OC_AUTO_FREE char *text = NULL;
        struct oc_error err;
        assert_int_equal(nd_argv_text(&argv, cases[i].raw, &text, &err), OC_OK);
        assert_string_equal(text, cases[i].raw);
        OC_AUTO_FREE char *none = NULL;
        assert_int_equal(nd_argv_text(&argv, "id", &none, &err), OC_E_INVALID);
    }
}

static void v2026_4_26_files_with_unknown_members_are_kept(void **state) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/exec-approvals.json", (const char *)*state);
    static const char text[] =
            "{\"version\":1,\"agents\":{\"main\":{\"allowlist\":[{\"pattern\":\"/a\","
            "\"source\":\"allow-always\",\"commandText\":\"a b\"}]}}}";
    OC_AUTO_JSON cJSON *file = NULL, *snapshot = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &file, NULL), OC_OK);
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_check(file, "/file", &err), OC_OK);
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &snapshot, &err), OC_OK);
    const cJSON *entry = oc_json_path(snapshot, "file.agents.main.allowlist")->child;
    assert_string_equal(oc_json_get_str(entry, "commandText"), "a b");
    assert_string_equal(oc_json_get_str(entry, "source"), "allow-always");
}

/* One call of the environment filter: does the caller's variable arrive? */
static bool arrives(const char *name) {
    OC_AUTO_JSON cJSON *given = cJSON_CreateObject();
    oc_json_set_str(given, name, "x");
    OC_AUTO_STRV struct oc_strv env = { 0 };
    nd_exec_env_build((const char *const[]){ "A=b", NULL }, given, NULL, &env);
    return env.count == 2;
}

static void stays_out(const char *const *names) {
    for (; *names; names++) {
        if (arrives(*names)) {
            fail_msg("%s arrived", *names);
        }
    }
}

static void cve_2026_32003_variables_of_the_shell(void **state) {
    (void)state;
    stays_out(ARGV("SHELLOPTS", "PS4", "BASHOPTS", "BASH_ENV", "ENV", "IFS", "PROMPT_COMMAND",
            "BASH_FUNC_ls%%", "CDPATH", "GLOBIGNORE", "ZDOTDIR", "PATH", "HOME", "SHELL"));
}

static void ghsa_j425_whc4_4jgc_variables_that_name_programs(void **state) {
    (void)state;
    stays_out(ARGV("GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF", "GIT_EDITOR", "GIT_PAGER",
            "GIT_ASKPASS", "GIT_EXEC_PATH", "GIT_PROXY_COMMAND", "GIT_CONFIG_GLOBAL",
            "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_DIR", "GIT_TEMPLATE_DIR", "EDITOR",
            "VISUAL", "PAGER", "BROWSER", "LESSOPEN", "SSH_ASKPASS", "SUDO_ASKPASS", "MANPAGER"));
}

static void cve_2026_43584_variables_that_load_code(void **state) {
    (void)state;
    stays_out(ARGV("VIMINIT", "LUA_INIT", "LUA_INIT_5_4", "HOSTALIASES", "EXINIT", "LD_PRELOAD",
            "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "NODE_PATH", "PYTHONPATH",
            "PYTHONSTARTUP", "PYTHONHOME", "PERL5LIB", "PERL5OPT", "RUBYOPT", "RUBYLIB",
            "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "GCONV_PATH",
            "MAKEFLAGS", "NPM_CONFIG_GLOBALCONFIG", "GOFLAGS", "RUSTC_WRAPPER", "LOCPATH",
            "HTTP_PROXY", "https_proxy", "ALL_PROXY", "no_proxy", "SSLKEYLOGFILE", "OPENSSL_CONF",
            "GTK_MODULES", "QT_PLUGIN_PATH", "OPENCLAW_GATEWAY_TOKEN", "PHPRC", "R_PROFILE"));
}

static void only_names_of_terminal_and_language_are_covered_by_lists(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *given = cJSON_CreateObject();
    oc_json_set_str(given, "TERM", "x");
    oc_json_set_str(given, "LC_ALL", "x");
    OC_AUTO_STRV struct oc_strv uncovered = { 0 };
    nd_exec_env_uncovered(given, NULL, &uncovered);
    assert_int_equal(uncovered.count, 0);
    oc_json_set_str(given, "FOO", "x");
    nd_exec_env_uncovered(given, NULL, &uncovered);
    assert_int_equal(uncovered.count, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v2026_3_1_executables_are_pinned_to_their_real_path),
        cmocka_unit_test(v2026_3_7_env_stacks_keep_the_gate),
        cmocka_unit_test(v2026_3_7_comments_are_not_commands),
        cmocka_unit_test(v2026_4_7_transport_shells_are_judged_by_what_they_run),
        cmocka_unit_test(v2026_5_4_exec_is_a_carrier),
        cmocka_unit_test(v2026_5_4_env_with_split_strings_and_paths),
        cmocka_unit_test(v2026_5_17_a_turned_link_loses_its_entry),
        cmocka_unit_test(v2026_5_20_the_rebuilt_command_is_judged_the_same),
        cmocka_unit_test(v2026_7_33_escaped_newlines_in_command_words),
        cmocka_unit_test(cve_2026_28470_substitution_in_double_quotes),
        cmocka_unit_test(cve_2026_28460_line_continuation),
        cmocka_unit_test(cve_2026_27566_wrapper_chains),
        cmocka_unit_test(cve_2026_31992_env_split_string),
        cmocka_unit_test(cve_2026_28463_patterns_and_variables_for_safe_bins),
        cmocka_unit_test(cve_2026_28391_cmd_exe),
        cmocka_unit_test(cve_2026_32016_a_name_is_not_a_program),
        TEST(cve_2026_32055_links_to_missing_files),
        TEST(v2026_4_26_full_trust_simply_runs),
        TEST(v2026_3_7_an_explicit_ask_off_wins),
        TEST(v2026_4_2_the_default_is_deny),
        cmocka_unit_test(v2026_3_7_the_text_of_commands_found_on_path),
        TEST(v2026_4_26_files_with_unknown_members_are_kept),
        cmocka_unit_test(cve_2026_32003_variables_of_the_shell),
        cmocka_unit_test(ghsa_j425_whc4_4jgc_variables_that_name_programs),
        cmocka_unit_test(cve_2026_43584_variables_that_load_code),
        cmocka_unit_test(only_names_of_terminal_and_language_are_covered_by_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
