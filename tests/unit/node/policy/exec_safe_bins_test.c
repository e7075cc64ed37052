#include "node/policy/exec_safe_bins.h"

#include "tests/unit/unit.h"

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &v, NULL), OC_OK);
    return v;
}

/* Words are split at spaces. */
static bool judge(
        const struct nd_safe_bins *s, const char *path, const char *line, char **ret_why) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    for (const char *at = line;; at++) {
        size_t len = strcspn(at, " ");
        OC_AUTO_FREE char *word = oc_strndup(at, len);
        oc_strv_add(&argv, word);
        at += len;
        if (!*at) {
            return nd_safe_bin_allows(s, path, &argv, ret_why);
        }
    }
}

static bool allows(const struct nd_safe_bins *s, const char *path, const char *line) {
    return judge(s, path, line, NULL);
}

static void profiles(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *all = parse("[\"jq\",\"grep\",\"cut\",\"sort\",\"uniq\",\"head\",\"tail\","
                                    "\"tr\",\"wc\",\"cat\"]");
    struct nd_safe_bins s = { .bins = all };
    static const struct {
        const char *line;
        bool is_safe;
    } cases[] = {
        { "head", true }, { "head -n 5", true }, { "head -n5", true }, { "head --lines=5", true },
        { "head --lines 5", true },
        { "head --lin=5", false }, /* abbreviations could be something else in another version */
        { "head file", false }, { "head -n 5 file", false }, { "head -n /etc/passwd", false },
        { "head -n", false }, { "head -", true }, { "head -- x", false }, { "head --", true },
        { "tail -n 5", true }, { "tail -f", false }, { "tail --follow", false },
        { "tail --pid=1", false }, { "cut -d: -f1", true }, { "cut -d , -f 1,2", true },
        { "cut -f1 /etc/passwd", false }, { "uniq -c", true }, { "uniq in out", false },
        { "wc -l", true }, { "wc --files0-from=x", false }, { "wc --files0-from x", false },
        { "wc /etc/passwd", false }, { "tr a b", true }, { "tr -d x", true },
        { "tr [:lower:] [:upper:]", true }, { "tr", false }, { "tr a b c", false },
        { "sort -u", true }, { "sort -k 2 -t ,", true }, { "sort -o out", false },
        { "sort -oout", false }, { "sort -uo out", false }, { "sort --output=x", false },
        { "sort --compress-program=sh", false }, { "sort --files0-from=x", false },
        { "sort -T /tmp", false }, { "sort --random-source=x", false }, { "sort in", false },
        { "grep -e x", true }, { "grep -ie x", true }, { "grep x", false }, { "grep -f x", false },
        { "grep -r -e x", false }, { "grep -re x", false }, { "grep -R -e x", false },
        { "grep --recursive -e x", false }, { "grep --file=x", false },
        { "grep -d recurse -e x", false }, { "grep -e x file", false }, { "jq .", true },
        { "jq -r .a.env", true }, { "jq --arg a b .x", true }, { "jq . file", false },
        { "jq --arg a .x",
                true }, /* .x is the value, and no filter is left: jq says how it is used */
        { "jq -f file", false }, { "jq --from-file file", false },
        { "jq --rawfile a file .", false }, { "jq --slurpfile a file .", false },
        { "jq --argfile a file .", false }, { "jq -L dir .", false }, { "jq -Ldir .", false },
        { "jq --library-path dir .", false }, { "jq env", false }, { "jq $ENV", false },
        { "jq $__loc__", false }, { "jq .__loc__", true }, { "jq .$ENV", false },
        { "jq .a|env.TOKEN", false }, { "jq \"\\(env)\"", false },
        { "jq import\"x\"as\"y\";.", false }, { "jq include\"x\";.", false },
        { "jq .environment", true }, { "cat", false }, /* no profile says what is harmless */
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *name = oc_strndup(cases[i].line, strcspn(cases[i].line, " "));
        OC_AUTO_FREE char *path = oc_strfmt("/usr/bin/%s", name);
        if (allows(&s, path, cases[i].line) != cases[i].is_safe) {
            fail_msg("%s", cases[i].line);
        }
    }
}

