/* The life of devices and nodes: asking, being approved at one gate or both, growing, being
 * removed. */
#include "gateway_harness.h"

#define FAR "Host: gateway.lan:18789\r\n"
#define DEVICE_TOKEN "unauthorized: device token mismatch (rotate/reissue device token)"

static struct client *join_admin(void) {
    return join(&(struct who){ .client_id = "gateway-client", .mode = "ui" }, NULL);
}

static char *with(const char *key, const char *value) {
    return oc_strfmt("{\"%s\":\"%s\"}", key, value);
}

/* Refused for pairing; the id of the request, which the caller frees. */
static char *ask_for_pairing(const struct who *w, const char *reason) {
    OC_AUTO_JSON cJSON *error = join_refused(w, NULL);
    const cJSON *details = oc_json_get(error, "details");
    assert_string_equal(oc_json_get_str(error, "code"), "NOT_PAIRED");
    assert_string_equal(oc_json_get_str(details, "reason"), reason);
    return oc_strdup(oc_json_get_str(details, "requestId"));
}

/* The node's entry in node.list. */
static cJSON *node_entry(struct client *admin, const char *node_id) {
    OC_AUTO_JSON cJSON *list = call_ok(admin, "node.list", "{}");
    cJSON *n;
    cJSON_ArrayForEach(n, cJSON_GetObjectItemCaseSensitive(list, "nodes")) {
        if (oc_streq(oc_json_get_str(n, "nodeId"), node_id)) {
            return cJSON_DetachItemViaPointer(cJSON_GetObjectItemCaseSensitive(list, "nodes"), n);
        }
    }
    return NULL;
}

static bool has_command(const cJSON *entry, const char *command) {
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    oc_json_get_strv(entry, "commands", &commands);
    return oc_strv_has(&commands, command);
}

static void test_device_life(void **state) {
    (void)state;
    struct client *admin = join_admin();
    struct who node = {
        .id = new_identity(), .role = "node", .headers = FAR, .name = "T", .max = 3
    };
    const char *id = oc_identity_device_id(node.id);

    OC_AUTO_FREE char *request = ask_for_pairing(&node, "not-paired");
    OC_AUTO_JSON cJSON *asked = wait_event(admin, "device.pair.requested");
    assert_string_equal(oc_json_get_str(oc_json_get(asked, "payload"), "requestId"), request);
    assert_string_equal(oc_json_get_str(oc_json_get(asked, "payload"), "deviceId"), id);
    OC_AUTO_FREE char *again = ask_for_pairing(&node, "not-paired");
    assert_string_equal(request, again);

    OC_AUTO_JSON cJSON *list = call_ok(admin, "device.pair.list", "{}");
    assert_int_equal(cJSON_GetArraySize(oc_json_get(list, "pending")), 1);
    OC_AUTO_FREE char *params = with("requestId", request);
    OC_AUTO_JSON cJSON *approved = call_ok(admin, "device.pair.approve", params);
    assert_string_equal(oc_json_get_str(oc_json_get(approved, "device"), "deviceId"), id);
    OC_AUTO_JSON cJSON *resolved = wait_event(admin, "device.pair.resolved");
    assert_string_equal(oc_json_get_str(oc_json_get(resolved, "payload"), "decision"), "approved");

    OC_AUTO_JSON cJSON *hello = NULL;
    join(&node, &hello);
    const char *token = oc_json_get_str(oc_json_get(hello, "auth"), "deviceToken");
    /* The device token alone will do, in either place. */
    struct who by_device_token = node;
    by_device_token.no_token = true;
    by_device_token.device_token = token;
    join(&by_device_token, NULL);
    struct who in_token = node;
    in_token.token = token;
    join(&in_token, NULL);
    /* Another platform is another machine, as far as anybody can tell. */
    struct who moved = node;
    moved.platform = "windows";
    OC_AUTO_FREE char *repair = ask_for_pairing(&moved, "metadata-upgrade");
    assert_string_not_equal(repair, request);
    /* Another key's device token is worth nothing. */
    struct who thief = {
        .id = new_identity(), .role = "node", .no_token = true, .device_token = token
    };
    OC_AUTO_JSON cJSON *refused = join_refused(&thief, NULL);
    assert_string_equal(oc_json_get_str(refused, "message"), DEVICE_TOKEN);
}

static void test_role_upgrade_is_never_silent(void **state) {
    (void)state;
    struct who op = { .id = new_identity() };
    join(&op, NULL);
    struct who node = op;
    node.role = "node";
    struct client *c = NULL;
    OC_AUTO_JSON cJSON *error = join_refused(&node, &c);
    const cJSON *details = oc_json_get(error, "details");
    assert_string_equal(oc_json_get_str(details, "reason"), "role-upgrade");
    assert_int_equal(cJSON_GetArraySize(oc_json_get(details, "approvedRoles")), 1);
    assert_non_null(strstr(c->reason, "(requestId: "));
}

