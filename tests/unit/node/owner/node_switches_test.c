/* The owner's switches. */
#include "tests/unit/unit.h"

#include "lib/files/file.h"
#include "node/owner/switches.h"

#include <sys/stat.h>

static char *path_in(void **state) {
    return oc_path_join(*state, ND_SWITCHES_FILE);
}

static void all_is_off_at_first(void **state) {
    OC_AUTO_FREE char *path = path_in(state);
    size_t count;
    const struct nd_switch *kinds = nd_switches(&count);
    assert_true(count >= 5);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(
                nd_switch_is_on(path, kinds[i].name), strcmp(kinds[i].name, "announce") == 0);
        assert_ptr_equal(nd_switch_find(kinds[i].name), &kinds[i]);
        assert_false(nd_switch_is_on(NULL, kinds[i].name));
    }
    assert_false(nd_switch_is_on(path, "everything"));
}

static void switches(void **state) {
    OC_AUTO_FREE char *path = path_in(state);
    struct oc_error err;
    assert_int_equal(nd_switch_set(path, "camera", true, &err), OC_OK);
    assert_int_equal(nd_switch_set(path, "announce", false, &err), OC_OK);
    assert_true(nd_switch_is_on(path, "camera"));
    assert_false(nd_switch_is_on(path, "announce"));
    assert_false(nd_switch_is_on(path, "screen"));
    assert_int_equal(nd_switch_set(path, "camera", false, &err), OC_OK);
    assert_false(nd_switch_is_on(path, "camera"));
    assert_int_equal(nd_switch_set(path, "everything", true, &err), OC_E_NOT_FOUND);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void nonsense_means_no(void **state) {
    OC_AUTO_FREE char *path = path_in(state);
    struct oc_error err;
    static const char *const texts[] = { "", "[]", "{\"camera\":1}", "{\"camera\":\"true\"}",
        "{\"announce\":", "true" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        oc_write_text(path, texts[i]);
        assert_false(nd_switch_is_on(path, "camera"));
    }
    oc_write_text(path, "{\"camera\":tru");
    assert_int_not_equal(
            nd_switch_set(path, "screen", true, &err), OC_OK); /* and is not overwritten */
    assert_false(nd_switch_is_on(path, "announce"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_is_off_at_first, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(switches, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test_setup_teardown(nonsense_means_no, oc_temp_setup, oc_temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
