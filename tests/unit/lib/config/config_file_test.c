/* config_file.c and config_redact.c: what is shown of a file, and what is wrong with it. */
#include "tests/unit/unit.h"

#include "lib/config/config_edit.h"
#include "lib/config/config_file.h"
#include "lib/config/config_redact.h"
#include "lib/files/file.h"
#include "tests/any_int.h"

static void says_where(void **state) {
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "{\n  gateway: {\n    port: 'x',\n  },\n}",
                "config 'f': line 3, column 5: gateway.port must be a whole number in 1..65535" },
        { "{\n  a: }", "config 'f': line 2, column 6: expected a value" },
        { "[]", "config 'f': line 1, column 1: the config must be one object { … }" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_CONFIG_FILE struct oc_config_file f;
        struct oc_slice text = { rows[i].text, strlen(rows[i].text) };
        oc_config_file_from_text("f", text, &f);
        struct oc_error err;
        assert_int_equal(oc_config_file_verdict(&f, &err), OC_E_INVALID);
        assert_string_equal(err.text, rows[i].want);
        assert_true(cJSON_IsObject(f.config));
    }
}

static void lists_what_it_includes(void **state) {
    OC_AUTO_FREE char *path = oc_path_join(*state, "openclaw.json");
    OC_AUTO_FREE char *other = oc_path_join(*state, "gw.json5");
    OC_AUTO_CONFIG_FILE struct oc_config_file missing;
    oc_config_file_read(path, &missing);
    assert_false(missing.exists);
    assert_int_equal(oc_config_file_verdict(&missing, NULL), OC_OK);
    oc_write_text(path, "{gateway:{$include:'./gw.json5'}}");
    oc_write_text(other, "{port:7,prot:8}");
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    oc_config_file_read(path, &f);
    assert_true(f.exists);
    assert_int_equal(oc_config_file_verdict(&f, NULL), OC_OK);
    assert_int_equal(f.files.count, 2);
    assert_int_equal(any_int(oc_json_get(f.config, "gateway"), "port", 0), 7);
    assert_int_equal(cJSON_GetArraySize(f.warnings), 1);
}

/* Read where it is, with what it includes there; who writes writes to openclaw.json. */
static void reads_the_config_of_an_ancestor(void **state) {
    OC_AUTO_FREE char *now = oc_path_join(*state, ".openclaw"),
                      *old = oc_path_join(*state, ".moltbot");
    OC_AUTO_FREE char *file = oc_path_join(old, "moltbot.json"),
                      *more = oc_path_join(old, "gw.json");
    assert_int_equal(mkdir(now, 0700) + mkdir(old, 0700), 0);
    oc_write_text(file, "{gateway:{$include:'./gw.json'}}");
    oc_write_text(more, "{port:7}");
    setenv("HOME", *state, 1);
    unsetenv("OPENCLAW_HOME");
    unsetenv("OPENCLAW_STATE_DIR");
    unsetenv("OPENCLAW_CONFIG_PATH");
    OC_AUTO_FREE char *config = oc_path_config();
    OC_AUTO_CONFIG_FILE struct oc_config_file f, ours;
    oc_config_file_read(config, &f);
    assert_true(f.exists);
    assert_string_equal(f.path, file);
    assert_int_equal(any_int(oc_json_get(f.config, "gateway"), "port", 0), 7);
    assert_int_equal(f.files.count, 3); /* a config of ours that appears is seen, too */
    assert_string_equal(f.files.items[0], config);
    struct oc_buf text = OC_BUF_INIT(100);
    oc_buf_puts(&text, "{gateway:{port:8}}");
    assert_int_equal(oc_config_file_write(config, &text, NULL), OC_OK);
    oc_buf_finish(&text);
    oc_config_file_read(config, &ours);
    assert_string_equal(ours.path, config);
    assert_int_equal(any_int(oc_json_get(ours.config, "gateway"), "port", 0), 8);
}

/* The first issue, or else the first warning, as "<file>:<line>:<column> <path> <message>". */
static void expect_place(const char *dir, const char *main_text, const char *want) {
    OC_AUTO_FREE char *path = oc_path_join(dir, "openclaw.json");
    oc_write_text(path, main_text);
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    oc_config_file_read(path, &f);
    const cJSON *issue = f.issues->child ? f.issues->child : f.warnings->child;
    assert_non_null(issue);
    const char *file = oc_config_issue_file(&f, issue);
    assert_memory_equal(file, dir, strlen(dir));
    OC_AUTO_FREE char *got = oc_strfmt("%s:%d:%d %s %s", file + strlen(dir) + 1,
            (int)any_int(issue, "line", 0), (int)any_int(issue, "column", 0),
            oc_json_get_str(issue, "path"), oc_json_get_str(issue, "message"));
    if (strncmp(got, want, strlen(want)) != 0) {
        fail_msg("%s", got);
    }
}

