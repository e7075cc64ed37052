#include "gateway/nodes/host_stats.h"

#include "tests/any_int.h"
#include "tests/unit/unit.h"

static cJSON *stats(const char *text) {
    OC_AUTO_JSON cJSON *payload = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &payload, &err), OC_OK);
    return gw_host_stats_read(payload, 1234);
}

static void test_good(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *s =
            stats("{\"cpuCount\":4,\"loadAverage\":[0.5,1,100000],\"memoryTotalBytes\":8,"
                  "\"memoryFreeBytes\":8,\"diskTotalBytes\":9,\"diskAvailableBytes\":0}");
    assert_int_equal(any_int(s, "updatedAtMs", 0), 1234);
    assert_int_equal(any_int(s, "cpuCount", 0), 4);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(s, "loadAverage")), 3);
    OC_AUTO_JSON cJSON *least =
            stats("{\"cpuCount\":1,\"memoryTotalBytes\":0,\"memoryFreeBytes\":0}");
    assert_non_null(least);
    OC_AUTO_JSON cJSON *more = stats("{\"cpuCount\":1,\"memoryTotalBytes\":0,\"memoryFreeBytes\":0,"
                                     "\"updatedAtMs\":1,\"big\":[]}");
    assert_int_equal(any_int(more, "updatedAtMs", 0), 1234);
    assert_null(oc_json_get(more, "big"));
}

static void test_bad(void **state) {
    (void)state;
    static const char *const bad[] = {
        "1",
        "{}",
        "{\"cpuCount\":0,\"memoryTotalBytes\":1,\"memoryFreeBytes\":1}",
        "{\"cpuCount\":1,\"memoryTotalBytes\":1,\"memoryFreeBytes\":2}",
        "{\"cpuCount\":1,\"memoryTotalBytes\":1,\"memoryFreeBytes\":1,\"diskTotalBytes\":1}",
        "{\"cpuCount\":1,\"memoryTotalBytes\":1,\"memoryFreeBytes\":1,\"diskAvailableBytes\":1}",
        "{\"cpuCount\":1,\"memoryTotalBytes\":1,\"memoryFreeBytes\":1,\"loadAverage\":[1,1]}",
        "{\"cpuCount\":1,\"memoryTotalBytes\":1,\"memoryFreeBytes\":1,\"loadAverage\":[1,1,-1]}",
        "{\"cpuCount\":1,\"memoryTotalBytes\":1,\"memoryFreeBytes\":1,\"loadAverage\":[1,1,\"1\"]}",

    };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        assert_null(stats(bad[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
