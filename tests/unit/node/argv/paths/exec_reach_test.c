#include "tests/unit/temp_dir.h"
#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/argv/paths/exec_path.h"
#include "node/argv/paths/exec_reach.h"

#include <sys/stat.h>
#include <unistd.h>

static void file_systems_of_others_may_hang(void **state) {
    (void)state;
    struct nd_exec_reach local = { 0 }, far = { 0 };
    assert_false(nd_exec_reach_read(&local,
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:5 / /c rw - fusectl none rw\nnonsense\n"));
    assert_int_equal(local.count, 2);
    assert_true(nd_exec_reach_read(&far,
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
            "2 1 0:9 / /far\\040away rw shared:1 master:2 - fuse.sshfs host: rw\n"));
    assert_string_equal(far.mounts[1].path, "/far away");
    assert_true(far.mounts[1].may_hang);
    nd_exec_reach_finish(&local);
    nd_exec_reach_finish(&far);
}

/* The mount is made up: what is not touched needs not to be there. */
static void what_may_hang_is_not_touched_but_noted(void **state) {
    (void)state;
    char *dir = temp_dir_make();
    OC_AUTO_FREE char *link = oc_path_join(dir, "link"),
                      *behind = oc_path_join(dir, "link/../far/x"), *far = oc_path_join(dir, "far"),
                      *sub = oc_path_join(dir, "far/near"),
                      *lines = oc_strfmt("1 0 8:1 / / rw - ext4 a rw\n2 1 0:9 / %s rw - nfs4 b rw\n"
                                         "3 2 0:8 / %s rw - tmpfs c rw\n",
                              far, sub);
    struct nd_exec_reach r = { 0 };
    assert_int_equal(mkdir(far, 0700), 0);
    assert_int_equal(mkdir(sub, 0700), 0);
    assert_int_equal(symlink("far", link), 0);
    assert_true(nd_exec_reach_read(&r, lines));
    nd_exec_reach_begin(&r);
    assert_true(nd_exec_may_touch("/usr/bin/env"));
    assert_true(nd_exec_may_touch(dir));
    assert_false(nd_exec_may_touch(far));
    assert_false(nd_exec_may_touch(link));
    assert_false(nd_exec_may_touch(behind));
    assert_false(nd_exec_may_touch(sub)); /* the way there leads through it */
    assert_null(nd_exec_real(far));
    assert_int_equal(r.paths.count, 4);
    assert_int_equal(r.needed.count, 1);
    assert_string_equal(r.needed.items[0], far);
    oc_strv_add(&r.answered, far);
    nd_exec_reach_begin(&r);
    OC_AUTO_FREE char *real = nd_exec_real(link);
    assert_string_equal(real, far);
    nd_exec_reach_end();
    assert_int_equal(r.paths.count, 0);
    assert_true(nd_exec_may_touch(far));
    nd_exec_reach_finish(&r);
    temp_dir_remove(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_systems_of_others_may_hang),
        cmocka_unit_test(what_may_hang_is_not_touched_but_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