static void test_rotate_revoke_remove_close_connections(void **state) {
    (void)state;
    struct client *admin = join_admin();
    struct who node = { .id = new_identity(), .role = "node" };
    OC_AUTO_FREE char *device =
            oc_strfmt("{\"deviceId\":\"%s\",\"role\":\"node\"}", oc_identity_device_id(node.id));
    OC_AUTO_JSON cJSON *hello = NULL;
    struct client *c = join(&node, &hello);
    OC_AUTO_JSON cJSON *rotated = call_ok(admin, "device.token.rotate", device);
    wait_closed(c, 1008, DEVICE_TOKEN);
    struct who stale = node;
    stale.no_token = true;
    stale.device_token = oc_json_get_str(oc_json_get(hello, "auth"), "deviceToken");
    OC_AUTO_JSON cJSON *refused = join_refused(&stale, NULL);
    assert_string_equal(oc_json_get_str(refused, "message"), DEVICE_TOKEN);
    struct who fresh = stale;
    fresh.device_token = oc_json_get_str(rotated, "token");
    c = join(&fresh, NULL);

    cJSON_Delete(call_ok(admin, "device.token.revoke", device));
    wait_closed(c, 1008, DEVICE_TOKEN);
    /* The shared secret does not undo it. */
    OC_AUTO_FREE char *request = ask_for_pairing(&node, "role-upgrade");
    OC_AUTO_FREE char *approve = with("requestId", request);
    cJSON_Delete(call_ok(admin, "device.pair.approve", approve));
    c = join(&node, NULL);

    OC_AUTO_FREE char *remove = with("deviceId", oc_identity_device_id(node.id));
    cJSON_Delete(call_ok(admin, "device.pair.remove", remove));
    wait_closed(c, 1008, "pairing required: device is not approved yet");
    assert_null(node_entry(admin, oc_identity_device_id(node.id)));
}

/* Whoever removes the device they are connected with hears that it worked, then the door closes. */
static void test_removing_oneself(void **state) {
    (void)state;
    struct who me = { .id = new_identity(), .max = 3 };
    struct client *c = join(&me, NULL), *other = join(&me, NULL);
    OC_AUTO_FREE char *params = with("deviceId", oc_identity_device_id(me.id));
    cJSON_Delete(call_ok(c, "device.pair.remove", params));
    wait_closed(c, 1008, "pairing required");
    wait_closed(other, 1008, "pairing required");
}

static void test_both_gates_with_one_approval(void **state) {
    (void)state;
    struct client *admin = join_admin();
    struct who node = { .id = new_identity(),
        .role = "node",
        .headers = FAR,
        .commands = "system.run system.which no.such" };
    const char *id = oc_identity_device_id(node.id);
    OC_AUTO_FREE char *request = ask_for_pairing(&node, "not-paired");
    OC_AUTO_JSON cJSON *list = call_ok(admin, "node.pair.list", "{}");
    const cJSON *pending = cJSON_GetArrayItem(oc_json_get(list, "pending"), 0);
    assert_string_equal(oc_json_get_str(pending, "requestId"), request);
    assert_string_equal(oc_json_get_str(pending, "nodeId"), id);
    assert_string_equal(oc_json_get_str(pending, "gate"), "device pairing");
    /* An invoke says what it is waiting for. */
    OC_AUTO_FREE char *invoke = oc_strfmt(
            "{\"nodeId\":\"%s\",\"command\":\"system.run\",\"idempotencyKey\":\"k\"}", id);
    OC_AUTO_JSON cJSON *early = call(admin, "node.invoke", invoke);
    assert_string_equal(
            oc_json_get_str(oc_json_get(early, "error"), "message"), "node not connected");
    assert_string_equal(
            oc_json_get_str(oc_json_path(early, "error.details"), "gate"), "device pairing");

    OC_AUTO_FREE char *params = with("requestId", request);
    OC_AUTO_JSON cJSON *approved = call_ok(admin, "node.pair.approve", params);
    assert_string_equal(oc_json_get_str(oc_json_get(approved, "node"), "nodeId"), id);
    cJSON_Delete(wait_event(admin, "device.pair.resolved"));
    cJSON_Delete(wait_event(admin, "node.pair.resolved"));
    join(&node, NULL);
    OC_AUTO_JSON cJSON *entry = node_entry(admin, id);
    assert_string_equal(oc_json_get_str(entry, "approvalState"), "approved");
    assert_true(has_command(entry, "system.run") && has_command(entry, "system.which"));
    assert_false(has_command(entry, "no.such"));
    const cJSON *blocked = oc_json_get(oc_json_get(entry, "gates"), "no.such");
    assert_true(oc_json_get_bool(blocked, "declared", false));
    assert_false(oc_json_get_bool(blocked, "policy", true));
}

