#include "gateway/settings/policy.h"

#include "lib/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const table[] = {
#define GW_PLATFORM_COMMAND(command, where) command,
#include "gateway/settings/platform_commands.def"
#undef GW_PLATFORM_COMMAND
};

static void the_table_is_sorted(void **state) {
    (void)state;
    for (size_t i = 1; i < OC_COUNT(table); i++) {
        if (strcmp(table[i - 1], table[i]) >= 0) {
            fail_msg("%s must come before %s", table[i], table[i - 1]);
        }
    }
}

static void platforms_are_told_by_prefix_then_family(void **state) {
    (void)state;
    static const struct {
        const char *platform, *family;
        enum gw_platform_class want;
    } rows[] = {
        { "linux", NULL, GW_PLAT_LINUX },
        { "Linux 6.1", "Mac", GW_PLAT_LINUX },
        { "  LINUX", NULL, GW_PLAT_LINUX },
        { "darwin", NULL, GW_PLAT_MACOS },
        { "macos", "iPhone", GW_PLAT_MACOS },
        { "macOS 15.1", NULL, GW_PLAT_MACOS },
        { "win32", NULL, GW_PLAT_WINDOWS },
        { "Windows", NULL, GW_PLAT_WINDOWS },
        { "ios 18", NULL, GW_PLAT_IOS },
        { "Android", NULL, GW_PLAT_ANDROID },
        { "ipados", "iPad", GW_PLAT_IOS },
        { "", "iPhone", GW_PLAT_IOS },
        { NULL, "Some Android", GW_PLAT_ANDROID },
        { "plan9", "MacBook", GW_PLAT_MACOS },
        { NULL, "Windows", GW_PLAT_WINDOWS },
        { NULL, "Linux", GW_PLAT_LINUX },
        { "freebsd", NULL, GW_PLAT_UNKNOWN },
        { "gnu/linux", NULL, GW_PLAT_UNKNOWN },
        { NULL, NULL, GW_PLAT_UNKNOWN },
        { "", "", GW_PLAT_UNKNOWN },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        if (gw_platform_classify(rows[i].platform, rows[i].family) != rows[i].want) {
            fail_msg("row %zu (%s)", i, rows[i].platform ? rows[i].platform : "");
        }
    }
}

/* One letter per class in the order of the enum: unknown, linux, macos, windows, ios, android. */
static void defaults_by_platform(void **state) {
    (void)state;
    static const struct {
        const char *command, *where;
    } rows[] = {
        { "system.run", "ulmw.." },
        { "system.run.prepare", "ulmw.." },
        { "system.which", "ulmw.." },
        { "system.notify", "ulmwia" },
        { "browser.proxy", "ulmw.." },
        { "canvas.present", "ulm.ia" },
        { "canvas.a2ui.pushJSONL", "ulm.ia" },
        { "canvas.eval", "ulm.ia" },
        { "camera.list", "ulmwia" },
        { "camera.snap", ".l...." },
        { "camera.clip", ".l...." },
        { "camera.ptz.control", "......" },
        { "screen.record", ".l...." },
        { "screen.snapshot", ".lmw.." },
        { "fs.listDir", ".lmw.." },
        { "terminal.upload", ".lmw.." },
        { "browser.proxy.upload.v1", ".lmw.." },
        { "mcp.tools.call.v1", ".lmw.." },
        { "agent.cli.claude.run.v1", ".lmw.." },
        { "desktop.stream", ".lmw.." },
        { "computer.act", ".lmw.." },
        { "health.summary", "......" },
        { "location.get", "ulmwia" },
        { "notifications.list", ".l...a" },
        { "device.info", ".lmwia" },
        { "device.status", ".lmwia" },
        { "contacts.search", "..m.ia" },
        { "photos.latest", "..m.ia" },
        { "motion.pedometer", "..m.ia" },
        { "contacts.add", "......" },
        { "calendar.add", "......" },
        { "reminders.add", "......" },
        { "sms.send", "......" },
        { "system.execApprovals.get", "......" },
        { "system.execApprovals.set", "......" },
        { "system.runaway", "......" },
        { "SYSTEM.RUN", "......" },
        { "", "......" },
    };
    struct gw_policy policy = { 0 };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        for (size_t c = 0; c < 6; c++) {
            bool want = rows[i].where[c] != '.';
            if (gw_policy_allows(&policy, (enum gw_platform_class)c, rows[i].command) != want) {
                fail_msg("%s on class %zu", rows[i].command, c);
            }
        }
    }
}

