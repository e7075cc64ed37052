/* Ends of runs that a gateway has to hear: how often, and what stops it. */
#include "tests/unit/node/node_testing.h"

#include "node/run/unconfirmed.h"

/* What the gateway says to the node's last request. */
static void answer(struct test_host *t, struct nd_unconfirmed *u, bool ok, const char *error) {
    OC_AUTO_FREE char *id =
            oc_strfmt("node-%llu", (unsigned long long)t->host.uplink.last_frame_id);
    OC_AUTO_FREE char *text =
            oc_strfmt("{\"type\":\"res\",\"id\":\"%s\",\"ok\":%s%s%s}", id, ok ? "true" : "false",
                    error ? ",\"error\":" : ",\"payload\":{\"ok\":true}", error ? error : "");
    struct oc_frame frame;
    struct oc_error err;
    assert_int_equal(
            oc_frame_decode((struct oc_slice){ .ptr = text, .len = strlen(text) }, &frame, &err),
            OC_OK);
    nd_unconfirmed_answered(u, &frame);
    oc_frame_finish(&frame);
}

/* How many ends the node tells a gateway that it has just connected to. */
static int told(struct test_host *t, struct nd_unconfirmed *u) {
    int before = cJSON_GetArraySize(t->frames);
    nd_unconfirmed_connected(u);
    return cJSON_GetArraySize(t->frames) - before;
}

static void an_end_is_told_until_it_is_heard(void **state) {
    struct test_host *t = *state;
    struct nd_unconfirmed *u = nd_unconfirmed_create(&t->host.uplink, NULL);
    nd_unconfirmed_add(u, "log-1", cJSON_CreateObject(), 0);
    assert_int_equal(told(t, u), 1);
    assert_int_equal(told(t, u), 1); /* nobody has answered */
    answer(t, u, false, "{\"code\":\"UNAVAILABLE\",\"message\":\"gateway stopping\"}");
    assert_int_equal(told(t, u), 1); /* it could not then; now it may */
    answer(t, u, true, NULL);
    assert_int_equal(told(t, u), 0);
    nd_unconfirmed_destroy(u);
}

static void what_is_refused_is_not_told_again(void **state) {
    struct test_host *t = *state;
    static const char *const errors[] = {
        "{\"code\":\"INVALID_REQUEST\",\"message\":\"unknown method: node.event\"}",
        "{\"code\":7}",
        "{}",
    };
    for (size_t i = 0; i < OC_COUNT(errors); i++) {
        struct nd_unconfirmed *u = nd_unconfirmed_create(&t->host.uplink, NULL);
        nd_unconfirmed_add(u, "log-1", cJSON_CreateObject(), 0);
        assert_int_equal(told(t, u), 1);
        answer(t, u, false, errors[i]);
        assert_int_equal(told(t, u), 0);
        nd_unconfirmed_destroy(u);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_host_setup, test_host_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(an_end_is_told_until_it_is_heard),
        TEST(what_is_refused_is_not_told_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