static void test_surface_grows(void **state) {
    (void)state;
    struct client *admin = join_admin();
    struct who node = { .id = new_identity(), .role = "node", .commands = "system.run" };
    const char *id = oc_identity_device_id(node.id);
    OC_AUTO_JSON cJSON *hello = NULL;
    struct client *c = join(&node, &hello); /* local: gate 1 opens by itself */
    OC_AUTO_JSON cJSON *asked = wait_event(admin, "node.pair.requested");
    const char *request = oc_json_get_str(oc_json_get(asked, "payload"), "requestId");
    OC_AUTO_JSON cJSON *warned = wait_event(c, "node.pair.requested");
    const cJSON *warning = oc_json_get(warned, "payload");
    assert_string_equal(oc_json_get_str(warning, "approvalState"), "pending-approval");
    assert_string_equal(oc_json_get_str(warning, "requestId"), request);
    OC_AUTO_JSON cJSON *waiting = node_entry(admin, id);
    assert_string_equal(oc_json_get_str(waiting, "approvalState"), "pending-approval");
    assert_string_equal(oc_json_get_str(waiting, "pendingRequestId"), request);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(waiting, "pendingDeclaredCommands")), 1);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(waiting, "commands")), 0);
    OC_AUTO_FREE char *invoke = oc_strfmt(
            "{\"nodeId\":\"%s\",\"command\":\"system.run\",\"idempotencyKey\":\"k\"}", id);
    OC_AUTO_JSON cJSON *shut = call(admin, "node.invoke", invoke);
    assert_string_equal(
            oc_json_get_str(oc_json_path(shut, "error.details"), "gate"), "node surface approval");

    OC_AUTO_FREE char *params = with("requestId", request);
    cJSON_Delete(call_ok(admin, "node.pair.approve", params));
    OC_AUTO_JSON cJSON *told =
            wait_event(c, "node.pair.resolved"); /* the node hears it without reconnecting */
    assert_string_equal(oc_json_get_str(oc_json_get(told, "payload"), "decision"), "approved");
    assert_null(oc_json_get(told, "seq"));
    OC_AUTO_JSON cJSON *open = node_entry(admin, id);
    assert_true(has_command(open, "system.run"));
    assert_null(oc_json_get(open, "pendingRequestId"));

    /* It comes back with more: what was approved keeps working, the rest waits. */
    struct who more = node;
    more.commands = "system.run system.notify";
    join(&more, NULL);
    wait_closed(c, 1008, "replaced by a newer connection of this device");
    OC_AUTO_JSON cJSON *grown = node_entry(admin, id);
    assert_true(has_command(grown, "system.run"));
    assert_false(has_command(grown, "system.notify"));
    assert_string_equal(oc_json_get_str(grown, "approvalState"), "pending-approval");
}

static void test_reject(void **state) {
    (void)state;
    struct client *admin = join_admin();
    struct who node = { .id = new_identity(), .role = "node", .commands = "system.run" };
    struct client *c = join(&node, NULL);
    OC_AUTO_JSON cJSON *asked = wait_event(admin, "node.pair.requested");
    OC_AUTO_FREE char *params =
            with("requestId", oc_json_get_str(oc_json_get(asked, "payload"), "requestId"));
    cJSON_Delete(call_ok(admin, "node.pair.reject", params));
    OC_AUTO_JSON cJSON *told = wait_event(c, "node.pair.resolved");
    assert_string_equal(oc_json_get_str(oc_json_get(told, "payload"), "decision"), "rejected");
    settle_down();
    assert_null(take_frame(admin, "event", "event", "node.pair.requested"));
    call_fails(admin, "node.pair.approve", params, "INVALID_REQUEST", "unknown requestId");

    struct who far = { .id = new_identity(), .role = "node", .headers = FAR };
    OC_AUTO_FREE char *request = ask_for_pairing(&far, "not-paired");
    OC_AUTO_FREE char *far_params = with("requestId", request);
    OC_AUTO_JSON cJSON *rejected = call_ok(admin, "node.pair.reject", far_params);
    assert_string_equal(oc_json_get_str(rejected, "nodeId"), oc_identity_device_id(far.id));
}

