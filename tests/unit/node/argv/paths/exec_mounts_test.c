#include "tests/unit/temp_dir.h"
#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/argv/paths/exec_mounts.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_named_file_is_read_every_time(void **state) {
    (void)state;
    char *dir = temp_dir_make();
    OC_AUTO_FREE char *path = oc_path_join(dir, "mountinfo");
    struct nd_exec_mounts m = { 0 };
    assert_string_equal(nd_exec_mounts_read(&m, path), "");
    oc_write_text(path, "one\n");
    assert_string_equal(nd_exec_mounts_read(&m, path), "one\n");
    oc_write_text(path, "two\n");
    assert_string_equal(nd_exec_mounts_read(&m, path), "two\n");
    nd_exec_mounts_finish(&m);
    temp_dir_remove(dir);
}

/* In a process of its own, where mounts are nobody else's. Answers a step's number, or 0. */
static int mount_and_read(const char *dir) {
    struct nd_exec_mounts m = { 0 };
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
            mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return 1;
    }
    const char *text = nd_exec_mounts_read(&m, NULL);
    if (!strstr(text, " / ") || strstr(text, dir)) {
        return 2;
    }
    if (nd_exec_mounts_read(&m, NULL) != text) { /* nothing happened: kept */
        return 3;
    }
    if (mount("none", dir, "tmpfs", 0, NULL) != 0 || !strstr(nd_exec_mounts_read(&m, NULL), dir)) {
        return 4;
    }
    if (umount(dir) != 0 || strstr(nd_exec_mounts_read(&m, NULL), dir)) {
        return 5;
    }
    nd_exec_mounts_finish(&m);
    return 0;
}

static void a_new_mount_is_seen(void **state) {
    (void)state;
    char *dir = temp_dir_make();
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(mount_and_read(dir));
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    temp_dir_remove(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_named_file_is_read_every_time),
        cmocka_unit_test(a_new_mount_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
