#include "node/argv/exec_words.h"

#include "node/argv/exec_option_names.h"
#include "node/argv/exec_pieces.h"
#include "node/argv/exec_quiet.h"
#include "node/argv/exec_readers.h"
#include "tests/unit/unit.h"

static const struct {
    const char *name, *word;
    bool runs;
} words[] = {
    { "tool", "", false },
    { "tool", "=", false },
    { "tool", ":", false },
    { "tool", "a=", false },
    { "tool", "a:", false },
    { "tool", "==::", false },
    { "tool", " ", false },
    { "tool", "!", false },
    { "tool", "|", false },
    { "tool", "a=|", true }, /* of the word itself: "a=" is piped elsewhere */
    { "tool", "a=!", false },
    { "tool", "!x", true },
    { "tool", " !x", true },
    { "tool", "=!x", true },
    { "tool", ":!x", true },
    { "tool", "a=b:!x", true },
    { "tool", "a=b= |x", true },
    { "tool", "|x", true },
    { "tool", "| ", false },
    { "tool", "x|", true },
    { "tool", "a|b", false },
    { "tool", "a!b", false },
    { "tool", "--exec", true },
    { "tool", "--no-pager", false },
    { "tool", "-", false },
    { "tool", "--", false },
    { "tar", "", false },
    { "git", "", false },
    { "tar", "-I", true },
    { "tar", "--use-comp", true },
    { "tar", "-czf", false },
};

/* Each word on a heap block of its own length: reading past its end is seen. */
static void words_that_run_something(void **state) {
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        for (int position = 1; position <= 2; position++) {
            OC_AUTO_STRV struct oc_strv argv = { 0 };
            oc_strv_add(&argv, words[i].name);
            if (position == 2) {
                oc_strv_add(&argv, "data");
            }
            oc_strv_add(&argv, words[i].word);
            if (nd_exec_word_runs(words[i].name, &argv, argv.count - 1) != words[i].runs) {
                print_error("%s \"%s\"\n", words[i].name, words[i].word);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

static void empty_words_are_nothing(void **state) {
    (void)state;
    char name[64];
    OC_AUTO_FREE char *empty = oc_strdup("");
    OC_AUTO_STRV struct oc_strv pieces = { 0 };
    assert_false(nd_exec_is_pipe_word(empty));
    assert_false(nd_exec_option_name(empty, name));
    assert_false(nd_exec_is_called_like_code(empty));
    assert_false(nd_exec_is_code_option("awk", empty));
    assert_false(nd_exec_is_code_option(empty, empty));
    assert_false(nd_exec_reads_data(empty));
    assert_false(nd_exec_runs_nothing(empty));
    nd_exec_word_pieces(empty, &pieces);
    assert_int_equal(pieces.count, 1);
    assert_string_equal(pieces.items[0], "");
}

static void pieces_of_a_word(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv pieces = { 0 };
    nd_exec_word_pieces("-I./x,y=z w", &pieces);
    OC_AUTO_FREE char *joined = oc_strv_join(&pieces, "#");
    assert_string_equal(joined, "-I./x,y=z w#z w#./x,y=z w#-I./x#y#z#w");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_run_something),
        cmocka_unit_test(empty_words_are_nothing),
        cmocka_unit_test(pieces_of_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
