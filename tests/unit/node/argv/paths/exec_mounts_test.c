#include "tests/unit/temp_dir.h"
#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/argv/paths/exec_mounts.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool can_hang(struct nd_exec_mounts *m, const char *path) {
    struct nd_exec_reach r = { 0 };
    bool can = nd_exec_mounts_can_hang(m, path, &r);
    nd_exec_reach_finish(&r);
    return can;
}

static bool has_mount(struct nd_exec_mounts *m, const char *path) {
    struct nd_exec_reach r = { 0 };
    bool has = false;
    if (nd_exec_mounts_can_hang(m, NULL, &r)) {
        for (size_t i = 0; i < r.count; i++) {
            has = has || strcmp(r.mounts[i].path, path) == 0;
        }
    }
    nd_exec_reach_finish(&r);
    return has;
}

static void a_named_file_is_read_every_time(void **state) {
    (void)state;
    char *dir = temp_dir_make();
    OC_AUTO_FREE char *path = oc_path_join(dir, "mountinfo");
    struct nd_exec_mounts m = { 0 };
    assert_false(can_hang(&m, path));
    oc_write_text(path, "1 0 8:1 / / rw - ext4 a rw\n");
    assert_false(can_hang(&m, path));
    oc_write_text(path, "1 0 8:1 / / rw - nfs4 a rw\n");
    assert_true(can_hang(&m, path));
    nd_exec_mounts_finish(&m);
    temp_dir_remove(dir);
}

/* In a process of its own, where mounts are nobody else's. Answers a step's number, or 0. */
static int mount_and_look(const char *dir) {
    struct nd_exec_mounts m = { 0 };
    OC_AUTO_FREE char *a = oc_path_join(dir, "a"), *b = oc_path_join(dir, "b"),
                      *in_a = oc_path_join(dir, "a/m"), *in_b = oc_path_join(dir, "b/m");
    int spaces = CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
    if (unshare(spaces) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mkdir(a, 0700) != 0 || mkdir(in_a, 0700) != 0) {
        return 1;
    }
    bool could = can_hang(&m, NULL);
    if (m.none_can_hang == could || can_hang(&m, NULL) != could) {
        return 2;
    }
    OC_AUTO_FREE char *options = oc_strfmt("fd=%d,rootmode=40000,user_id=%d,group_id=%d",
            open("/dev/fuse", O_RDWR | O_CLOEXEC), (int)geteuid(), (int)getegid());
    if (mount("nobody", in_a, "fuse", 0, options) != 0 || !has_mount(&m, in_a)) {
        return 3;
    }
    if (rename(a, b) != 0 || !has_mount(&m, in_b)) {
        return 4;
    }
    if (umount2(in_b, MNT_DETACH) != 0 || can_hang(&m, NULL) != could) {
        return 5;
    }
    nd_exec_mounts_finish(&m);
    return 0;
}

static void a_mount_that_can_hang_is_seen(void **state) {
    (void)state;
    char *dir = temp_dir_make();
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(mount_and_look(dir));
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(WIFEXITED(status));
    temp_dir_remove(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_named_file_is_read_every_time),
        cmocka_unit_test(a_mount_that_can_hang_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
