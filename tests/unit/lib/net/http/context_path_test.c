#include "tests/unit/unit.h"

#include "lib/net/http/context_path.h"

static void spellings_of_one_prefix(void **state) {
    (void)state;
    static const char *const same[] = { "oc", "/oc", "oc/", "//oc//", " /oc " };
    for (size_t i = 0; i < OC_COUNT(same); i++) {
        OC_AUTO_FREE char *path = oc_context_path(same[i]);
        assert_string_equal(path, "/oc");
    }
    OC_AUTO_FREE char *deep = oc_context_path("a/b.c/");
    assert_string_equal(deep, "/a/b.c");
    static const char *const none[] = { "", "/", " ", "//" };
    for (size_t i = 0; i < OC_COUNT(none); i++) {
        OC_AUTO_FREE char *path = oc_context_path(none[i]);
        assert_string_equal(path, "");
    }
    static const char *const bad[] = { "/a b", "/a?x", "/a#b", "/%2e", "/a//b", "/../a", "/a/..",
        "/./a", "/\xc3\xa4" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        assert_null(oc_context_path(bad[i]));
    }
}

static void what_is_left_without_it(void **state) {
    (void)state;
    static const struct {
        const char *path, *left; /* NULL: not below it */
    } rows[] = { { "/oc", "/" }, { "/oc/", "/" }, { "/oc/health", "/health" }, { "/och", NULL },
        { "/", NULL }, { "/o", NULL }, { "/OC", NULL } };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct oc_http_head head = { .path = rows[i].path };
        assert_int_equal(oc_context_path_strip("/oc", &head), rows[i].left != NULL);
        assert_string_equal(head.path, rows[i].left ? rows[i].left : rows[i].path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings_of_one_prefix),
        cmocka_unit_test(what_is_left_without_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
