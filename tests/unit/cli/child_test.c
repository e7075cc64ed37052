#include "tests/unit/unit.h"

#include "cli/child.h"

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

static void shell(struct oc_strv *argv, const char *script) {
    oc_strv_add(argv, "sh");
    oc_strv_add(argv, "-c");
    oc_strv_add(argv, script);
}

/* A helper that hangs must not hang the gateway that restarts. */
static void one_that_does_not_listen_is_stopped_too(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    shell(&argv, "trap '' TERM; echo ready; exec sleep 600");
    OC_AUTO_FD int out = -1;
    pid_t pid = -1;
    struct oc_error err;
    assert_int_equal(cli_child_start(&argv, &out, &pid, &err), OC_OK);
    char ready[6];
    assert_int_equal(read(out, ready, sizeof(ready)), sizeof(ready));
    assert_int_equal(cli_child_stop(pid), -1);
    assert_int_equal(kill(pid, 0), -1);
}

static void one_that_only_closes_its_output_is_stopped_too(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    shell(&argv, "echo said; exec sleep 600 >&-");
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100);
    int status = 0;
    struct oc_error err;
    assert_int_equal(cli_child_collect(&argv, 50, &out, &status, &err), OC_OK);
    assert_int_equal(status, -1);
}

static void the_status_is_that_of_the_program(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    shell(&argv, "echo said; exit 7");
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(100);
    int status = 0;
    struct oc_error err;
    assert_int_equal(cli_child_collect(&argv, 60000, &out, &status, &err), OC_OK);
    assert_int_equal(status, 7);
    assert_string_equal(out.data, "said\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_does_not_listen_is_stopped_too),
        cmocka_unit_test(one_that_only_closes_its_output_is_stopped_too),
        cmocka_unit_test(the_status_is_that_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
