#include "gateway/conn/presence.h"

#include "lib/identity/identity.h"
#include "lib/protocol/limits.h"
#include "tests/any_int.h"
#include "tests/unit/unit.h"

struct fixture {
    struct oc_fake_clock clock;
    struct gw_presence *presence;
};

static int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 1700000000000);
    f->presence = gw_presence_create(&f->clock.clock);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    gw_presence_destroy(f->presence);
    oc_free(f);
    return 0;
}

static struct gw_presence_info info(const char *conn, const char *device) {
    return (struct gw_presence_info){
        .conn_id = conn, .device_id = device, .host = device, .mode = "node", .role = "node"
    };
}

static const char *field(struct fixture *f, int index, const char *key, char *ret, size_t size) {
    OC_AUTO_JSON cJSON *list = gw_presence_list(f->presence);
    const char *v = oc_json_get_str(cJSON_GetArrayItem(list, index), key);
    snprintf(ret, size, "%s", v ? v : "");
    return ret;
}

static int count(struct fixture *f) {
    OC_AUTO_JSON cJSON *list = gw_presence_list(f->presence);
    return cJSON_GetArraySize(list);
}

static void test_order_and_reasons(void **state) {
    struct fixture *f = *state;
    char text[200];
    assert_int_equal(count(f), 1);
    assert_string_equal(field(f, 0, "mode", text, sizeof(text)), "gateway");
    assert_string_equal(field(f, 0, "reason", text, sizeof(text)), "self");
    int64_t version = gw_presence_version(f->presence);
    struct gw_presence_info a = info("c1", "dev-a"), b = info("c2", "dev-b");
    gw_presence_connected(f->presence, &a);
    gw_presence_connected(f->presence, &b);
    assert_int_equal(gw_presence_version(f->presence), version + 2);
    assert_string_equal(field(f, 1, "deviceId", text, sizeof(text)), "dev-b");
    assert_string_equal(field(f, 2, "deviceId", text, sizeof(text)), "dev-a");
    assert_string_equal(field(f, 2, "text", text, sizeof(text)), "Node: dev-a · mode node");
    assert_true(gw_presence_disconnected(f->presence, &a));
    assert_string_equal(field(f, 1, "deviceId", text, sizeof(text)), "dev-a");
    assert_string_equal(field(f, 1, "reason", text, sizeof(text)), "disconnect");
    assert_string_equal(field(f, 2, "reason", text, sizeof(text)), "connect");
}

static void test_gone_after_five_minutes(void **state) {
    struct fixture *f = *state;
    struct gw_presence_info a = info("c1", "dev-a"), b = info("c2", "dev-b");
    gw_presence_connected(f->presence, &a);
    gw_presence_connected(f->presence, &b);
    assert_true(gw_presence_disconnected(f->presence, &a));
    oc_fake_clock_advance(&f->clock, 299999);
    assert_int_equal(count(f), 3);
    oc_fake_clock_advance(&f->clock, 1);
    assert_int_equal(count(f), 2); /* who is still here stays */
}

static void test_older_connection_leaves_late(void **state) {
    struct fixture *f = *state;
    char text[200];
    struct gw_presence_info old = info("c1", "dev-a"), new = info("c2", "dev-a");
    gw_presence_connected(f->presence, &old);
    gw_presence_connected(f->presence, &new);
    assert_false(gw_presence_disconnected(f->presence, &old));
    assert_string_equal(field(f, 1, "reason", text, sizeof(text)), "connect");
    assert_int_equal(count(f), 2);
}

static void test_an_instance_is_no_device(void **state) {
    struct fixture *f = *state;
    char v[80], id[OC_DEVICE_ID_LEN + 1];
    memset(id, 'a', OC_DEVICE_ID_LEN);
    id[OC_DEVICE_ID_LEN] = '\0';
    struct gw_presence_info device = info("c1", id), fake = info("c2", NULL),
                            other = info("c3", NULL);
    fake.instance_id = id;
    other.instance_id = "my-app";
    fake.host = other.host = "fake";
    gw_presence_connected(f->presence, &device);
    gw_presence_connected(f->presence, &other);
    gw_presence_connected(f->presence, &fake);
    assert_int_equal(count(f), 4); /* the first is the gateway */
    bool is_there = false;
    for (int i = 0; i < 4; i++) {
        bool is_device = strcmp(field(f, i, "instanceId", v, sizeof(v)), id) == 0;
        is_there = is_there || is_device;
        if (is_device) {
            assert_string_equal(field(f, i, "host", v, sizeof(v)), id);
        }
    }
    assert_true(is_there);
    assert_true(gw_presence_disconnected(f->presence, &fake));
    oc_fake_clock_advance(&f->clock, 300000);
    assert_int_equal(count(f), 3); /* it took nobody along */
}

