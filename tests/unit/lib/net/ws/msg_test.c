#include "tests/unit/lib/net/net_testing.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/json/json_scan.h"
#include "lib/net/ws/msg.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Reads in pieces of at most max and gives the whole. */
static void read_whole(struct oc_msg *m, size_t max, struct oc_buf *ret) {
    char piece[4096];
    size_t n;
    *ret = OC_BUF_INIT(1u << 20);
    while ((n = oc_msg_read(m, piece, max)) > 0) {
        assert_true(n <= max);
        assert_int_equal(oc_buf_append(ret, piece, n), OC_OK);
    }
    assert_true(oc_msg_at_end(m));
    assert_int_equal(oc_msg_read(m, piece, max), 0);
}

static struct oc_slice whole(const struct oc_blob *b) {
    return (struct oc_slice){ .ptr = b->data, .len = b->len };
}

static void test_empty(void **state) {
    (void)state;
    struct oc_msg *m = oc_msg_create();
    char out[16];
    assert_int_equal(oc_msg_size(m), 0);
    assert_true(oc_msg_at_end(m));
    assert_int_equal(oc_msg_read(m, out, sizeof(out)), 0);
    oc_msg_add_text(m, "", 0);
    assert_true(oc_msg_at_end(m));
    oc_msg_destroy(m);
    oc_msg_destroy(NULL);
}

static void test_parts_in_order_at_every_piece_size(void **state) {
    (void)state;
    static const char raw[] =
            "line\n\"quoted\" \\ tab\t \x01 gr\xc3\xbc\xc3\x9f \xf0\x9f\xa6\x80 end";
    static const char body[] = "x\\n\\\"y\\\" \\u00fc \\ud83e\\udd80 \\\\ z";
    for (size_t max = 16; max < 64; max++) {
        struct oc_blob *a = oc_blob_copy(raw, sizeof(raw) - 1);
        struct oc_blob *b = oc_blob_copy(body, sizeof(body) - 1);
        struct oc_msg *m = oc_msg_create();
        oc_msg_add_text(m, "{\"p\":\"", 6);
        oc_msg_add_slice(m, a, whole(a), OC_PART_ESCAPE);
        oc_msg_add_text(m, "\",\"q\":", 6);
        oc_msg_add_slice(m, b, whole(b), OC_PART_UNESCAPE);
        oc_msg_add_slice(m, a, (struct oc_slice){ .ptr = a->data, .len = 4 }, OC_PART_RAW);
        oc_msg_add_text(m, "}", 1);
        oc_blob_unref(a); /* the message holds its own references */
        oc_blob_unref(b);
        size_t size = oc_msg_size(m);
        assert_int_equal(oc_msg_size(m), size);
        OC_AUTO_BUF struct oc_buf got = { 0 };
        read_whole(m, max, &got);
        assert_string_equal(got.data, "{\"p\":\"line\\n\\\"quoted\\\" \\\\ tab\\t \\u0001 "
                                      "gr\xc3\xbc\xc3\x9f \xf0\x9f\xa6\x80 end"
                                      "\",\"q\":x\n\"y\" \xc3\xbc \xf0\x9f\xa6\x80 \\ zline}");
        assert_int_equal(got.len, size);
        oc_msg_destroy(m);
    }
}

static void test_weight_counts_a_blob_once(void **state) {
    (void)state;
    struct oc_blob *b = oc_blob_copy("0123456789", 10);
    char *big = oc_alloc(100000);
    struct oc_blob *large = oc_blob_take(big, 99999);
    struct oc_msg *m = oc_msg_create();
    oc_msg_add_slice(m, large, (struct oc_slice){ .ptr = large->data, .len = 1 }, OC_PART_RAW);
    size_t one = oc_msg_weight(m);
    assert_true(one >= 99999); /* one byte keeps all of it alive */
    oc_msg_add_slice(m, large, (struct oc_slice){ .ptr = large->data + 5, .len = 7 }, OC_PART_RAW);
    assert_true(oc_msg_weight(m) < one + 1000);
    size_t two = oc_msg_weight(m);
    oc_msg_add_slice(m, b, whole(b), OC_PART_RAW);
    oc_msg_add_text(m, "abc", 3);
    assert_true(oc_msg_weight(m) >= two + 13);
    assert_int_equal(large->refs, 3);
    oc_msg_destroy(m);
    assert_int_equal(large->refs, 1);
    assert_int_equal(b->refs, 1);
    oc_blob_unref(b);
    oc_blob_unref(large);
}

