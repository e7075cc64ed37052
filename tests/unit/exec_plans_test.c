#include "node/exec_plans.h"

#include "tests/unit/unit.h"

static void fill(struct oc_strv *v, const char *a, const char *b) {
    oc_strv_add(v, a);
    oc_strv_add(v, b);
}

static void put(struct oc_exec_plans *t, const struct oc_exec_plan_key *key, const char *files,
        int64_t now_ms) {
    struct oc_exec_look look = { .would = "w" };
    (void)snprintf(look.files, sizeof(look.files), "%s", files);
    oc_exec_plans_add(t, key, &look, now_ms);
}

static void expect(const struct oc_exec_plans *t, const struct oc_exec_plan_key *key,
        int64_t age_ms, int64_t now_ms, const char *files) {
    const struct oc_exec_look *look = oc_exec_plans_find(t, key, age_ms, now_ms);
    if (!look || !files) {
        assert_true(!look && !files);
    } else {
        assert_string_equal(look->files, files);
    }
}

/* The gateway says when the approval was asked for: a minute ago. */
static void the_last_look_before_the_question_counts(void **state) {
    (void)state;
    struct oc_exec_plans *t = oc_new(struct oc_exec_plans);
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill(&v, "sh", "x");
    struct oc_exec_plan_key key = { .argv = &v, .cwd = "/d" };
    expect(t, &key, 0, 0, NULL);
    put(t, &key, "old", 1000);
    put(t, &key, "seen", 10000);
    put(t, &key, "seen", 20000); /* the same again: keeps its time */
    put(t, &key, "later", 80000);
    expect(t, &key, 60000, 75000, "seen");
    expect(t, &key, 60000, 100000, "seen");
    expect(t, &key, 60000, 65000, "old");
    expect(t, &key, 60000, 60000, NULL); /* nobody had looked then */
    expect(t, &key, 0, 100000, "later");
    put(t, &key, "seen", 110000); /* back again */
    expect(t, &key, 0, 110000, "seen");
    expect(t, &key, 20000, 110000, "later");
    expect(t, &key, 60000, 10000 + OC_EXEC_PLAN_MS, "seen");
    expect(t, &key, 60000, 110000 + OC_EXEC_PLAN_MS, NULL);
    oc_exec_plans_forget(t, &key);
    expect(t, &key, 0, 110000, NULL);
    oc_free(t);
}

/* Preparing again must not exchange the script when nobody says when it was approved. */
static void otherwise_the_first_one_counts(void **state) {
    (void)state;
    struct oc_exec_plans *t = oc_new(struct oc_exec_plans);
    OC_AUTO_STRV struct oc_strv v = { 0 }, w = { 0 };
    fill(&v, "sh", "x");
    fill(&w, "s", "hx");
    struct oc_exec_plan_key key = { .argv = &v, .cwd = "/d" };
    struct oc_exec_plan_key elsewhere = { .argv = &v }, another = { .argv = &w, .cwd = "/d" };
    put(t, &key, "one", 1);
    put(t, &key, "two", 2);
    expect(t, &key, -1, 3, "one");
    expect(t, &elsewhere, -1, 3, NULL);
    expect(t, &another, -1, 3, NULL);
    oc_exec_plans_forget(t, &key);
    expect(t, &key, -1, 3, NULL);
    put(t, &key, "two", 3);
    expect(t, &key, -1, 4, "two");
    oc_free(t);
}

static void who_prepares_much_forgets_its_own(void **state) {
    (void)state;
    struct oc_exec_plans *t = oc_new(struct oc_exec_plans);
    OC_AUTO_STRV struct oc_strv v = { 0 };
    fill(&v, "sh", "x");
    struct oc_exec_plan_key mine = { .argv = &v, .cwd = "/mine", .agent_id = "main" };
    put(t, &mine, "seen", 1);
    for (int i = 0; i < 2 * OC_EXEC_PLANS; i++) {
        OC_AUTO_FREE char *dir = oc_strfmt("/%d", i);
        struct oc_exec_plan_key key = { .argv = &v, .cwd = dir, .agent_id = "busy" };
        put(t, &key, "f", 2 + i);
        expect(t, &key, 0, 2 + i, "f");
    }
    struct oc_exec_plan_key first = { .argv = &v, .cwd = "/0", .agent_id = "busy" };
    expect(t, &first, 0, 5000, NULL);
    expect(t, &mine, 0, 5000, "seen");
    for (int i = 0; i < OC_EXEC_PLANS; i++) { /* each under another name: then the oldest go */
        OC_AUTO_FREE char *agent = oc_strfmt("a%d", i);
        struct oc_exec_plan_key key = { .argv = &v, .cwd = agent, .agent_id = agent };
        put(t, &key, "f", 3000 + i);
    }
    expect(t, &mine, 0, 5000, NULL);
    oc_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_look_before_the_question_counts),
        cmocka_unit_test(otherwise_the_first_one_counts),
        cmocka_unit_test(who_prepares_much_forgets_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
