/* What a command has closed to itself is opened again for its removal, and nothing else is
 * touched. */
#include "tests/unit/unit.h"

#include "lib/files/file.h"
#include "node/sandbox/dir_unlock.h"
#include "node/sandbox/sandbox.h"

#include <poll.h>
#include <unistd.h>

struct tree {
    char *run, *inner, *deep; /* closed: both below run */
    char *outside, *file;     /* closed, not to be touched; a link to each is below run */
};

static char *make_dir(const char *parent, const char *name) {
    char *path = oc_path_join(parent, name);
    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

static unsigned mode_of(const char *path) {
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static struct tree make_tree(const char *dir, const char *run) {
    struct tree t = { .run = oc_strdup(run) };
    t.inner = make_dir(t.run, "inner");
    t.deep = make_dir(t.inner, "deep");
    t.outside = make_dir(dir, "outside");
    t.file = oc_path_join(dir, "file");
    oc_write_text(t.file, "x");
    OC_AUTO_FREE char *symbolic = oc_path_join(t.inner, "symbolic");
    OC_AUTO_FREE char *hard = oc_path_join(t.inner, "hard");
    assert_int_equal(symlink(t.outside, symbolic), 0);
    assert_int_equal(link(t.file, hard), 0);
    assert_int_equal(chmod(t.outside, 0500), 0);
    assert_int_equal(chmod(t.file, 0400), 0);
    assert_int_equal(chmod(t.deep, 0), 0);
    assert_int_equal(chmod(t.inner, 0), 0);
    return t;
}

static void finish(struct tree *t) {
    assert_int_equal(mode_of(t->outside), 0500);
    assert_int_equal(mode_of(t->file), 0400);
    chmod(t->inner, 0700); /* may be gone; if not, it is removed by whoever runs this */
    chmod(t->deep, 0700);
    oc_free(t->run);
    oc_free(t->inner);
    oc_free(t->deep);
    oc_free(t->outside);
    oc_free(t->file);
}

static void only_directories_below_are_opened(void **state) {
    OC_AUTO_FREE char *run = make_dir(*state, "run");
    struct tree t = make_tree(*state, run);
    size_t entries = ND_MAX_UNLOCKED;
    nd_dir_unlock(t.run, &entries);
    assert_int_equal(mode_of(t.inner), 0700);
    assert_int_equal(mode_of(t.deep), 0700);
    assert_true(entries < ND_MAX_UNLOCKED);
    finish(&t);
}

/* As if it had been swapped since its name was read. */
static void a_link_is_not_followed(void **state) {
    OC_AUTO_FREE char *run = make_dir(*state, "run");
    struct tree t = make_tree(*state, run);
    OC_AUTO_FREE char *link_path = oc_path_join(*state, "link");
    assert_int_equal(symlink(t.outside, link_path), 0);
    size_t entries = ND_MAX_UNLOCKED;
    nd_dir_unlock(link_path, &entries);
    assert_int_equal(entries, ND_MAX_UNLOCKED);
    entries = 0;
    nd_dir_unlock(t.run, &entries);
    assert_int_equal(mode_of(t.inner), 0); /* no more than it may look at */
    finish(&t);
}

/* The whole way: a run that has ended. */
static void a_closed_run_directory_goes(void **state) {
    OC_AUTO_FREE char *run = make_dir(*state, "run");
    struct tree t = make_tree(*state, run);
    struct oc_error err;
    assert_int_equal(os_native.start(&err), OC_OK);
    struct nd_sandboxed box = { .platform = &os_native, .run_dir = oc_strdup(run) };
    nd_sandbox_close(&box);
    struct stat st;
    for (int i = 0; i < 3000 && lstat(run, &st) == 0; i++) {
        (void)os_native.exec->reap_orphans();
        poll(NULL, 0, 10);
    }
    assert_int_not_equal(lstat(run, &st), 0);
    finish(&t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(only_directories_below_are_opened),
        TEST(a_link_is_not_followed),
        TEST(a_closed_run_directory_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