static void names_the_file_and_the_place(void **state) {
    OC_AUTO_FREE char *gw = oc_path_join(*state, "gw.json5"), *bad = oc_path_join(*state, "bad");
    OC_AUTO_FREE char *deep = oc_path_join(*state, "deep.json5");
    unsetenv("OC_TEST_GONE");
    oc_write_text(deep, "{\n  token: '${OC_TEST_GONE}' }");
    oc_write_text(gw,
            "{\n  bind: 'lan', auth: { mode: 'token',\n   $include: 'deep.json5' }, port: 'x' }");
    oc_write_text(bad, "{\n\n  x: }");
    expect_place(*state, "{ gateway: { $include: 'gw.json5' } }",
            "deep.json5:2:3 gateway.auth.token needs ${OC_TEST_GONE}");
    oc_write_text(deep, "{}");
    expect_place(*state, "{ $include: './other.json' }", "openclaw.json:0:0  included by");
    expect_place(*state, "{ gateway: { $include: ['gw.json5'] } }",
            "gw.json5:3:30 gateway.port must be a whole number");
    expect_place(*state, "{ gateway: { $include: ['gw.json5'], port: 7,\n prot: 1 } }",
            "openclaw.json:2:2 gateway.prot unknown key");
    expect_place(*state, "{ $include: 'bad' }", "bad:3:6  expected a value");
    expect_place(*state, "{\n a: ]", "openclaw.json:2:5  expected a value");
    expect_place(*state, "{\n gateway: { auth: { token: '${OC_TEST_GONE}' } } }",
            "openclaw.json:2:21 gateway.auth.token needs");
}

static void tells_only_so_much(void **state) {
    OC_AUTO_FREE char *path = oc_path_join(*state, "openclaw.json");
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    for (int i = 0; i < 200; i++) {
        oc_buf_printf(&text, "%sunknown%d:1", i > 0 ? "," : "{", i);
    }
    oc_buf_puts(&text, "}");
    oc_write_text(path, text.data);
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    oc_config_file_read(path, &f);
    assert_int_equal(cJSON_GetArraySize(f.warnings), 64);
}

static void hides_secrets(void **state) {
    (void)state;
    static const char text[] = "// c\n{\n  gateway: { port: 1, auth: { token: 'a\\'b', password: "
                               "\"${PW}\", }, },\n  env: { X: 'v' }, list: [{apiKey: 'k'}], "
                               "maxTokens: 5 } // end\n";
    static const char hidden[] =
            "// c\n{\n  gateway: { port: 1, auth: { token: \"" OC_CONFIG_REDACTED
            "\", password: \"${PW}\", }, },\n  env: { X: \"" OC_CONFIG_REDACTED
            "\" }, list: [{apiKey: \"" OC_CONFIG_REDACTED "\"}], maxTokens: 5 } // end\n";
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_puts(&b, text);
    oc_config_redact_text(&b);
    assert_string_equal(b.data, hidden);
    struct oc_error err = { 0 };
    assert_int_equal(
            oc_config_restore_text(&b, (struct oc_slice){ text, strlen(text) }, &err), OC_OK);
    assert_string_equal(b.data, text);
    OC_AUTO_JSON cJSON *tree = NULL;
    assert_int_equal(oc_json5_parse(text, strlen(text), &tree, &err), OC_OK);
    oc_config_redact(tree);
    const cJSON *auth = oc_json_path(tree, "gateway.auth");
    assert_string_equal(oc_json_get_str(auth, "token"), OC_CONFIG_REDACTED);
    assert_string_equal(oc_json_get_str(auth, "password"), "${PW}");
}

static void does_not_invent_secrets(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_puts(&b, "{gateway:{auth:{token:'" OC_CONFIG_REDACTED "'}}}");
    struct oc_error err = { 0 };
    assert_int_equal(oc_config_restore_text(&b, SLICE("{gateway:{}}"), &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, "gateway.auth.token"));
}

static void writes_through_links(void **state) {
    OC_AUTO_FREE char *real = oc_path_join(*state, "real.json");
    OC_AUTO_FREE char *link_path = oc_path_join(*state, "openclaw.json");
    oc_write_text(real, "{}");
    assert_int_equal(symlink("real.json", link_path), 0);
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(64);
    oc_buf_puts(&b, "{a:1}");
    struct oc_error err;
    assert_int_equal(oc_config_file_write(link_path, &b, &err), OC_OK);
    struct stat st;
    assert_int_equal(lstat(link_path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(oc_mode_of(real), 0600);
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
                reads_the_config_of_an_ancestor, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test(says_where),
        IN_DIR(lists_what_it_includes),
        IN_DIR(names_the_file_and_the_place),
        IN_DIR(tells_only_so_much),
        cmocka_unit_test(hides_secrets),
        cmocka_unit_test(does_not_invent_secrets),
        IN_DIR(writes_through_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
