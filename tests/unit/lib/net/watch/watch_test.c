/* Files that change, are replaced, come and go; by the kernel and by looking. */
#include "tests/unit/unit.h"

#include "lib/base/clock.h"
#include "lib/files/file.h"
#include "lib/net/watch/watch.h"

struct world {
    struct oc_loop *loop;
    struct oc_watch *watch;
    int changes;
};

static void on_change(void *user) {
    struct world *w = user;
    w->changes++;
}

static void expect_change(struct world *w, int wanted) {
    for (int i = 0; i < 2000 && w->changes < wanted; i++) {
        oc_loop_step(w->loop, 100);
    }
    assert_int_equal(w->changes, wanted);
}

static void run(const char *dir, bool only_looks) {
    OC_AUTO_FREE char *path = oc_path_join(dir, "openclaw.json");
    OC_AUTO_FREE char *link_path = oc_path_join(dir, "link.json");
    OC_AUTO_FREE char *other = oc_path_join(dir, "other");
    OC_AUTO_STRV struct oc_strv files = { 0 };
    struct world w = { 0 };
    struct oc_error err;
    unlink(link_path);
    assert_int_equal(symlink("openclaw.json", link_path), 0);
    assert_int_equal(oc_loop_create(&oc_clock_system, &w.loop, &err), OC_OK);
    oc_strv_add(&files, link_path);
    unlink(path);
    oc_write_text(path, "one");
    struct oc_watch_opts opts = { .files = &files,
        .settle_ms = 20,
        .only_looks = only_looks,
        .on_change = on_change,
        .user = &w };
    w.watch = oc_watch_create(w.loop, &opts);
    oc_write_text(other, "not ours");
    oc_write_text(path, "three"); /* in place */
    expect_change(&w, 1);
    assert_int_equal(oc_file_write_private(path, "seven!!", 7, &err), OC_OK); /* replaced */
    expect_change(&w, 2);
    assert_int_equal(unlink(path), 0);
    expect_change(&w, 3);
    oc_write_text(path, "back");
    expect_change(&w, 4);
    oc_watch_destroy(w.watch);
    oc_loop_destroy(w.loop);
}

static void by_the_kernel(void **state) {
    run(*state, false);
}

static void by_looking(void **state) {
    run(*state, true);
}

static void a_missing_directory_is_looked_at(void **state) {
    OC_AUTO_FREE char *dir = oc_path_join(*state, "later");
    OC_AUTO_FREE char *path = oc_path_join(dir, "openclaw.json");
    OC_AUTO_STRV struct oc_strv files = { 0 };
    struct world w = { 0 };
    struct oc_error err;
    assert_int_equal(oc_loop_create(&oc_clock_system, &w.loop, &err), OC_OK);
    oc_strv_add(&files, path);
    struct oc_watch_opts opts = { .files = &files, .on_change = on_change, .user = &w };
    w.watch = oc_watch_create(w.loop, &opts);
    assert_int_equal(oc_dir_ensure_private(dir, &err), OC_OK);
    oc_write_text(path, "{}");
    expect_change(&w, 1);
    oc_watch_destroy(w.watch);
    oc_loop_destroy(w.loop);
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_DIR(by_the_kernel),
        IN_DIR(by_looking),
        IN_DIR(a_missing_directory_is_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
