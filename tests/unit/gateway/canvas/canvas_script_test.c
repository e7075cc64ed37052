#include "gateway/canvas/canvas_script.h"

#include "lib/base/mem.h"
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOOKS_AT GW_CANVAS_SCRIPT_LOOKS_AT

static int page(const char *front, size_t padding, const char *back) {
    int fd = memfd_create("page", MFD_CLOEXEC);
    OC_AUTO_FREE char *middle = oc_alloc(padding + 1);
    memset(middle, '<', padding);
    assert_int_equal(write(fd, front, strlen(front)), strlen(front));
    assert_int_equal(write(fd, middle, padding), padding);
    assert_int_equal(write(fd, back, strlen(back)), strlen(back));
    return fd;
}

static uint64_t place_in(const char *front, size_t padding, const char *back) {
    int fd = page(front, padding, back);
    uint64_t at = gw_canvas_script_at(fd, strlen(front) + padding + strlen(back));
    assert_int_equal(lseek(fd, 0, SEEK_CUR), strlen(front) + padding + strlen(back));
    close(fd);
    return at;
}

static void test_before_the_last_end_of_the_body(void **state) {
    (void)state;
    assert_int_equal(place_in("", 0, ""), 0);
    assert_int_equal(place_in("<", 0, ""), 1);
    assert_int_equal(place_in("</body>", 0, ""), 0);
    assert_int_equal(place_in("a</BoDy>", 0, "b"), 1);
    assert_int_equal(place_in("</body>", 0, "</body>x"), 7);
    assert_int_equal(place_in("</body", 0, ""), 6);
    assert_int_equal(place_in("a", 0, "b"), 2);
}

/* However large a page is, so much of it is looked at. */
static void test_only_the_end_is_looked_at(void **state) {
    (void)state;
    assert_int_equal(place_in("</body>", LOOKS_AT - 7, ""), 0);
    assert_int_equal(place_in("</body>", LOOKS_AT - 6, ""), LOOKS_AT + 1);
    assert_int_equal(place_in("", 8 << 20, "</body></html>"), 8 << 20);
}

static void test_a_page_that_has_become_shorter_gets_it_at_its_end(void **state) {
    (void)state;
    int fd = page("</body>", 0, "");
    assert_int_equal(gw_canvas_script_at(fd, 100), 100);
    close(fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_before_the_last_end_of_the_body),
        cmocka_unit_test(test_only_the_end_is_looked_at),
        cmocka_unit_test(test_a_page_that_has_become_shorter_gets_it_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