static void test_from_buf_and_blob(void **state) {
    (void)state;
    struct oc_buf buf = OC_BUF_INIT(100);
    oc_buf_puts(&buf, "from a buffer");
    struct oc_msg *m = oc_msg_from_buf(&buf);
    assert_null(buf.data);
    OC_AUTO_BUF struct oc_buf got = { 0 };
    assert_int_equal(oc_msg_size(m), 13);
    read_whole(m, 16, &got);
    assert_string_equal(got.data, "from a buffer");
    oc_msg_destroy(m);

    struct oc_blob *b = oc_blob_copy("blob", 4);
    m = oc_msg_from_blob(b);
    assert_int_equal(b->refs, 2);
    oc_msg_destroy(m);
    oc_blob_unref(b);

    struct oc_buf none = OC_BUF_INIT(100);
    m = oc_msg_from_buf(&none);
    assert_int_equal(oc_msg_size(m), 0);
    oc_msg_destroy(m);
}

static void test_broken_body_ends(void **state) {
    (void)state;
    struct oc_blob *b = oc_blob_copy("ab\\", 3);
    struct oc_msg *m = oc_msg_create();
    oc_msg_add_slice(m, b, whole(b), OC_PART_UNESCAPE);
    oc_msg_add_text(m, "!", 1);
    OC_AUTO_BUF struct oc_buf got = { 0 };
    read_whole(m, 16, &got); /* whatever it makes of the stray backslash, it comes to an end */
    assert_int_equal(got.data[got.len - 1], '!');
    oc_msg_destroy(m);
    oc_blob_unref(b);
}

static void test_files_as_base64(void **state) {
    (void)state;
    for (size_t len = 0; len < 20000; len = len * 2 + 1) {
        uint8_t *bytes = oc_alloc(len + 1);
        oc_random(bytes, len);
        for (size_t max = 16; max < 4096; max = max * 3 - 1) {
            int fd = memfd_create("test", MFD_CLOEXEC);
            assert_int_equal(write(fd, bytes, len), len);
            struct oc_msg *m = oc_msg_create();
            oc_msg_add_text(m, "<", 1);
            oc_msg_add_file(m, fd, len);
            oc_msg_add_text(m, ">", 1);
            OC_AUTO_FREE char *plain = oc_base64(bytes, len);
            OC_AUTO_FREE char *expected = oc_strfmt("<%s>", plain);
            assert_int_equal(oc_msg_size(m), strlen(expected));
            OC_AUTO_BUF struct oc_buf got = { 0 };
            read_whole(m, max, &got);
            assert_string_equal(got.data, expected);
            oc_msg_destroy(m);
            assert_int_equal(fcntl(fd, F_GETFD), -1);
        }
        oc_free(bytes);
    }
}

/* A file that is shorter than promised still gives a message of the promised size. */
static void test_short_file(void **state) {
    (void)state;
    struct oc_msg *m = oc_msg_create();
    int fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(write(fd, "abc", 3), 3);
    oc_msg_add_file(m, fd, 9);
    OC_AUTO_BUF struct oc_buf got = { 0 };
    read_whole(m, 16, &got);
    assert_string_equal(got.data, "YWJjAAAAAAAA");
    oc_msg_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_as_base64),
        cmocka_unit_test(test_short_file),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_parts_in_order_at_every_piece_size),
        cmocka_unit_test(test_weight_counts_a_blob_once),
        cmocka_unit_test(test_from_buf_and_blob),
        cmocka_unit_test(test_broken_body_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