/* Approving a node that can execute takes admin, however the request is reached. */
static void test_approver_needs_the_scopes(void **state) {
    (void)state;
    struct client *weak = join(&(struct who){ .scopes = "operator.pairing operator.write" }, NULL);
    struct who far = {
        .id = new_identity(), .role = "node", .headers = FAR, .commands = "system.run"
    };
    OC_AUTO_FREE char *request = ask_for_pairing(&far, "not-paired");
    OC_AUTO_FREE char *params = with("requestId", request);
    call_fails(weak, "node.pair.approve", params, "FORBIDDEN", "missing scope: operator.admin");
    call_fails(weak, "device.pair.approve", params, "FORBIDDEN",
            "device pairing approval denied: missing scope: operator.admin");
    struct who near = { .id = new_identity(), .role = "node", .commands = "system.run" };
    join(&near, NULL);
    OC_AUTO_JSON cJSON *asked = wait_event(weak, "node.pair.requested");
    OC_AUTO_FREE char *surface =
            with("requestId", oc_json_get_str(oc_json_get(asked, "payload"), "requestId"));
    call_fails(weak, "node.pair.approve", surface, "FORBIDDEN", "missing scope: operator.admin");
    /* A request for an operator is not a node's: it cannot be approved by this way. */
    struct who op = { .id = new_identity(), .headers = FAR, .scopes = "operator.read" };
    OC_AUTO_FREE char *op_request = ask_for_pairing(&op, "not-paired");
    OC_AUTO_FREE char *op_params = with("requestId", op_request);
    call_fails(
            join_admin(), "node.pair.approve", op_params, "INVALID_REQUEST", "unknown requestId");
}

static void test_rename_and_remove(void **state) {
    (void)state;
    struct client *admin = join_admin();
    struct who node = {
        .id = new_identity(), .role = "node", .name = "Old", .commands = "system.run"
    };
    const char *id = oc_identity_device_id(node.id);
    struct client *c = join(&node, NULL);
    OC_AUTO_FREE char *rename = oc_strfmt("{\"nodeId\":\"%s\",\"displayName\":\" New \"}", id);
    OC_AUTO_JSON cJSON *renamed = call_ok(admin, "node.rename", rename);
    assert_string_equal(oc_json_get_str(renamed, "displayName"), "New");
    OC_AUTO_JSON cJSON *entry = node_entry(admin, id);
    assert_string_equal(oc_json_get_str(entry, "displayName"), "New");
    oc_ws_close(c->ws, 0, "");
    UNTIL(gw_node_count(world.gw) == 0);
    OC_AUTO_FREE char *which = with("nodeId", id);
    OC_AUTO_JSON cJSON *offline = call_ok(admin, "node.describe", which);
    assert_string_equal(oc_json_get_str(offline, "displayName"), "New");
    assert_false(oc_json_get_bool(offline, "connected", true));
    assert_true(oc_json_get_bool(offline, "paired", false));
    c = join(&node, NULL);
    OC_AUTO_JSON cJSON *back = call_ok(admin, "node.describe", which);
    assert_string_equal(oc_json_get_str(back, "displayName"), "New");
    assert_non_null(oc_json_path(back, "gates"));

    cJSON_Delete(call_ok(admin, "node.pair.remove", which));
    wait_closed(c, 1008, "pairing required: device is not approved yet");
    call_fails(admin, "node.describe", which, "INVALID_REQUEST", "unknown nodeId");
}

static void test_state_survives_a_restart(void **state) {
    (void)state;
    struct client *admin = join_admin();
    struct who node = {
        .id = new_identity(), .role = "node", .headers = FAR, .commands = "system.run"
    };
    OC_AUTO_FREE char *request = ask_for_pairing(&node, "not-paired");
    OC_AUTO_FREE char *params = with("requestId", request);
    cJSON_Delete(call_ok(admin, "node.pair.approve", params));
    stop_gateway();
    start_gateway("{gateway:{auth:{token:'" TOKEN "'}}}");
    join(&node, NULL);
    OC_AUTO_JSON cJSON *entry = node_entry(join_admin(), oc_identity_device_id(node.id));
    assert_true(has_command(entry, "system.run"));
}

/* Pairing events are for those who may decide. */
static void test_events_stay_with_those_who_may_see_them(void **state) {
    (void)state;
    struct client *reader = join(&(struct who){ .scopes = "operator.read" }, NULL);
    struct client *node = join(&(struct who){ .id = new_identity(), .role = "node" }, NULL);
    struct client *admin = join_admin();
    struct who far = { .id = new_identity(), .role = "node", .headers = FAR };
    oc_free(ask_for_pairing(&far, "not-paired"));
    cJSON_Delete(wait_event(admin, "device.pair.requested"));
    settle_down();
    assert_null(take_frame(reader, "event", "event", "device.pair.requested"));
    assert_null(take_frame(node, "event", "event", "device.pair.requested"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_device_life, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_role_upgrade_is_never_silent, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_rotate_revoke_remove_close_connections, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_removing_oneself, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_both_gates_with_one_approval, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_surface_grows, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(test_reject, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_approver_needs_the_scopes, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_rename_and_remove, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_state_survives_a_restart, world_setup_started, world_teardown),
        cmocka_unit_test_setup_teardown(
                test_events_stay_with_those_who_may_see_them, world_setup_started, world_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
