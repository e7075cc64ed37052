#include "tests/unit/unit.h"

#include "lib/files/file.h"

static void clear(void) {
    unsetenv("OPENCLAW_HOME");
    unsetenv("OPENCLAW_STATE_DIR");
    unsetenv("OPENCLAW_CONFIG_PATH");
}

static void expect(char *take_got, const char *want) {
    assert_string_equal(take_got, want);
    oc_free(take_got);
}

static void defaults_follow_home(void **state) {
    (void)state;
    clear();
    setenv("HOME", "/nowhere/me", 1);
    expect(oc_dir_home(), "/nowhere/me");
    expect(oc_dir_state(), "/nowhere/me/.openclaw");
    expect(oc_path_config(), "/nowhere/me/.openclaw/openclaw.json");
}

static void environment_wins(void **state) {
    (void)state;
    clear();
    setenv("HOME", "/nowhere/me", 1);
    setenv("OPENCLAW_HOME", "~/other", 1);
    expect(oc_dir_home(), "/nowhere/me/other");
    expect(oc_dir_state(), "/nowhere/me/other/.openclaw");
    setenv("OPENCLAW_STATE_DIR", "/srv/state", 1);
    expect(oc_dir_state(), "/srv/state");
    expect(oc_path_config(), "/srv/state/openclaw.json");
    setenv("OPENCLAW_CONFIG_PATH", "/etc/oc.json", 1);
    expect(oc_path_config(), "/etc/oc.json");
    setenv("OPENCLAW_STATE_DIR", "  ", 1); /* blank is unset */
    expect(oc_dir_state(), "/nowhere/me/other/.openclaw");
}

static void relative_paths_become_absolute(void **state) {
    clear();
    assert_int_equal(chdir(*state), 0);
    setenv("OPENCLAW_STATE_DIR", "here", 1);
    char *got = oc_dir_state();
    assert_int_equal(got[0], '/');
    assert_string_equal(strrchr(got, '/'), "/here");
    oc_free(got);
    assert_int_equal(chdir("/"), 0);
}

static void no_home_uses_the_user_database(void **state) {
    (void)state;
    clear();
    unsetenv("HOME");
    char *got = oc_dir_home();
    assert_int_equal(got[0], '/');
    oc_free(got);
}

static void old_names_are_still_found(void **state) {
    clear();
    setenv("HOME", *state, 1);
    OC_AUTO_FREE char *old = oc_path_join(*state, ".clawdbot");
    OC_AUTO_FREE char *now = oc_path_join(*state, ".openclaw");
    expect(oc_dir_state(), now);
    assert_int_equal(mkdir(old, 0700), 0);
    expect(oc_dir_state(), old);
    assert_int_equal(mkdir(now, 0700), 0);
    expect(oc_dir_state(), now);
}

static void put(const char *dir, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(dir, name);
    mkdir(dir, 0700);
    oc_write_text(path, "{}");
}

/* found: below the directory of the test; NULL: none. */
static void expect_ancestor(const char *dir, const char *found) {
    OC_AUTO_FREE char *config = oc_path_config(), *want = found ? oc_path_join(dir, found) : NULL,
                      *got = oc_path_ancestor_config(config);
    assert_string_equal(got ? got : "", want ? want : "");
}

static void configs_of_old_names_are_found(void **state) {
    clear();
    setenv("HOME", *state, 1);
    OC_AUTO_FREE char *now = oc_path_join(*state, ".openclaw"),
                      *old = oc_path_join(*state, ".moltbot"),
                      *older = oc_path_join(*state, ".clawdbot");
    assert_int_equal(mkdir(now, 0700), 0);
    expect_ancestor(*state, NULL);
    put(old, "moltbot.json");
    expect_ancestor(*state, ".moltbot/moltbot.json");
    assert_null(oc_path_ancestor_config("/elsewhere/openclaw.json"));
    put(older, "clawdbot.json"); /* in the order of the reference */
    expect_ancestor(*state, ".clawdbot/clawdbot.json");
    put(now, "moltbot.json");
    expect_ancestor(*state, ".openclaw/moltbot.json");
    setenv("OPENCLAW_STATE_DIR", old, 1); /* a directory that is named is the only one */
    expect_ancestor(*state, ".moltbot/moltbot.json");
    setenv("OPENCLAW_STATE_DIR", "/nowhere", 1);
    expect_ancestor(*state, NULL);
    unsetenv("OPENCLAW_STATE_DIR");
    setenv("OPENCLAW_CONFIG_PATH", "/nowhere/oc.json", 1);
    expect_ancestor(*state, NULL);
    unsetenv("OPENCLAW_CONFIG_PATH");
    put(now, "openclaw.json");
    expect_ancestor(*state, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_follow_home),
        cmocka_unit_test(environment_wins),
        cmocka_unit_test_setup_teardown(
                relative_paths_become_absolute, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test(no_home_uses_the_user_database),
        cmocka_unit_test_setup_teardown(old_names_are_still_found, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(
                configs_of_old_names_are_found, oc_temp_setup, oc_temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
