#include "tests/unit/unit.h"

#include "cli/child.h"
#include "cli/service/service.h"
#include "cli/service/service_env.h"
#include "cli/service/systemctl.h"
#include "lib/files/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void suffix_is(const char *state_dir, const char *wanted) {
    OC_AUTO_FREE char *got = cli_service_suffix("/home/ada", state_dir);
    assert_string_equal(got, wanted);
}

static void every_state_directory_has_its_own_name(void **state) {
    (void)state;
    suffix_is("/home/ada/.openclaw", "");
    suffix_is("/home/ada/.openclaw/", "");
    suffix_is("/home/ada/.openclaw-work", "-work");
    OC_AUTO_FREE char *odd = cli_service_suffix("/home/ada", "/home/ada/.openclaw-a b"),
                      *other = cli_service_suffix("/home/ada", "/srv/.openclaw"),
                      *again = cli_service_suffix("/home/ada", "/srv/.openclaw"),
                      *below = cli_service_suffix("/home/ada", "/home/ada/.openclaw-work/x");
    assert_int_equal(strlen(odd), 9);
    assert_int_equal(strlen(below), 9);
    assert_string_not_equal(odd, other);
    assert_string_equal(other, again);
}

static void secrets_come_back_as_they_were(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *values = cJSON_CreateObject();
    oc_json_set_str(values, "A", "plain");
    oc_json_set_str(values, "B", "a$b\"c\\d`e%f g=h;#i'j");
    oc_json_set_str(values, "C", "grün ");
    OC_AUTO_SECRET char *text = cli_service_env_text(values);
    assert_non_null(strstr(text, "B=\"a\\$b\\\"c\\\\d\\`e%f g=h;#i'j\"\n"));
    OC_AUTO_JSON cJSON *back = cli_service_env_parse(text);
    assert_true(cJSON_Compare(values, back, true));
}

static void a_file_by_hand_is_read(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *v =
            cli_service_env_parse("# comment\n\nA=plain words\n=none\nB\nC=\"open\nD=");
    assert_int_equal(cJSON_GetArraySize(v), 3);
    assert_string_equal(oc_json_get_str(v, "A"), "plain words");
    assert_string_equal(oc_json_get_str(v, "C"), "open");
    assert_string_equal(oc_json_get_str(v, "D"), "");
    OC_AUTO_JSON cJSON *single = cli_service_env_parse("A='a\\b \"c\"'\n");
    assert_string_equal(oc_json_get_str(single, "A"), "a\\b \"c\"");
}

static void half_a_secret_is_not_written(void **state) {
    (void)state;
    char *value = malloc(70000);
    memset(value, 't', 69999);
    value[69999] = '\0';
    OC_AUTO_JSON cJSON *values = cJSON_CreateObject();
    oc_json_set_str(values, "A", value);
    assert_null(cli_service_env_text(values));
    free(value);
}

static void the_file_is_private_and_goes_with_the_last_secret(void **state) {
    (void)state;
    char dir[] = "/tmp/oc-service-XXXXXX";
    assert_non_null(mkdtemp(dir));
    OC_AUTO_FREE char *path = oc_path_join(dir, "service-node.env");
    OC_AUTO_JSON cJSON *one = cJSON_CreateObject(), *none = cJSON_CreateObject(),
                       *bad = cJSON_CreateObject();
    oc_json_set_str(one, "A", "secret");
    oc_json_set_str(bad, "A", "two\nlines");
    bool is_changed = false;
    struct oc_error err;
    struct stat st;
    assert_int_equal(cli_service_env_write(path, one, &is_changed, &err), OC_OK);
    assert_true(is_changed);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(cli_service_env_write(path, one, &is_changed, &err), OC_OK);
    assert_false(is_changed);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(cli_service_env_write(path, bad, &is_changed, &err), OC_E_INVALID);
    assert_null(strstr(err.text, "two"));
    assert_int_equal(cli_service_env_write(path, none, &is_changed, &err), OC_OK);
    assert_true(is_changed);
    assert_false(oc_file_exists(path));
    assert_int_equal(rmdir(dir), 0);
}

static void properties_are_read(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *p =
            cli_systemctl_parse("ActiveState=active\nStatusText=a=b c\nMainPID=\n\nnoise");
    assert_int_equal(cJSON_GetArraySize(p), 3);
    assert_string_equal(oc_json_get_str(p, "StatusText"), "a=b c");
    assert_string_equal(oc_json_get_str(p, "MainPID"), "");
}

static char *summary(const char *json) {
    OC_AUTO_JSON cJSON *state = cJSON_Parse(json);
    assert_non_null(state);
    return cli_service_summary(state);
}

static void states_have_words(void **state) {
    (void)state;
    OC_AUTO_FREE char *none = summary("{\"installed\":false}");
    assert_string_equal(none, "not installed");
    OC_AUTO_FREE char *up = summary("{\"installed\":true,\"loaded\":true,\"runtime\":{\"status\":"
                                    "\"running\",\"state\":\"active\",\"pid\":7}}");
    assert_string_equal(up, "running, pid 7, enabled");
    OC_AUTO_FREE char *bad =
            summary("{\"installed\":true,\"loaded\":false,\"result\":\"exit-code\","
                    "\"runtime\":{\"status\":\"stopped\",\"state\":\"failed\","
                    "\"lastExitStatus\":2}}");
    assert_string_equal(bad, "failed (exit-code, exit status 2), disabled");
    OC_AUTO_FREE char *unknown = summary("{\"installed\":true,\"loaded\":true,\"runtime\":{"
                                         "\"status\":\"unknown\",\"detail\":\"no bus\"}}");
    assert_string_equal(unknown, "installed, enabled; no bus");
}

static void complaints_are_collected(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "sh");
    oc_strv_add(&argv, "-c");
    oc_strv_add(&argv, "echo said; echo complained >&2; exit 3");
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100);
    int status = 0;
    struct oc_error err;
    assert_int_equal(cli_child_collect_all(&argv, 20000, &out, &status, &err), OC_OK);
    assert_int_equal(status, 3);
    assert_string_equal(out.data, "said\ncomplained\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_directory_has_its_own_name),
        cmocka_unit_test(secrets_come_back_as_they_were),
        cmocka_unit_test(a_file_by_hand_is_read),
        cmocka_unit_test(half_a_secret_is_not_written),
        cmocka_unit_test(the_file_is_private_and_goes_with_the_last_secret),
        cmocka_unit_test(properties_are_read),
        cmocka_unit_test(states_have_words),
        cmocka_unit_test(complaints_are_collected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