static void test_bounded(void **state) {
    struct fixture *f = *state;
    char conn[32], device[32], text[200];
    for (int i = 0; i < OC_MAX_PRESENCE + 50; i++) {
        snprintf(conn, sizeof(conn), "c%d", i);
        snprintf(device, sizeof(device), "dev-%d", i);
        struct gw_presence_info x = info(conn, device);
        gw_presence_connected(f->presence, &x);
        if (i == 60) { /* the one who left is the first to go when room is needed */
            struct gw_presence_info left = info("c59", "dev-59");
            assert_true(gw_presence_disconnected(f->presence, &left));
        }
    }
    assert_int_equal(count(f), OC_MAX_PRESENCE + 1);
    OC_AUTO_JSON cJSON *list = gw_presence_list(f->presence);
    const cJSON *e;
    cJSON_ArrayForEach(e, list) {
        const char *id = oc_json_get_str(e, "deviceId");
        assert_false(oc_streq(id, "dev-59"));
    }
    assert_string_equal(field(f, 1, "deviceId", text, sizeof(text)), "dev-249");
}

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &v, &err), OC_OK);
    return v;
}

static cJSON *entry(struct fixture *f, int index) {
    OC_AUTO_JSON cJSON *list = gw_presence_list(f->presence);
    return cJSON_DetachItemFromArray(list, index);
}

static void say(struct fixture *f, const char *text) {
    OC_AUTO_JSON cJSON *fields = parse(text);
    gw_presence_said(f->presence, fields);
}

static void test_what_a_client_says_is_merged(void **state) {
    struct fixture *f = *state;
    struct gw_presence_info a = info("c1", "dev-a"), b = info("c2", "dev-b");
    gw_presence_connected(f->presence, &a);
    gw_presence_connected(f->presence, &b);
    int64_t version = gw_presence_version(f->presence);
    say(f, "{\"deviceId\":\" DEV-A "
           "\",\"text\":\"busy\",\"lastInputSeconds\":7,\"roles\":[\"operator\"],\"mode\":\"ui\"}");
    assert_int_equal(gw_presence_version(f->presence), version + 1);
    assert_int_equal(count(f), 3); /* no new entry */
    OC_AUTO_JSON cJSON *said = entry(f, 1);
    assert_string_equal(oc_json_get_str(said, "host"), "dev-a"); /* what was not said stays */
    assert_string_equal(oc_json_get_str(said, "mode"), "ui");
    assert_string_equal(oc_json_get_str(said, "text"), "busy");
    assert_int_equal(any_int(said, "lastInputSeconds", -1), 7);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(said, "roles")), 2);
    /* Still a connection's entry: it does not expire, and is told off when that ends. */
    oc_fake_clock_advance(&f->clock, 400000);
    assert_int_equal(count(f), 3);
    assert_true(gw_presence_disconnected(f->presence, &a));
    OC_AUTO_JSON cJSON *gone = entry(f, 1);
    assert_string_equal(oc_json_get_str(gone, "reason"), "disconnect");
    assert_int_equal(any_int(gone, "lastInputSeconds", -1), 7);
}

static void test_beacons_without_a_connection_fade(void **state) {
    struct fixture *f = *state;
    say(f, "{\"text\":\"hello\",\"host\":\"Desk\"}");
    say(f, "{\"text\":\"again\",\"host\":\"desk\",\"ip\":\"10.0.0.2\"}");
    assert_int_equal(count(f), 2);
    OC_AUTO_JSON cJSON *e = entry(f, 1);
    assert_string_equal(oc_json_get_str(e, "text"), "again");
    assert_string_equal(oc_json_get_str(e, "ip"), "10.0.0.2");
    oc_fake_clock_advance(&f->clock, 300000);
    assert_int_equal(count(f), 1);
    char text[64];
    for (int i = 0; i < OC_MAX_PRESENCE + 10; i++) {
        snprintf(text, sizeof(text), "{\"text\":\"t\",\"instanceId\":\"i%d\"}", i);
        say(f, text);
    }
    assert_int_equal(count(f), OC_MAX_PRESENCE + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_a_client_says_is_merged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_beacons_without_a_connection_fade, setup, teardown),
        cmocka_unit_test_setup_teardown(test_order_and_reasons, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gone_after_five_minutes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_older_connection_leaves_late, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_instance_is_no_device, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bounded, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
