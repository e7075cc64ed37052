#include "tests/unit/unit.h"

#include "lib/base/list.h"

struct item {
    int n;
    struct oc_list link;
};

static void keeps_order_and_removes(void **state) {
    (void)state;
    struct oc_list head; /* item.link */
    struct item items[4] = { 0 };
    oc_list_init(&head);
    assert_true(oc_list_empty(&head));
    for (int i = 0; i < 4; i++) {
        items[i].n = i;
        oc_list_append(&head, &items[i].link);
    }
    assert_ptr_equal(oc_list_first(&head, struct item, link), &items[0]);
    struct item *it, *tmp;
    oc_list_for_each_safe(it, tmp, &head, link) {
        if (it->n % 2) {
            oc_list_remove(&it->link);
            oc_list_remove(&it->link);
        }
    }
    int sum = 0;
    oc_list_for_each(it, &head, link) {
        sum = sum * 10 + it->n + 1;
    }
    assert_int_equal(sum, 13);
    struct item never = { 0 };
    oc_list_remove(&never.link);
    assert_true(oc_list_empty(&never.link));
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(keeps_order_and_removes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
