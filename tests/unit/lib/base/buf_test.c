#include "tests/unit/unit.h"

#include <fcntl.h>

static void appends_and_terminates(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(1000);
    oc_buf_puts(&b, "ab");
    oc_buf_putc(&b, 'c');
    oc_buf_append(&b, NULL, 0);
    assert_int_equal(oc_buf_printf(&b, "%d%s", 12, "x"), OC_OK);
    assert_int_equal(b.len, 6);
    assert_string_equal(b.data, "abc12x");
    oc_buf_consume(&b, 2);
    assert_string_equal(b.data, "c12x");
    oc_buf_consume(&b, 99);
    assert_string_equal(b.data, "");
}

static void ceiling_is_exact_and_sticks(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(5);
    assert_int_equal(oc_buf_puts(&b, "12345"), OC_OK);
    assert_int_equal(oc_buf_putc(&b, '6'), OC_E_TOO_LARGE);
    assert_true(b.failed);
    assert_string_equal(b.data, "12345");
    assert_int_equal(oc_buf_append(&b, "", 0), OC_E_TOO_LARGE);
    oc_buf_clear(&b);
    assert_int_equal(oc_buf_printf(&b, "%s", "123456"), OC_E_TOO_LARGE);
    assert_int_equal(b.len, 0);
    assert_null(oc_buf_reserve(&b, 0));
    oc_buf_clear(&b);
    assert_null(oc_buf_reserve(&b, SIZE_MAX));
}

static void take_never_gives_null(void **state) {
    (void)state;
    struct oc_buf b = OC_BUF_INIT(100);
    OC_AUTO_FREE char *empty = oc_buf_take(&b);
    assert_string_equal(empty, "");
    char *to = oc_buf_reserve(&b, 3);
    memset(to, 'a', 3);
    b.len += 3;
    OC_AUTO_FREE char *text = oc_buf_take(&b);
    assert_string_equal(text, "aaa");
    assert_int_equal(b.len, 0);
    assert_int_equal(b.max_bytes, 100);
}

static void reads_to_end_of_file(void **state) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/f", (const char *)*state);
    oc_write_text(path, "0123456789");
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    OC_AUTO_BUF struct oc_buf exact = OC_BUF_INIT(10), small = OC_BUF_INIT(9);
    struct oc_error err;
    assert_int_equal(oc_buf_read_fd(&exact, fd, &err), OC_OK);
    assert_string_equal(exact.data, "0123456789");
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(oc_buf_read_fd(&small, fd, &err), OC_E_TOO_LARGE);
    assert_int_equal(oc_buf_read_fd(&exact, -1, &err), OC_E_IO);
}

static void large_content_survives_growth(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(1 << 20);
    for (int i = 0; i < 1 << 20; i++) {
        assert_int_equal(oc_buf_putc(&b, (char)('a' + i % 26)), OC_OK);
    }
    assert_int_equal(oc_buf_putc(&b, 'x'), OC_E_TOO_LARGE);
    for (int i = 0; i < 1 << 20; i++) {
        assert_int_equal(b.data[i], 'a' + i % 26);
    }
}

static void blobs_are_counted(void **state) {
    (void)state;
    struct oc_blob *a = oc_blob_copy("xyz", 3), *b = oc_blob_ref(a);
    oc_blob_unref(a);
    assert_string_equal(b->data, "xyz");
    oc_blob_unref(b);
    oc_blob_unref(NULL);
    struct oc_buf buf = OC_BUF_INIT(10);
    oc_buf_puts(&buf, "12");
    struct oc_blob *c = oc_blob_from_buf(&buf);
    assert_int_equal(c->len, 2);
    assert_string_equal(c->data, "12");
    assert_null(buf.data);
    oc_blob_unref(c);
}

static void slices_compare(void **state) {
    (void)state;
    assert_true(oc_slice_eq(SLICE("abc"), "abc"));
    assert_false(oc_slice_eq(SLICE("abc"), "ab"));
    assert_false(oc_slice_eq(SLICE("abc"), "abd"));
    assert_true(oc_slice_eq((struct oc_slice){ 0 }, ""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_and_terminates),
        cmocka_unit_test(ceiling_is_exact_and_sticks),
        cmocka_unit_test(take_never_gives_null),
        cmocka_unit_test_setup_teardown(reads_to_end_of_file, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test(large_content_survives_growth),
        cmocka_unit_test(blobs_are_counted),
        cmocka_unit_test(slices_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
