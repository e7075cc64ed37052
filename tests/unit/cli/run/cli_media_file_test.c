#include "cli/run/media_file.h"

#include "cli/progress.h"
#include "lib/base/encode.h"
#include "lib/files/file.h"
#include "tests/unit/unit.h"

#include <dirent.h>

static size_t entries(const char *dir) {
    DIR *d = opendir(dir);
    size_t count = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        count += e->d_name[0] != '.';
    }
    closedir(d);
    return count;
}

static void only_directories_of_ours_are_used(void **state) {
    struct oc_error err;
    OC_AUTO_FREE char *wanted = oc_strfmt("%s/openclaw", (char *)*state);
    OC_AUTO_FREE char *own = oc_strfmt("%s/openclaw-%u", (char *)*state, (unsigned)geteuid());
    OC_AUTO_FREE char *made = NULL, *again = NULL, *other = NULL, *none = NULL;
    assert_int_equal(setenv("TMPDIR", *state, 1), 0);
    assert_int_equal(cli_media_dir_at(wanted, &made, &err), OC_OK);
    assert_string_equal(made, wanted);
    assert_int_equal(oc_mode_of(wanted), 0700);
    assert_int_equal(chmod(wanted, 0777), 0); /* ours, but open: mended */
    assert_int_equal(cli_media_dir_at(wanted, &again, &err), OC_OK);
    assert_string_equal(again, wanted);
    assert_int_equal(oc_mode_of(wanted), 0700);
    assert_int_equal(rmdir(wanted), 0);
    assert_int_equal(symlink("/etc", wanted), 0); /* somebody was there first */
    assert_int_equal(cli_media_dir_at(wanted, &other, &err), OC_OK);
    assert_string_equal(other, own);
    assert_int_equal(rmdir(own), 0);
    oc_write_text(own, "");
    assert_int_equal(cli_media_dir_at(wanted, &none, &err), OC_E_DENIED);
    assert_non_null(strstr(err.text, own));
    unsetenv("TMPDIR");
}

static void files_appear_when_they_are_complete(void **state) {
    struct oc_error err;
    OC_AUTO_FREE char *path = oc_strfmt("%s/x", (char *)*state);
    uint64_t bytes = 0;
    assert_int_equal(cli_media_save(path, SLICE("aGVs\\u0062G8="), &bytes, &err), OC_OK);
    assert_int_equal(bytes, 5);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 100, &text, &err), OC_OK);
    assert_string_equal(text.data, "hello");
    assert_int_equal(oc_mode_of(path), 0600);
    static const char *const broken[] = { "", "a", "ab=c", "aGk=aGk=", "a b", "\\n" };
    for (size_t i = 0; i < OC_COUNT(broken); i++) {
        struct oc_slice body = { broken[i], strlen(broken[i]) };
        assert_int_equal(cli_media_save(path, body, &bytes, &err), OC_E_INVALID);
        assert_int_equal(entries(*state), 1); /* the one that was there */
    }
}

/* Longer than a piece, with a length that is no multiple of anything. */
static void long_texts_are_decoded_in_pieces(void **state) {
    enum { LEN = 200003 };
    struct oc_error err;
    OC_AUTO_FREE char *path = oc_strfmt("%s/long", (char *)*state), *data = oc_alloc(LEN);
    for (size_t i = 0; i < LEN; i++) {
        data[i] = (char)(i * 31 % 251);
    }
    OC_AUTO_FREE char *encoded = oc_base64(data, LEN);
    uint64_t bytes;
    assert_int_equal(
            cli_media_save(path, (struct oc_slice){ encoded, strlen(encoded) }, &bytes, &err),
            OC_OK);
    assert_int_equal(bytes, LEN);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, LEN + 1, &text, &err), OC_OK);
    assert_int_equal(text.len, LEN);
    assert_memory_equal(text.data, data, LEN);
}

static void the_bar_has_an_end(void **state) {
    (void)state;
    OC_AUTO_FREE char *begin = cli_progress_line("Recording", 0, 10000);
    OC_AUTO_FREE char *middle = cli_progress_line("Recording", 5050, 10000);
    OC_AUTO_FREE char *end = cli_progress_line("Recording", 10000, 10000);
    assert_string_equal(begin, "Recording [                              ] 0.0 of 10.0 s");
    assert_string_equal(middle, "Recording [===============               ] 5.0 of 10.0 s");
    assert_string_equal(end, "Recording done, fetching it…");
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)
    const struct CMUnitTest tests[] = {
        TEST(only_directories_of_ours_are_used),
        TEST(files_appear_when_they_are_complete),
        TEST(long_texts_are_decoded_in_pieces),
        cmocka_unit_test(the_bar_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
