#include "tests/unit/unit.h"

#include "lib/files/file.h"

#include <dirent.h>

static int entries(const char *dir) {
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        n += e->d_name[0] != '.';
    }
    closedir(d);
    return n;
}

static void write_then_read(void **state) {
    OC_AUTO_FREE char *path = oc_path_join(*state, "f.json");
    struct oc_error err;
    umask(0);
    assert_int_equal(oc_file_write_private(path, "one", 3, &err), OC_OK);
    assert_int_equal(oc_mode_of(path), 0600);
    assert_int_equal(oc_file_write_private(path, "second", 6, &err), OC_OK);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 100, &text, &err), OC_OK);
    assert_string_equal(text.data, "second");
    assert_int_equal(entries(*state), 1); /* no temp file stays */
}

static void replaces_a_loose_file_and_a_symlink(void **state) {
    OC_AUTO_FREE char *path = oc_path_join(*state, "f"), *target = oc_path_join(*state, "target");
    struct oc_error err;
    oc_write_text(target, "keep");
    chmod(target, 0644);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(oc_file_write_private(path, "x", 1, &err), OC_OK);
    assert_int_equal(oc_mode_of(path), 0600);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(target, 100, &text, &err), OC_OK);
    assert_string_equal(text.data, "keep");
}

static void read_errors_name_the_file(void **state) {
    OC_AUTO_FREE char *path = oc_path_join(*state, "f"), *fifo = oc_path_join(*state, "fifo");
    struct oc_error err;
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 100, &text, &err), OC_E_NOT_FOUND);
    assert_non_null(strstr(err.text, path));
    oc_write_text(path, "123456");
    assert_int_equal(oc_file_read(path, 5, &text, &err), OC_E_IO);
    assert_non_null(strstr(err.text, "larger than 5 bytes"));
    assert_non_null(strstr(err.text, path));
    assert_int_equal(oc_file_read(*state, 100, &text, &err), OC_E_IO);
    assert_non_null(strstr(err.text, "directory"));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(oc_file_read(fifo, 100, &text, &err), OC_E_IO); /* and does not hang */
    assert_null(text.data);
}

static void write_errors_keep_the_old_content(void **state) {
    OC_AUTO_FREE char *missing = oc_path_join(*state, "no/such/f");
    OC_AUTO_FREE char *dir = oc_path_join(*state, "d");
    struct oc_error err;
    assert_int_equal(oc_file_write_private(missing, "x", 1, &err), OC_E_IO);
    assert_non_null(strstr(err.text, missing));
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(
            oc_file_write_private(dir, "x", 1, &err), OC_E_IO); /* rename over a directory */
    assert_int_equal(entries(*state), 1);
}

static enum oc_code refuse(void *user, struct oc_error *err) {
    ++*(int *)user;
    return oc_fail(err, OC_E_CANCELLED, "no");
}

static void a_check_may_keep_the_old_content(void **state) {
    OC_AUTO_FREE char *path = oc_path_join(*state, "f");
    struct oc_error err;
    int asked = 0;
    assert_int_equal(oc_file_write_private(path, "old", 3, &err), OC_OK);
    assert_int_equal(oc_file_replace_private(path, "new", 3, refuse, &asked, &err), OC_E_CANCELLED);
    assert_string_equal(err.text, "no");
    assert_int_equal(asked, 1);
    assert_int_equal(entries(*state), 1);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 100, &text, &err), OC_OK);
    assert_int_equal(text.len, 3);
    assert_memory_equal(text.data, "old", 3);
}

static void a_lock_has_one_holder(void **state) {
    OC_AUTO_FREE char *path = oc_path_join(*state, "l"), *link = oc_path_join(*state, "link"),
                      *dir = oc_path_join(*state, "d");
    struct oc_error err;
    int fd = -1, other = -1;
    assert_int_equal(oc_file_lock(path, &fd, &err), OC_OK);
    assert_int_equal(oc_mode_of(path), 0600);
    assert_int_equal(oc_file_lock(path, &other, &err), OC_E_UNAVAILABLE);
    assert_int_equal(other, -1);
    close(fd);
    assert_int_equal(oc_file_lock(path, &fd, &err), OC_OK);
    close(fd);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(oc_file_lock(link, &fd, &err), OC_E_IO);
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(oc_file_lock(dir, &fd, &err), OC_E_IO);
}

static void makes_directories(void **state) {
    OC_AUTO_FREE char *deep = oc_path_join(*state, "a/b//c/"), *mid = oc_path_join(*state, "a");
    OC_AUTO_FREE char *file = oc_path_join(*state, "file"), *under = oc_path_join(file, "x");
    struct oc_error err;
    umask(0);
    assert_int_equal(oc_dir_ensure_private(deep, &err), OC_OK);
    assert_int_equal(oc_dir_ensure_private(deep, &err), OC_OK);
    assert_int_equal(oc_mode_of(deep), 0700);
    assert_int_equal(oc_mode_of(mid), 0700);
    assert_true(oc_file_exists(deep));
    oc_write_text(file, "");
    assert_int_equal(oc_dir_ensure_private(file, &err), OC_E_IO);
    assert_int_equal(oc_dir_ensure_private(under, &err), OC_E_IO);
    assert_non_null(strstr(err.text, file));
}

static void joins(void **state) {
    (void)state;
    static const char *const cases[][3] = { { "a", "b", "a/b" }, { "a/", "b", "a/b" },
        { "/", "b", "/b" }, { "/a//", "/b", "/a/b" }, { "", "b", "b" } };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *s = oc_path_join(cases[i][0], cases[i][1]);
        assert_string_equal(s, cases[i][2]);
    }
}

static void covering(void **state) {
    (void)state;
    static const struct {
        const char *dir, *path;
        bool covers;
    } cases[] = {
        { "/a", "/a", true },
        { "/a", "/a/b", true },
        { "/a", "/ab", false },
        { "/a/b", "/a", false },
        { "/", "/", true },
        { "/", "/a", true },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        assert_int_equal(oc_path_covers(cases[i].dir, cases[i].path), cases[i].covers);
    }
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_DIR(write_then_read),
        IN_DIR(replaces_a_loose_file_and_a_symlink),
        IN_DIR(read_errors_name_the_file),
        IN_DIR(write_errors_keep_the_old_content),
        IN_DIR(a_check_may_keep_the_old_content),
        IN_DIR(a_lock_has_one_holder),
        IN_DIR(makes_directories),
        cmocka_unit_test(joins),
        cmocka_unit_test(covering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
