#include "lib/protocol/switches.h"
#include "lib/text/fix.h"

#include "tests/unit/unit.h"

static cJSON *parsed(const char *text) {
    cJSON *o = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &o, &err), OC_OK);
    return o;
}

static void commands_belong_to_switches(void **state) {
    (void)state;
    assert_string_equal(oc_switch_of("camera.snap")->name, "camera");
    assert_string_equal(oc_switch_of("canvas.a2ui.push")->name, "canvas");
    assert_null(oc_switch_of("camera"));
    assert_null(oc_switch_of("cameras.snap"));
    assert_null(oc_switch_of("cam.snap"));
    assert_null(oc_switch_of("system.run"));
    assert_null(oc_switch_of(""));
    assert_null(oc_switch_of("."));
}

static void permissions_tell_their_state(void **state) {
    (void)state;
    static const struct {
        const char *permissions;
        enum oc_switch_state state;
        const char *of_ours, *of_apps;
    } rows[] = {
        { "{}", OC_SWITCH_UNKNOWN, NULL, NULL },
        { "{\"camera\":1}", OC_SWITCH_OFF, "on the node run: openclaw node enable camera",
                "allow camera in the settings of the app on the node" },
        { "{\"camera\":false,\"camera.installed\":false}", OC_SWITCH_OFF,
                "on the node run: openclaw node enable camera",
                "allow camera in the settings of the app on the node" },
        { "{\"camera\":true,\"camera.installed\":false}", OC_SWITCH_NOT_INSTALLED,
                "on the node install the package openclaw-media",
                "on the node install the package openclaw-media" },
        { "{\"camera\":true}", OC_SWITCH_ON, NULL, NULL },
        { "{\"screen\":false}", OC_SWITCH_UNKNOWN, NULL, NULL },
    };
    const struct oc_switch *s = oc_switch_of("camera.snap");
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_JSON cJSON *p = parsed(rows[i].permissions);
        struct oc_grounds of_ours = oc_switch_grounds(p, s, "node-host"),
                          of_apps = oc_switch_grounds(p, s, "openclaw-macos");
        OC_AUTO_FREE char *ours = oc_fix_text(&of_ours);
        OC_AUTO_FREE char *apps = oc_fix_text(&of_apps);
        assert_int_equal(oc_switch_read(p, s), rows[i].state);
        assert_true(oc_streq(ours, rows[i].of_ours));
        assert_true(oc_streq(apps, rows[i].of_apps));
    }
    assert_int_equal(oc_switch_read(NULL, s), OC_SWITCH_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_belong_to_switches),
        cmocka_unit_test(permissions_tell_their_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
