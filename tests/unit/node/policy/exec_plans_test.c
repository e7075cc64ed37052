#include "node/policy/exec_plans.h"

#include "tests/unit/unit.h"

static void fill(struct oc_strv *v, const char *a, const char *b) {
    oc_strv_add(v, a);
    oc_strv_add(v, b);
}

static uint64_t put(struct nd_exec_plans *t, const struct nd_exec_plan_key *key, const char *files,
        int64_t now_ms) {
    struct nd_exec_look look = { .would = "w" };
    (void)snprintf(look.files, sizeof(look.files), "%s", files);
    return nd_exec_plans_add(t, key, &look, now_ms);
}

static void expect(const struct nd_exec_plans *t, const struct nd_exec_plan_key *key,
        int64_t now_ms, const char *files, bool is_torn) {
    bool torn = true;
    const struct nd_exec_look *look = nd_exec_plans_find(t, key, now_ms, &torn);
    assert_int_equal(torn, is_torn);
    if (!look || !files) {
        assert_true(!look && !files);
    } else {
        assert_string_equal(look->files, files);
    }
}

static bool changed(const struct nd_exec_plans *t, const struct nd_exec_plan_key *key,
        const char *files, uint64_t since) {
    struct nd_exec_look look = { .would = "other" };
    (void)snprintf(look.files, sizeof(look.files), "%s", files);
    return nd_exec_plans_changed(t, key, &look, since);
}

/* The gateway brings the look of the request along. */
static void a_later_look_that_differs_is_noticed(void **state) {
    (void)state;
    struct nd_exec_plans *t = oc_new(struct nd_exec_plans);
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill(&v, "sh", "x");
    struct nd_exec_plan_key key = { .argv = &v, .cwd = "/d" }, elsewhere = { .argv = &v };
    put(t, &key, "evil", 1000);
    uint64_t asked = put(t, &key, "seen", 2000);
    assert_false(changed(t, &key, "seen", asked)); /* what was before does not matter */
    assert_int_equal(put(t, &key, "seen", 3000), asked);
    put(t, &elsewhere, "evil", 4000);
    assert_false(changed(t, &key, "seen", asked));
    put(t, &key, "evil", 5000);
    assert_true(changed(t, &key, "seen", asked));
    uint64_t again =
            put(t, &key, "seen", 6000); /* back again: too late for the first, good for a new one */
    assert_true(changed(t, &key, "seen", asked));
    assert_false(changed(t, &key, "seen", again));
    oc_free(t);
}

/* Without it, two looks that differ are one too many. */
static void otherwise_all_looks_must_agree(void **state) {
    (void)state;
    struct nd_exec_plans *t = oc_new(struct nd_exec_plans);
    OC_AUTO_STRV struct oc_strv v = { 0 }, w = { 0 };
    fill(&v, "sh", "x");
    fill(&w, "s", "hx");
    struct nd_exec_plan_key key = { .argv = &v, .cwd = "/d" };
    struct nd_exec_plan_key elsewhere = { .argv = &v }, another = { .argv = &w, .cwd = "/d" };
    expect(t, &key, 0, NULL, false);
    put(t, &key, "one", 1);
    expect(t, &key, 3, "one", false);
    put(t, &key, "two", 2);
    expect(t, &key, 3, "two", true);
    put(t, &key, "one", 3);
    expect(t, &key, 3, "one", true);
    expect(t, &elsewhere, 3, NULL, false);
    expect(t, &another, 3, NULL, false);
    nd_exec_plans_forget(t, &key);
    expect(t, &key, 3, NULL, false);
    put(t, &key, "two", 3);
    expect(t, &key, 4, "two", false);
    put(t, &key, "one", 5 + ND_EXEC_PLAN_MS); /* an hour later */
    expect(t, &key, 5 + ND_EXEC_PLAN_MS, "one", false);
    oc_free(t);
}

static void who_prepares_much_forgets_its_own(void **state) {
    (void)state;
    struct nd_exec_plans *t = oc_new(struct nd_exec_plans);
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill(&v, "sh", "x");
    struct nd_exec_plan_key mine = { .argv = &v, .cwd = "/mine", .agent_id = "main" };
    put(t, &mine, "seen", 1);
    for (int i = 0; i < 2 * ND_EXEC_PLANS; i++) {
        OC_AUTO_FREE char *dir = oc_strfmt("/%d", i);
        struct nd_exec_plan_key key = { .argv = &v, .cwd = dir, .agent_id = "busy" };
        put(t, &key, "f", 2 + i);
        expect(t, &key, 2 + i, "f", false);
    }
    struct nd_exec_plan_key first = { .argv = &v, .cwd = "/0", .agent_id = "busy" };
    expect(t, &first, 5000, NULL, false);
    expect(t, &mine, 5000, "seen", false);
    for (int i = 0; i < ND_EXEC_PLANS; i++) { /* each under another name: then the oldest go */
        OC_AUTO_FREE char *agent = oc_strfmt("a%d", i);
        struct nd_exec_plan_key key = { .argv = &v, .cwd = agent, .agent_id = agent };
        put(t, &key, "f", 3000 + i);
    }
    expect(t, &mine, 5000, NULL, false);
    oc_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_look_that_differs_is_noticed),
        cmocka_unit_test(otherwise_all_looks_must_agree),
        cmocka_unit_test(who_prepares_much_forgets_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
