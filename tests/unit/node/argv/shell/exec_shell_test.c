#include "node/argv/shell/exec_shell.h"

#include "tests/unit/unit.h"

/* "a,b && c" for the words a, b and then c. */
static char *show(const struct nd_shell_script *s) {
    struct oc_buf out = OC_BUF_INIT(1u << 20);
    for (size_t i = 0; i < s->count; i++) {
        OC_AUTO_FREE char *words = oc_strv_join(&s->commands[i].words, ",");
        oc_buf_puts(&out, words);
        oc_buf_puts(&out, nd_shell_op_text(s->commands[i].next));
    }
    return oc_buf_take(&out);
}

static void what_it_reads(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        { "git status", "git,status" },
        { "  git\t status  ", "git,status" },
        { "a&&b||c;d|e", "a && b || c ; d | e" },
        { "git commit -m \"x; y && z | w\"", "git,commit,-m,x; y && z | w" },
        { "git commit -m 'it'\\''s'", "git,commit,-m,it's" },
        { "echo 'a'\"b\"c", "echo,abc" },
        { "echo '' \"\" x", "echo,,,x" },
        { "echo \"a\\\"b\\\\c\\$d\\`e\\n\"", "echo,a\"b\\c$d`e\\n" },
        { "echo a\\ b \\; \\| \\&", "echo,a b,;,|,&" },
        { "echo '$HOME `id` $(id)'", "echo,$HOME `id` $(id)" },
        { "echo 'a\nb' \"c\nd\"", "echo,a\nb,c\nd" },
        { "git show HEAD~1 HEAD^ a#b", "git,show,HEAD~1,HEAD^,a#b" },
        { "x --flag=value @ % + , . / : _ -", "x,--flag=value,@,%,+,,,.,/,:,_,-" },
        { "date +%s", "date,+%s" },
        { "find . ! -name x", "find,.,!,-name,x" },
        { "echo if then FOO=1", "echo,if,then,FOO=1" },
        { "echo \xc3\xa4 \\\xc3\xa4 '\xe2\x82\xac'", "echo,\xc3\xa4,\xc3\xa4,\xe2\x82\xac" },
        { "echo \"hello!\"", "echo,hello!" },
        { "./tool ../x", "./tool,../x" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct nd_shell_script s;
        OC_AUTO_FREE char *why = NULL;
        if (!nd_shell_read(cases[i].text, &s, &why)) {
            fail_msg("%s: %s", cases[i].text, why);
        }
        OC_AUTO_FREE char *words = show(&s);
        assert_string_equal(words, cases[i].words);
        nd_shell_finish(&s);
    }
}

