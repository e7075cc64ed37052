/* The machine's figures: their shape, when they are sent, and that they stop. */
#include "node/declare/vitals.h"
#include "tests/unit/node/node_testing.h"

static void shape(void **state) {
    (void)state;
    struct os_host_stats s = { .cpu_count = 8,
        .has_load = true,
        .load = { 0.5, 12.345, -1 },
        .memory_total_bytes = 16ull << 30,
        .memory_free_bytes = 1,
        .disk_total_bytes = 1ull << 40,
        .disk_free_bytes = 0 };
    OC_AUTO_FREE char *text = nd_vitals_json(&s);
    assert_string_equal(text,
            "{\"cpuCount\":8,\"loadAverage\":[0.50,12.35,0.00],\"memoryTotalBytes\":17179869184,"
            "\"memoryFreeBytes\":1,\"diskTotalBytes\":1099511627776,\"diskAvailableBytes\":0}");
    s = (struct os_host_stats){ .cpu_count = 100000 };
    OC_AUTO_FREE char *little = nd_vitals_json(&s);
    assert_string_equal(little, "{\"cpuCount\":4096,\"memoryTotalBytes\":0,\"memoryFreeBytes\":0}");
}

static void of_this_machine(void **state) {
    (void)state;
    struct os_host_stats s;
    assert_true(os_native.host_stats("/", &s));
    assert_true(s.cpu_count >= 1);
    assert_true(s.memory_total_bytes > s.memory_free_bytes && s.memory_free_bytes > 0);
    assert_true(s.disk_total_bytes >= s.disk_free_bytes && s.disk_total_bytes > 0);
    assert_true(os_native.host_stats("/no/such/path", &s));
    assert_int_equal(s.disk_total_bytes, 0);
}

static int sent(const struct test_host *t) {
    return cJSON_GetArraySize(t->frames);
}

static void every_minute(void **state) {
    struct test_host *t = *state;
    struct nd_vitals v;
    nd_vitals_init(&v, &t->host.machine, &t->host.uplink, "/");
    nd_vitals_start(&v);
    assert_int_equal(sent(t), 2);
    const cJSON *alive = oc_json_get(cJSON_GetArrayItem(t->frames, 0), "params");
    assert_string_equal(oc_json_get_str(alive, "event"), "node.presence.alive");
    assert_non_null(strstr(oc_json_get_str(alive, "payloadJSON"), "\"trigger\":\"connect\""));
    const cJSON *frame = cJSON_GetArrayItem(t->frames, 1);
    assert_string_equal(oc_json_get_str(frame, "method"), "node.event");
    const cJSON *params = oc_json_get(frame, "params");
    assert_string_equal(oc_json_get_str(params, "event"), "node.host.stats");
    assert_non_null(strstr(oc_json_get_str(params, "payloadJSON"), "\"cpuCount\":"));
    oc_fake_clock_advance(&t->clock, 59999);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(sent(t), 2);
    oc_fake_clock_advance(&t->clock, 1);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(sent(t), 3);
    nd_vitals_start(&v); /* approved meanwhile: at once again, and still one timer */
    assert_int_equal(sent(t), 5);
    oc_fake_clock_advance(&t->clock, 60000);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(sent(t), 6);
    nd_vitals_stop(&v);
    oc_fake_clock_advance(&t->clock, 600000);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(sent(t), 6);
}

static int asked;
static bool is_heard;

static void ask(struct nd_uplink *up, const char *method, cJSON *take_params, int timeout_ms,
        oc_reply_done *done, void *user) {
    (void)up;
    (void)timeout_ms;
    assert_string_equal(method, "node.event");
    cJSON_Delete(take_params);
    asked++;
    done(user, &(struct oc_reply){ .ok = is_heard });
}

static void until_heard(void **state) {
    struct test_host *t = *state;
    struct nd_vitals v;
    t->host.uplink.ask = ask;
    asked = 0;
    is_heard = false;
    nd_vitals_init(&v, &t->host.machine, &t->host.uplink, "/");
    nd_vitals_start(&v);
    assert_int_equal(asked, 2);
    oc_fake_clock_advance(&t->clock, 5000);
    is_heard = true;
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(asked, 4); /* both again */
    oc_fake_clock_advance(&t->clock, 59999);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(asked, 4);
    is_heard = false;
    nd_vitals_stop(&v);
    oc_fake_clock_advance(&t->clock, 600000);
    oc_loop_step(t->host.machine.loop, 0);
    assert_int_equal(asked, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape),
        cmocka_unit_test(of_this_machine),
        cmocka_unit_test_setup_teardown(every_minute, test_host_setup, test_host_teardown),
        cmocka_unit_test_setup_teardown(until_heard, test_host_setup, test_host_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
