/* The schema is dear to make and the same for everybody: whoever asks second gets what the first
 * one got. */
#include "gateway/settings/config_schema_cache.h"

#include "lib/base/mem.h"

#include "tests/unit/unit.h"

#define MARK "x-made-once"

/* A tree that were made anew would not have it, wherever it lies. */
static void mark(const cJSON *tree) {
    assert_non_null(cJSON_AddTrueToObject((cJSON *)tree, MARK));
}

static void the_tree_is_made_once(void **state) {
    (void)state;
    struct gw_config_schema_cache c = { 0 };
    mark(gw_config_schema_tree(&c));
    for (int i = 0; i < 3; i++) {
        assert_true(oc_json_get_bool(gw_config_schema_tree(&c), MARK, false));
    }
    gw_config_schema_cache_finish(&c);
    assert_null(oc_json_get(gw_config_schema_tree(&c), MARK)); /* another gateway's */
    gw_config_schema_cache_finish(&c);
}

static void the_text_is_made_once_and_of_the_same_tree(void **state) {
    (void)state;
    struct oc_fake_clock clock;
    oc_fake_clock_init(&clock, 1700000000000);
    struct gw_config_schema_cache c = { 0 };
    mark(gw_config_schema_tree(&c));
    OC_AUTO_FREE char *first = NULL;
    for (int i = 0; i < 3; i++) {
        struct oc_blob *text = gw_config_schema_text(&c, &clock.clock);
        OC_AUTO_FREE char *copy = oc_strndup(text->data, text->len);
        assert_non_null(strstr(copy, "\"" MARK "\":true"));
        if (first) {
            assert_string_equal(copy, first); /* with the time of the first */
        } else {
            first = oc_take(&copy);
        }
        oc_fake_clock_advance(&clock, 60000);
    }
    gw_config_schema_cache_finish(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_is_made_once),
        cmocka_unit_test(the_text_is_made_once_and_of_the_same_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
