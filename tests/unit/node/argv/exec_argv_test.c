/* Texts and shapes of argument vectors. The texts must be those that gateways and callers compute
 * themselves. */
#include "node/argv/exec_argv.h"

#include "lib/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static struct oc_strv vector(const char *const *items) {
    struct oc_strv v = { 0 };
    for (; *items; items++) {
        oc_strv_add(&v, *items);
    }
    return v;
}

static void display(void **state) {
    (void)state;
    const struct {
        const char *const *argv;
        const char *text;
    } cases[] = {
        { ARGV("ls"), "ls" }, { ARGV("echo", "Hello from node"), "echo \"Hello from node\"" },
        { ARGV("echo", ""), "echo \"\"" }, { ARGV("echo", "a\"b"), "echo \"a\\\"b\"" },
        { ARGV("echo", "tab\there", "new\nline"), "echo \"tab\there\" \"new\nline\"" },
        { ARGV("echo", "it's", "$HOME", "a\\b", "*"), "echo it's $HOME a\\b *" },
        { ARGV("echo",
                  "no\xc2\xa0"
                  "break",
                  "\xe3\x80\x80"),
                "echo \"no\xc2\xa0"
                "break\" \"\xe3\x80\x80\"" },
        { ARGV("echo", "\xe2\x80\x8b", "\xc3\xa9"),
                "echo \xe2\x80\x8b \xc3\xa9" }, /* U+200B is no space */
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_STRV struct oc_strv v = vector(cases[i].argv);
        OC_AUTO_FREE char *text = nd_argv_display(&v);
        assert_string_equal(text, cases[i].text);
    }
}

static void shell_wrappers(void **state) {
    (void)state;
    const struct {
        const char *const *argv;
        const char *script; /* NULL: none */
        bool env, more;
    } cases[] = {
        { ARGV("/bin/sh", "-c", "echo hi"), "echo hi", false, false },
        { ARGV("/bin/sh", "-lc", "echo hi"), "echo hi", false, false },
        { ARGV("bash", "-xc", "echo hi"), "echo hi", false, false },
        { ARGV("bash", "-o", "pipefail", "-c", "echo hi"), "echo hi", false, false },
        { ARGV("bash", "--norc", "-c", "echo hi"), "echo hi", false, false },
        { ARGV("fish", "--command", "echo hi"), "echo hi", false, false },
        { ARGV("/usr/local/bin/ZSH.EXE", "-c", "x"), "x", false, false },
        { ARGV("sh", "-c", "echo $1", "sh", "arg"), "echo $1", false, true },
        { ARGV("sh", "script.sh", "-c", "x"), NULL, false, false },
        { ARGV("sh", "--", "-c", "x"), NULL, false, false },
        { ARGV("sh", "-c"), NULL, false, false },
        { ARGV("sh", "-c", "  "), NULL, false, false },
        { ARGV("sh", "-x"), NULL, false, false },
        { ARGV("cmd.exe", "/d", "/s", "/c", "dir"), "dir", false, false },
        { ARGV("pwsh", "-NoProfile", "-Command", "ls"), "ls", false, false },
        { ARGV("env", "sh", "-c", "x"), "x", false, false },
        { ARGV("env", "--", "sh", "-c", "x"), "x", false, false },
        { ARGV("env", "A=b", "sh", "-c", "x"), "x", true, false },
        { ARGV("env", "-i", "sh", "-c", "x"), "x", true, false },
        { ARGV("env", "-", "sh", "-c", "x"), "x", true, false },
        { ARGV("env", "-u", "HOME", "C=d", "sh", "-c", "x"), "x", true, false },
        { ARGV("env", "--chdir=/", "sh", "-c", "x"), "x", true, false },
        { ARGV("env", "-S", "sh -c x"), NULL, true, false },
        { ARGV("nice", "-n", "5", "sh", "-c", "x"), "x", false, false },
        { ARGV("nice", "-5", "sh", "-c", "x"), "x", false, false },
        { ARGV("nohup", "sh", "-c", "x"), "x", false, false },
        { ARGV("timeout", "-k", "1", "--signal=KILL", "5", "sh", "-c", "x"), "x", false, false },
        { ARGV("timeout", "--no-such-option", "5", "sh", "-c", "x"), NULL, false, false },
        { ARGV("stdbuf", "-oL", "-e", "0", "sh", "-c", "x"), "x", false, false },
        { ARGV("nice", "nohup", "timeout", "5", "env", "sh", "-c", "x"), "x", false, false },
        { ARGV("nice", "nice", "nice", "nice", "nice", "sh", "-c", "x"), NULL, false, false },
        { ARGV("busybox", "sh", "-c", "x"), "x", false, false },
        { ARGV("busybox", "ls"), NULL, false, false },
        { ARGV("sudo", "sh", "-c", "x"), NULL, false, false },
        { ARGV("ls", "-c", "x"), NULL, false, false },
        { ARGV("timeout", "5"), NULL, false, false },
        { ARGV("env"), NULL, false, false },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_STRV struct oc_strv v = vector(cases[i].argv);
        struct nd_argv_shape shape;
        nd_argv_shape_of(&v, &shape);
        if (!oc_streq(shape.script, cases[i].script) || shape.has_env_changes != cases[i].env ||
                shape.has_more_args != cases[i].more) {
            fail_msg("case %zu: script %s, env %d, more %d", i,
                    shape.script ? shape.script : "(none)", shape.has_env_changes,
                    shape.has_more_args);
        }
    }
}

/* text NULL: refused */
static void check_text(const char *const *argv, const char *raw, const char *text) {
    OC_AUTO_STRV struct oc_strv v = vector(argv);
    OC_AUTO_FREE char *got = NULL;
    struct oc_error err = { 0 };
    enum oc_code rc = nd_argv_text(&v, raw, &got, &err);
    if (text) {
        assert_int_equal(rc, OC_OK);
        assert_string_equal(got, text);
    } else {
        assert_int_equal(rc, OC_E_INVALID);
        assert_string_equal(err.wire, "INVALID_REQUEST");
        assert_string_equal(err.text, "INVALID_REQUEST: rawCommand does not match command");
    }
}

static void texts(void **state) {
    (void)state;
    check_text(ARGV("uname", "-s"), NULL, "uname -s");
    check_text(ARGV("uname", "-s"), "", "uname -s");
    check_text(ARGV("uname", "-s"), " uname -s\n", "uname -s");
    check_text(ARGV("uname", "-s"), "uname -a", NULL);
    check_text(ARGV("/bin/sh", "-lc", "echo hi; exit 3"), NULL, "echo hi; exit 3");
    check_text(ARGV("/bin/sh", "-lc", "echo hi; exit 3\n"), "echo hi; exit 3\n", "echo hi; exit 3");
    check_text(ARGV("/bin/sh", "-lc", "echo hi"), "echo ho", NULL);
    check_text(ARGV("/bin/sh", "-lc", "echo hi"), "/bin/sh -lc \"echo hi\"", NULL);
    /* What runs is more than the script, so the script alone may not stand for it. */
    check_text(ARGV("sh", "-c", "echo $1", "sh", "x"), "echo $1", NULL);
    check_text(ARGV("sh", "-c", "echo $1", "sh", "x"), NULL, "sh -c \"echo $1\" sh x");
    check_text(ARGV("env", "A=b", "sh", "-c", "id"), "id", NULL);
    check_text(ARGV("env", "A=b", "sh", "-c", "id"), "env A=b sh -c id", "env A=b sh -c id");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(display),
        cmocka_unit_test(shell_wrappers),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
