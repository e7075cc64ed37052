#include "tests/unit/unit.h"

#include "lib/protocol/scopes.h"

/* Blank-separated words. */
static struct oc_strv words(const char *text) {
    struct oc_strv v = { 0 };
    while (*text) {
        size_t n = strcspn(text, " ");
        OC_AUTO_FREE char *word = oc_strndup(text, n);
        oc_strv_add(&v, word);
        text += n + (text[n] == ' ');
    }
    return v;
}

static void expect(const char *role, const char *granted, const char *wanted, bool want) {
    OC_AUTO_STRV struct oc_strv g = words(granted), w = words(wanted);
    assert_true(oc_scopes_cover(role, &g, &w) == want);
}

static void cover_rules(void **state) {
    (void)state;
    expect("operator", "", "", true);
    expect("operator", "", "operator.read", false);
    expect("operator", "operator.read", "", true);
    expect("operator", "operator.read", "operator.read", true);
    expect("operator", "operator.read", "operator.write", false);
    expect("operator", "operator.write", "operator.read operator.write", true);
    expect("operator", "operator.write", "operator.pairing", false);
    expect("operator", "operator.admin",
            "operator.read operator.write operator.approvals operator.x", true);
    expect("operator", "operator.admin", "something.else", false);
    expect("operator", "operator.read operator.pairing", "operator.pairing operator.read", true);
    expect("operator", "operator.read", "operator.rea", false);
    expect("node", "operator.admin", "operator.read", false); /* exact outside the operator role */
    expect("node", "", "", true);
    expect("node", "a b", "b", true);
    expect("node", "operator.write", "operator.read", false);
}

static void held(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv admin = words("operator.admin"),
                                approvals = words("operator.approvals");
    assert_true(oc_scope_held(&admin, OC_SCOPE_PAIRING));
    assert_true(oc_scope_held(&approvals, OC_SCOPE_APPROVALS));
    assert_false(oc_scope_held(&approvals, OC_SCOPE_ADMIN));
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(cover_rules), cmocka_unit_test(held) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