static void only_what_is_switched_on(void **state) {
    (void)state;
    struct nd_safe_bins usual = { 0 };
    assert_true(allows(&usual, "/usr/bin/wc", "wc -l"));
    assert_false(allows(&usual, "/usr/bin/sort", "sort"));
    assert_false(allows(&usual, "/usr/bin/grep", "grep -e x"));
    OC_AUTO_JSON cJSON *none = parse("[]"), *one = parse("[\"sort\"]");
    assert_false(allows(&(struct nd_safe_bins){ .bins = none }, "/usr/bin/wc", "wc -l"));
    assert_true(allows(&(struct nd_safe_bins){ .bins = one }, "/usr/bin/sort", "sort"));
    assert_false(allows(&(struct nd_safe_bins){ .bins = one }, "/usr/bin/wc", "wc"));
}

static void only_from_trusted_directories(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *dirs = parse("[\"/opt/tools\",7]");
    struct nd_safe_bins usual = { 0 }, more = { .trusted_dirs = dirs };
    static const char *const elsewhere[] = { "/opt/tools/wc", "/usr/local/bin/wc", "/tmp/wc",
        "/usr/bin/x/wc", "/usr/bin/../tmp/wc", "wc", "/wc" };
    for (size_t i = 0; i < OC_COUNT(elsewhere); i++) {
        assert_false(allows(&usual, elsewhere[i], "wc"));
        assert_int_equal(allows(&more, elsewhere[i], "wc"), i == 0);
    }
}

static void own_profiles(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *bins = parse("[\"mytool\",\"wc\"]");
    OC_AUTO_JSON cJSON *own = parse("{\"mytool\":{\"minPositional\":1,\"maxPositional\":1,"
                                    "\"allowedValueFlags\":[\"--limit\","
                                    "\"-n\",\"--out\"],\"deniedFlags\":[\"--out\"]},\"wc\":{}}");
    struct nd_safe_bins s = { .bins = bins, .profiles = own };
    assert_true(allows(&s, "/usr/bin/mytool", "mytool x"));
    assert_true(allows(&s, "/usr/bin/mytool", "mytool --limit 5 -n3 x"));
    assert_false(allows(&s, "/usr/bin/mytool", "mytool --out 5 x"));
    assert_false(allows(&s, "/usr/bin/mytool", "mytool --other x"));
    assert_false(allows(&s, "/usr/bin/mytool", "mytool -q x"));
    assert_false(allows(&s, "/usr/bin/mytool", "mytool"));
    assert_false(allows(&s, "/usr/bin/mytool", "mytool x y"));
    assert_false(allows(&s, "/usr/bin/mytool", "mytool /etc/passwd"));
    assert_true(allows(&s, "/usr/bin/wc", "wc"));
    assert_false(allows(&s, "/usr/bin/wc", "wc -l")); /* the owner's profile replaces ours */
}

static void the_trouble_is_named(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *more = parse("[\"jq\",\"head\",\"wc\",\"tr\",\"mytool\"]");
    struct nd_safe_bins s = { .bins = more };
    static const struct {
        const char *path, *line, *why; /* why: NULL: it is not about arguments */
    } cases[] = {
        { "/usr/bin/head", "head -n 1 /etc/passwd", "/etc/passwd names a file" },
        { "/usr/bin/head", "head -n /etc/passwd", "/etc/passwd names a file" },
        { "/usr/bin/head", "head -n", "-n lacks its value" },
        { "/usr/bin/head", "head notes", "notes is one argument too many" },
        { "/usr/bin/wc", "wc --files0-from=x", "--files0-from=x is an option" },
        { "/usr/bin/jq", "jq -n env", "env is a filter that can read the environment" },
        { "/usr/bin/tr", "tr", "an argument is missing" },
        { "/usr/bin/mytool", "mytool", "tools.exec.safeBinProfiles does not say" },
        { "/usr/bin/wc", "wc -l", NULL },
        { "/usr/bin/git", "git x", NULL },
        { "/opt/wc", "wc /x", NULL },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *why = NULL;
        judge(&s, cases[i].path, cases[i].line, &why);
        if (cases[i].why ? !why || strncmp(why, cases[i].why, strlen(cases[i].why)) != 0
                         : why != NULL) {
            fail_msg("%s: %s", cases[i].line, why ? why : "(nothing)");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles),
        cmocka_unit_test(only_what_is_switched_on),
        cmocka_unit_test(only_from_trusted_directories),
        cmocka_unit_test(own_profiles),
        cmocka_unit_test(the_trouble_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
