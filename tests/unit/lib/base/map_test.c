#include "tests/unit/unit.h"

#include "lib/base/map.h"

static void put_get_remove(void **state) {
    (void)state;
    struct oc_map *m = oc_map_create();
    int a, b;
    assert_null(oc_map_get(m, "k"));
    assert_null(oc_map_remove(m, "k"));
    assert_null(oc_map_put(m, "k", &a));
    assert_ptr_equal(oc_map_put(m, "k", &b), &a);
    assert_int_equal(oc_map_count(m), 1);
    assert_ptr_equal(oc_map_get(m, "k"), &b);
    assert_null(oc_map_get(m, "K"));
    assert_null(oc_map_put(m, "", &a));
    assert_ptr_equal(oc_map_get(m, ""), &a);
    assert_ptr_equal(oc_map_remove(m, "k"), &b);
    assert_null(oc_map_get(m, "k"));
    assert_int_equal(oc_map_count(m), 1);
    oc_map_destroy(m);
    oc_map_destroy(NULL);
}

/* Many random insertions and removals against a plain array. */
static void agrees_with_an_array(void **state) {
    (void)state;
    enum { KEYS = 300 };
    static char values[KEYS];
    bool is_in[KEYS] = { false };
    struct oc_map *m = oc_map_create();
    uint32_t x = 12345;
    for (int step = 0; step < 20000; step++) {
        x = x * 1664525u + 1013904223u;
        size_t k = (x >> 8) % KEYS;
        char key[32];
        (void)snprintf(key, sizeof(key), "key-%zu-%s", k, k % 2 ? "odd and longer" : "e");
        if (x >> 31) {
            assert_ptr_equal(oc_map_put(m, key, &values[k]), is_in[k] ? &values[k] : NULL);
            is_in[k] = true;
        } else {
            assert_ptr_equal(oc_map_remove(m, key), is_in[k] ? &values[k] : NULL);
            is_in[k] = false;
        }
        assert_ptr_equal(oc_map_get(m, key), is_in[k] ? &values[k] : NULL);
    }
    size_t want = 0, seen = 0, pos = 0;
    for (size_t k = 0; k < KEYS; k++) {
        want += is_in[k];
    }
    const char *key;
    void *value;
    while (oc_map_next(m, &pos, &key, &value)) {
        size_t k = (size_t)((char *)value - values);
        assert_true(k < KEYS && is_in[k]);
        is_in[k] = false;
        seen++;
    }
    assert_int_equal(seen, want);
    assert_int_equal(oc_map_count(m), want);
    oc_map_destroy(m);
}

static void keys_are_copied(void **state) {
    (void)state;
    struct oc_map *m = oc_map_create();
    char key[] = "abc";
    int v;
    oc_map_put(m, key, &v);
    key[0] = 'x';
    assert_ptr_equal(oc_map_get(m, "abc"), &v);
    oc_map_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_get_remove),
        cmocka_unit_test(agrees_with_an_array),
        cmocka_unit_test(keys_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
