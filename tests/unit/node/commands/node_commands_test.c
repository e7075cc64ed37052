#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "lib/protocol/switches.h"
#include "node/commands/commands.h"
#include "node/helper/helper.h"
#include "node/owner/switches.h"

#include <stdlib.h>
#include <unistd.h>

static const struct os_platform without_exec = { .name = "none" };

static void sorted_and_complete(void **state) {
    (void)state;
    struct nd_commands all = nd_node_commands(NULL, NULL);
    const struct nd_command *const *table = all.rows;
    size_t count = all.count;
    assert_true(count >= 3);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(table[i]->cap);
        assert_non_null(table[i]->summary);
        assert_non_null(table[i]->start);
        if (i > 0 && strcmp(table[i - 1]->name, table[i]->name) >= 0) {
            fail_msg("%s must come before %s", table[i]->name, table[i - 1]->name);
        }
    }
}

static void found_by_name(void **state) {
    (void)state;
    struct nd_machine machine = { .platform = &os_native };
    struct nd_commands own = nd_node_commands(&machine, NULL);
    const struct nd_command *const *table = own.rows;
    for (size_t i = 0; i < own.count; i++) {
        if (!table[i]->switch_name && !table[i]->helper) {
            assert_ptr_equal(nd_command_find(&own, table[i]->name), table[i]);
        }
    }
    assert_null(nd_command_find(&own, "system"));
    assert_null(nd_command_find(&own, "System.run"));
    assert_null(nd_command_find(&own, "system.runx"));
    assert_null(nd_command_find(&own, ""));
}

static void only_what_works_is_advertised(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv commands = { 0 }, caps = { 0 };
    struct nd_machine machine = { .platform = &os_native };
    struct nd_commands own = nd_node_commands(&machine, NULL);
    nd_commands_list(&own, &commands, &caps);
    assert_int_equal(
            oc_strv_has(&commands, "system.notify"), nd_helper_is_installed(ND_HELPER_DESKTOP));
    oc_strv_remove(&commands, "system.notify");
    OC_AUTO_FREE char *all = oc_strv_join(&commands, " "), *all_caps = oc_strv_join(&caps, " ");
    assert_string_equal(all,
            "device.info device.status "
            "system.execApprovals.get system.execApprovals.set system.run system.run.prepare "
            "system.runs.kill system.runs.list system.runs.poll system.runs.write "
            "system.which");
    assert_string_equal(all_caps, "device system");
    OC_AUTO_STRV struct oc_strv few = { 0 }, few_caps = { 0 };
    machine.platform = &without_exec;
    nd_commands_list(&own, &few, &few_caps);
    assert_false(oc_strv_has(&few, "system.run"));
    assert_null(nd_command_find(&own, "system.run"));
}

/* Who decides what runs here decides it here: a gateway's word alone changes nothing. */
static void the_rules_are_not_changed_from_afar(void **state) {
    (void)state;
    char dir[] = "/tmp/oc-switches-XXXXXX";
    assert_non_null(mkdtemp(dir));
    OC_AUTO_FREE char *path = oc_strfmt("%s/consent.json", dir);
    struct nd_machine machine = { .platform = &os_native, .switches_path = path, .state_dir = dir };
    struct nd_commands own = nd_node_commands(&machine, NULL);
    struct oc_error err;
    assert_null(nd_command_find(&own, "system.execApprovals.set"));
    assert_string_equal(nd_command_switched_off(&own, "system.execApprovals.set")->disabled,
            "APPROVALS_DISABLED");
    assert_non_null(nd_command_find(&own, "system.execApprovals.get"));
    assert_int_equal(nd_switch_set(path, "approvals", true, &err), OC_OK);
    assert_non_null(nd_command_find(&own, "system.execApprovals.set"));
    assert_int_equal(nd_switch_set(path, "approvals", false, &err), OC_OK);
    assert_null(nd_command_find(&own, "system.execApprovals.set"));
    unlink(path);
    OC_AUTO_FREE char *lock = oc_strfmt("%s.lock", path);
    unlink(lock);
    rmdir(dir);
}

/* The gateway knows the switches by lib/protocol/switches.h. */
static void both_sides_know_the_same_switches(void **state) {
    (void)state;
    size_t count, kinds;
    const struct oc_switch *switches = oc_switches(&count);
    (void)nd_switches(&kinds);
    assert_int_equal(kinds, count + 1); /* and "announce" */
    for (size_t i = 0; i < count; i++) {
        const struct nd_switch *kind = nd_switch_find(switches[i].name);
        assert_non_null(kind);
        assert_string_equal(kind->disabled, switches[i].disabled);
    }
    struct nd_commands own = nd_node_commands(NULL, NULL);
    const struct nd_command *const *table = own.rows;
    for (size_t i = 0; i < own.count; i++) {
        const struct oc_switch *s = oc_switch_of(table[i]->name);
        assert_true(oc_streq(table[i]->switch_name, s ? s->name : NULL));
        assert_true(!s || !table[i]->helper || oc_streq(table[i]->helper, s->package));
    }
}

static void switched_off_until_the_owner_says_so(void **state) {
    (void)state;
    char dir[] = "/tmp/oc-switches-XXXXXX";
    assert_non_null(mkdtemp(dir));
    OC_AUTO_FREE char *path = oc_strfmt("%s/consent.json", dir);
    struct nd_machine machine = { .platform = &os_native, .switches_path = path };
    struct nd_commands own = nd_node_commands(&machine, NULL);
    struct oc_error err;
    assert_string_equal(nd_command_switched_off(&own, "camera.snap")->disabled, "CAMERA_DISABLED");
    assert_null(nd_command_find(&own, "camera.snap"));
    assert_null(nd_command_switched_off(&own, "system.which"));
    assert_null(nd_command_switched_off(&own, "camera.explode"));
    assert_int_equal(nd_switch_set(path, "camera", true, &err), OC_OK);
    assert_null(nd_command_switched_off(&own, "camera.snap"));
    assert_int_equal(nd_switch_set(path, "camera", false, &err), OC_OK);
    assert_non_null(nd_command_switched_off(&own, "camera.snap"));
    unlink(path);
    rmdir(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_and_complete),
        cmocka_unit_test(found_by_name),
        cmocka_unit_test(the_rules_are_not_changed_from_afar),
        cmocka_unit_test(only_what_works_is_advertised),
        cmocka_unit_test(both_sides_know_the_same_switches),
        cmocka_unit_test(switched_off_until_the_owner_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
