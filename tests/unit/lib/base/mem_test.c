#include "tests/unit/unit.h"

#include <fcntl.h>
#include <openssl/evp.h>

struct thing {
    int *destroyed;
};

static void thing_destroy(struct thing *t) {
    if (t) {
        (*t->destroyed)++;
        oc_free(t);
    }
}
OC_DEFINE_AUTO(thing, struct thing);

static void auto_destroys_and_take_moves_out(void **state) {
    (void)state;
    int destroyed = 0;
    struct thing *kept;
    {
        OC_AUTO(thing) struct thing *a = oc_new(struct thing);
        OC_AUTO(thing) struct thing *b = oc_new(struct thing);
        a->destroyed = b->destroyed = &destroyed;
        kept = oc_take(&b);
        assert_null(b);
    }
    assert_int_equal(destroyed, 1);
    thing_destroy(kept);
}

static void auto_fd_closes(void **state) {
    (void)state;
    int number;
    {
        OC_AUTO_FD int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        assert_true(fd >= 0);
        number = fd;
    }
    assert_int_equal(fcntl(number, F_GETFD), -1);
    int fd = 5;
    assert_int_equal(oc_take_fd(&fd), 5);
    assert_int_equal(fd, -1);
}

static void strings(void **state) {
    (void)state;
    assert_null(oc_strdup(NULL));
    OC_AUTO_FREE char *a = oc_strndup("hello", 2);
    OC_AUTO_FREE char *b = oc_strndup("hi", 100);
    OC_AUTO_FREE char *c = oc_strfmt("%s-%05d", "x", 42);
    assert_string_equal(a, "he");
    assert_string_equal(b, "hi");
    assert_string_equal(c, "x-00042");
    oc_free_secret(NULL);
    oc_free_secret(oc_strdup("secret"));
}

static void arrays_are_zeroed(void **state) {
    (void)state;
    OC_AUTO_FREE uint64_t *a = oc_new_array(uint64_t, 100);
    for (size_t i = 0; i < 100; i++) {
        assert_true(a[i] == 0);
    }
}

/* The crypto library's code must still work after its pages were dropped. */
static void trim_leaves_libraries_usable(void **state) {
    (void)state;
    unsigned char before[32], after[32];
    assert_int_equal(EVP_Digest("abc", 3, before, NULL, EVP_sha256(), NULL), 1);
    oc_mem_trim();
    assert_int_equal(EVP_Digest("abc", 3, after, NULL, EVP_sha256(), NULL), 1);
    assert_memory_equal(before, after, 32);
    assert_int_equal(after[0], 0xba);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_destroys_and_take_moves_out),
        cmocka_unit_test(auto_fd_closes),
        cmocka_unit_test(strings),
        cmocka_unit_test(arrays_are_zeroed),
        cmocka_unit_test(trim_leaves_libraries_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