static struct gw_policy load(const char *text) {
    OC_AUTO_JSON cJSON *config = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &config, NULL), OC_OK);
    struct gw_policy policy;
    gw_policy_load(&policy, config);
    return policy;
}

static void the_owner_adds_and_removes(void **state) {
    (void)state;
    struct gw_policy policy =
            load("{\"gateway\":{\"nodes\":{"
                 "\"allowCommands\":[\"sms.send\",\" camera.snap \",\"x.y\",7,\"\"],"
                 "\"denyCommands\":[\"system.run\"],"
                 "\"commands\":{\"allow\":[\"a.b\"],\"deny\":[\"x.y\"]}}}}");
    assert_true(gw_policy_allows(&policy, GW_PLAT_WINDOWS, "sms.send"));
    assert_true(gw_policy_allows(&policy, GW_PLAT_UNKNOWN, "camera.snap"));
    assert_true(gw_policy_allows(&policy, GW_PLAT_IOS, "a.b"));
    assert_false(gw_policy_allows(&policy, GW_PLAT_LINUX, "x.y")); /* deny wins */
    assert_false(gw_policy_allows(&policy, GW_PLAT_LINUX, "system.run"));
    assert_true(gw_policy_allows(&policy, GW_PLAT_LINUX, "system.run.prepare")); /* exact names */
    assert_false(gw_policy_allows(&policy, GW_PLAT_LINUX, ""));
    gw_policy_finish(&policy);
}

static void odd_configuration_is_nothing(void **state) {
    (void)state;
    static const char *const texts[] = { "{}", "[]", "{\"gateway\":7}",
        "{\"gateway\":{\"nodes\":{\"allowCommands\":\"sms.send\",\"denyCommands\":{\"a\":\"system."
        "run\"},"
        "\"commands\":[\"sms.send\"]}}}" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        struct gw_policy policy = load(texts[i]);
        assert_int_equal(policy.allow.count + policy.deny.count, 0);
        assert_true(gw_policy_allows(&policy, GW_PLAT_LINUX, "system.run"));
        gw_policy_finish(&policy);
    }
    struct gw_policy policy;
    gw_policy_load(&policy, NULL);
    assert_int_equal(policy.allow.count, 0);
    gw_policy_finish(&policy);
}

static void filtering_sorts_and_drops(void **state) {
    (void)state;
    struct gw_policy policy = load("{\"gateway\":{\"nodes\":{\"allowCommands\":[\"z.z\"]}}}");
    OC_AUTO_STRV struct oc_strv declared = { 0 }, kept = { 0 }, none = { 0 };
    static const char *const names[] = { "z.z", "system.which", "system.execApprovals.get",
        "system.run", "system.which", "sms.send", "canvas.present" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        oc_strv_add(&declared, names[i]);
    }
    gw_policy_filter(&policy, GW_PLAT_LINUX, &declared, &kept);
    OC_AUTO_FREE char *joined = oc_strv_join(&kept, " ");
    assert_string_equal(joined, "canvas.present system.run system.which z.z");
    oc_strv_finish(&declared);
    declared = (struct oc_strv){ 0 };
    gw_policy_filter(&policy, GW_PLAT_LINUX, &declared, &none);
    assert_int_equal(none.count, 0);
    gw_policy_finish(&policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_sorted),
        cmocka_unit_test(platforms_are_told_by_prefix_then_family),
        cmocka_unit_test(defaults_by_platform),
        cmocka_unit_test(the_owner_adds_and_removes),
        cmocka_unit_test(odd_configuration_is_nothing),
        cmocka_unit_test(filtering_sorts_and_drops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