static void what_it_refuses(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "", "without a command" },
        { "   ", "without a command" },
        { "a &&", "without a command" },
        { "&& a", "without a command" },
        { "| a", "without a command" },
        { "a ||| b", "without a command" },
        { "a ;", "without a command" },
        { "a ; ; b", "without a command" },
        { "a ;; b", "double semicolon" },
        { "a & b", "background" },
        { "a &", "background" },
        { "a |& b", "pipe with errors" },
        { "a > f", "redirection" },
        { "a >f", "redirection" },
        { "a 2>&1", "redirection" },
        { "a < f", "redirection" },
        { "a << EOF\nx\nEOF", "redirection" },
        { "a <<< x", "redirection" },
        { "a <(b)", "redirection" },
        { "a $HOME", "expansion" },
        { "a $(b)", "expansion" },
        { "a ${b}", "expansion" },
        { "a $((1))", "expansion" },
        { "a $'x'", "expansion" },
        { "a $", "expansion" },
        { "a `b`", "expansion" },
        { "a \"$(b)\"", "expansion in double quotes" },
        { "a \"$b\"", "expansion in double quotes" },
        { "a \"`b`\"", "expansion in double quotes" },
        { "$a", "expansion" },
        { "(a)", "subshell" },
        { "a() { b; }", "subshell" },
        { "{ a; }", "brace" },
        { "a {b,c}", "brace" },
        { "a *", "file name pattern" },
        { "a ?", "file name pattern" },
        { "a [b]", "file name pattern" },
        { "[ -f x ]", "file name pattern" },
        { "a ~", "home directory" },
        { "a ~/x", "home directory" },
        { "a b=~/x", "home directory" },
        { "a b:~/x", "home directory" },
        { "a # b", "comment" },
        { "# b", "comment" },
        { "a; # b", "comment" },
        { "a =b", "zsh" },
        { "a\nb", "line break" },
        { "a\rb", "line break" },
        { "a \\\n b", "line continuation" },
        { "a \"b\\\nc\"", "line continuation" },
        { "a\\\nb", "line continuation" },
        { "a \\", "escape of nothing" },
        { "a 'b", "not closed" },
        { "a \"b", "not closed" },
        { "a \"b\\\"", "not closed" },
        { "A=1 b", "an assignment" },
        { "A='1' b", "an assignment" },
        { "A+=1 b", "an assignment" },
        { "A[1]=1 b", "file name pattern" },
        { "! a", "a word of the shell" },
        { "if a; then b; fi", "a word of the shell" },
        { "for f in x; do y; done", "a word of the shell" },
        { "while a; do b; done", "a word of the shell" },
        { "case a in b", "a word of the shell" },
        { "function f", "a word of the shell" },
        { "time a", "a word of the shell" },
        { "exec a", "a word of the shell" },
        { "command a", "a word of the shell" },
        { "builtin a", "a word of the shell" },
        { "eval a", "a word of the shell" },
        { "'eval' a", "a word of the shell" },
        { "e\\val a", "a word of the shell" },
        { ". a", "a word of the shell" },
        { "source a", "a word of the shell" },
        { "cd /x", "only understood as" },
        { "cd", "only understood as" },
        { "cd && a", "only understood as" },
        { "cd - && a", "only understood as" },
        { "cd -P /x && a", "only understood as" },
        { "cd '' && a", "only understood as" },
        { "cd /x /y && a", "only understood as" },
        { "cd /x; a", "only understood as" },
        { "cd /x || a", "only understood as" },
        { "cd /x | a", "only understood as" },
        { "cd /x &&", "without a command" },
        { "cd /x && cd /y && a", "a word of the shell" },
        { "cd ~ && a", "home directory" },
        { "a && cd /x", "a word of the shell" },
        { "export A=b", "a word of the shell" },
        { "trap a EXIT", "a word of the shell" },
        { "set -- a", "a word of the shell" },
        { "''", "without a name" },
        { "'' a", "without a name" },
        { "a \x01", "control character" },
        { "a \x7f", "control character" },
        { "a \x1b", "control character" },
        { "%1", "a job" },
        { "^a", "\"^\"" },
        { "a \xff", "UTF-8" },
        { "a '\xc3'", "UTF-8" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct nd_shell_script s;
        OC_AUTO_FREE char *why = NULL;
        if (nd_shell_read(cases[i].text, &s, &why)) {
            fail_msg("'%s' was read", cases[i].text);
        }
        if (!why || !strstr(why, cases[i].why)) {
            fail_msg("'%s': %s", cases[i].text, why);
        }
        nd_shell_finish(&s);
    }
}

static void where_it_starts(void **state) {
    (void)state;
    struct nd_shell_script s;
    char *why = NULL;
    assert_true(nd_shell_read("cd 'a b' && git status && ls", &s, &why));
    assert_string_equal(s.dir, "a b");
    OC_AUTO_FREE char *words = show(&s);
    assert_string_equal(words, "git,status && ls");
    nd_shell_finish(&s);
}

static void it_has_ceilings(void **state) {
    (void)state;
    struct oc_buf text = OC_BUF_INIT(1u << 20);
    for (int i = 0; i < ND_MAX_SCRIPT_COMMANDS; i++) {
        oc_buf_puts(&text, "a;");
    }
    oc_buf_puts(&text, "a");
    struct nd_shell_script s;
    char *why = NULL;
    assert_false(nd_shell_read(text.data, &s, &why));
    assert_non_null(strstr(why, "too many commands"));
    oc_free(why);
    nd_shell_finish(&s);
    assert_true(nd_shell_read(text.data + 2, &s, &why));
    assert_int_equal(s.count, ND_MAX_SCRIPT_COMMANDS);
    nd_shell_finish(&s);
    oc_buf_clear(&text);
    for (int i = 0; i <= ND_MAX_SCRIPT_WORDS; i++) {
        oc_buf_puts(&text, "a ");
    }
    assert_false(nd_shell_read(text.data, &s, &why));
    assert_non_null(strstr(why, "too many words"));
    oc_free(why);
    nd_shell_finish(&s);
    while (text.len <= ND_MAX_SCRIPT_BYTES) {
        oc_buf_puts(&text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    }
    assert_false(nd_shell_read(text.data, &s, &why));
    assert_non_null(strstr(why, "too long"));
    oc_free(why);
    nd_shell_finish(&s);
    oc_buf_finish(&text);
}

static void quoting(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
    nd_shell_quote(&out, "a'b\"$`\\\n");
    assert_string_equal(out.data, "'a'\\''b\"$`\\\n'");
    oc_buf_clear(&out);
    nd_shell_quote(&out, "");
    assert_string_equal(out.data, "''");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_reads),
        cmocka_unit_test(what_it_refuses),
        cmocka_unit_test(where_it_starts),
        cmocka_unit_test(it_has_ceilings),
        cmocka_unit_test(quoting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
