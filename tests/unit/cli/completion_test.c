#include "cli/completion.h"

#include "cli/command.h"
#include "lib/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_every_command_and_option(void **state) {
    (void)state;
    static const char *const shells[] = { "bash", "zsh", "fish" };
    for (size_t s = 0; s < OC_COUNT(shells); s++) {
        OC_AUTO_BUF struct oc_buf script = OC_BUF_INIT(262144);
        assert_true(cli_completion(shells[s], &script));
        assert_false(script.failed);
        size_t count;
        const struct cli_command *const *commands = cli_commands(&count);
        for (size_t i = 0; i < count; i++) {
            const char *space = strchr(commands[i]->path, ' ');
            if (commands[i]->is_hidden) {
                continue;
            }
            assert_non_null(strstr(script.data, space ? space + 1 : commands[i]->path));
            for (const struct cli_option *o = commands[i]->options; o && o->name; o++) {
                assert_true((o->flags & CLI_OPT_HIDDEN) || strstr(script.data, o->name));
            }
        }
    }
    OC_AUTO_BUF struct oc_buf none = OC_BUF_INIT(1024);
    assert_false(cli_completion("tcsh", &none));
    assert_false(cli_completion(NULL, &none));
}

/* The real shell completes with the script: `openclaw nodes st` → status. */
static void test_bash_completes(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf script = OC_BUF_INIT(262144);
    assert_true(cli_completion("bash", &script));
    oc_buf_puts(&script,
            "COMP_WORDS=(openclaw nodes st); COMP_CWORD=2; _openclaw; r=\"${COMPREPLY[*]}\"\n"
            "COMP_WORDS=(openclaw nodes run --inv); COMP_CWORD=3; _openclaw; r+=\" "
            "${COMPREPLY[*]}\"\n"
            "COMP_WORDS=(openclaw dev); COMP_CWORD=1; _openclaw; r+=\" ${COMPREPLY[*]}\"\n"
            "[[ $r == 'status --invoke-timeout devices' ]] || exit 1\n"
            "try() { COMP_WORDS=(openclaw \"$@\"); COMP_CWORD=$#; _openclaw; "
            "echo \"${COMPREPLY[*]}\"; }\n"
            "[[ $(try nodes camera '') == 'list snap clip --node '* ]] || exit 2\n"
            "[[ $(try nodes camera sn) == snap ]] || exit 3\n"
            "[[ $(try nodes camera snap --facing '') == 'front back both' ]] || exit 4\n"
            "[[ $(try nodes camera snap --max-width 7 --d) == '--device-id --delay-ms' ]] || exit "
            "5\n"
            "[[ $(try nodes camera clip --d) == '--device-id --duration' ]] || exit 6\n"
            "[[ $(try nodes camera list --d) == '' ]] || exit 7\n"
            "[[ $(try nodes canvas a2ui p) == push ]] || exit 8\n"
            "[[ $(try nodes canvas a2ui push --jsonl) == --jsonl ]] || exit 9\n"
            "[[ $(try node enable c) == 'camera canvas' ]] || exit 10\n"
            "[[ $(try node enable camera s) == screen ]] || exit 11\n"
            "[[ $(try approvals security d) == deny ]] || exit 12\n"
            "[[ $(try nodes runs poll abc --w) == --wait ]] || exit 13\n"
            /* What only the gateway knows, and a name stays one whatever it holds. */
            "openclaw() { [[ $1 == __complete ]] && printf '%s\\n' \"$2\" 'My $(touch x); box' "
            "'it'\\''s'; }\n"
            "[[ $(try nodes describe My) == 'My\\ \\$\\(touch\\ x\\)\\;\\ box' ]] || exit 14\n"
            "[[ $(try nodes camera snap n) == nodes ]] || exit 15\n"
            "[[ $(try nodes run --node n) == nodes ]] || exit 16\n"
            "[[ $(try nodes approve r) == requests ]] || exit 17\n"
            "[[ $(try config get c) == config ]] || exit 18\n"
            "[[ $(try approvals deny a) == approvals ]] || exit 19\n"
            "[[ $(try devices rotate --device d) == devices ]] || exit 20\n"
            "[[ $(try nodes describe --no) == '--node --no-color' ]] || exit 21\n"
            "[[ $(try __c) == '' ]] || exit 22\n");
    FILE *bash = popen("bash", "w");
    assert_non_null(bash);
    assert_int_equal(fwrite(script.data, 1, script.len, bash), script.len);
    assert_int_equal(pclose(bash), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_command_and_option),
        cmocka_unit_test(test_bash_completes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
