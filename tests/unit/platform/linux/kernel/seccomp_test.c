/* The rules that filters are made of, each asked in a child that has entered it. */
#include "tests/unit/unit.h"

#include "platform/linux/kernel/seccomp.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int ask_umask(long mask) {
    return syscall(SYS_umask, mask) < 0 ? errno : 0;
}

/* The errno of umask(mask) behind the filter. */
static int behind(const struct os_seccomp *s, long mask) {
    pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        int rc = os_seccomp_enter(s) == 0 ? ask_umask(mask) : 255;
        (void)syscall(SYS_exit_group, rc); /* not _exit: a sanitizer would look around before it */
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void rules_answer_for_their_call_only(void **state) {
    (void)state;
    struct os_seccomp s;
    os_seccomp_begin(&s);
    os_seccomp_refuse(&s, SYS_umask, ENOSYS);
    os_seccomp_end(&s, SECCOMP_RET_ALLOW);
    assert_int_equal(behind(&s, 022), ENOSYS);

    os_seccomp_begin(&s);
    os_seccomp_refuse(&s, SYS_ptrace, EPERM);
    os_seccomp_allow(&s, SYS_umask);
    os_seccomp_allow(&s, SYS_exit_group);
    os_seccomp_end(&s, SECCOMP_RET_ERRNO | EPERM);
    assert_int_equal(behind(&s, 022), 0);
}

static void rules_look_at_arguments(void **state) {
    (void)state;
    struct os_seccomp s;
    os_seccomp_begin(&s);
    os_seccomp_refuse_bits(&s, SYS_umask, 0, 02, EACCES);
    os_seccomp_refuse_value(&s, SYS_umask, 0, 070, EINVAL);
    os_seccomp_end(&s, SECCOMP_RET_ALLOW);
    assert_int_equal(behind(&s, 072), EACCES);
    assert_int_equal(behind(&s, 070), EINVAL);
    assert_int_equal(behind(&s, 050), 0);
}

static void what_does_not_fit_is_not_entered(void **state) {
    (void)state;
    struct os_seccomp s;
    os_seccomp_begin(&s);
    for (int i = 0; i < OS_SECCOMP_MAX_INSNS; i++) {
        os_seccomp_refuse_bits(&s, SYS_umask, 0, 02, EACCES);
    }
    os_seccomp_end(&s, SECCOMP_RET_ALLOW);
    assert_true(s.is_too_long);
    assert_int_equal(s.len, OS_SECCOMP_MAX_INSNS);
    assert_int_equal(behind(&s, 022), 255);
    assert_int_equal(os_seccomp_enter(&s), EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_answer_for_their_call_only),
        cmocka_unit_test(rules_look_at_arguments),
        cmocka_unit_test(what_does_not_fit_is_not_entered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
