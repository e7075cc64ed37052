/* Which commands of a node may be used. */
#include "gateway/pairing/surface.h"

#include "gateway/store/store_priv.h"
#include "lib/protocol/limits.h"
#include "tests/any_int.h"
#include "tests/unit/gateway/pairing/pairing_fixture.h"

static struct gw_surface_claim node_claim(
        const char *node_id, const char *caps, const char *commands) {
    return (struct gw_surface_claim){
        .node_id = node_id,
        .display_name = "Box",
        .platform = "linux",
        .version = "1.0",
        .device_family = "Linux",
        .client_id = "node-host",
        .client_mode = "node",
        .caps = words(caps),
        .commands = words(commands),
    };
}

static struct gw_surface_outcome connect_node(const struct gw_surface_claim *c) {
    struct gw_surface_outcome o = { 0 };
    if (gw_surface_check(surface, c, &o, &error) != OC_OK) {
        fail_msg("check: %s", error.text);
    }
    assert_int_equal(o.is_approved, o.request == NULL);
    return o;
}

/* "usable commands | usable caps | approved, news or waiting" */
static void assert_connect(const struct gw_surface_claim *c, const char *want) {
    struct gw_surface_outcome o = connect_node(c);
    OC_AUTO_FREE char *commands = oc_strv_join(&o.commands, " ");
    OC_AUTO_FREE char *caps = oc_strv_join(&o.caps, " ");
    OC_AUTO_FREE char *text = oc_strfmt("%s|%s|%s", commands, caps,
            o.is_approved      ? "approved"
            : o.is_new_request ? "news"
                               : "waiting");
    assert_string_equal(text, want);
    gw_surface_outcome_finish(&o);
}

static char *request_of(const char *node_id) {
    OC_AUTO_JSON cJSON *request = NULL;
    enum oc_code rc = gw_surface_request_of(surface, node_id, &request, &error);
    assert_true(rc == OC_OK || rc == OC_E_NOT_FOUND);
    return oc_strdup(oc_json_get_str(request, "requestId"));
}

static enum oc_code approve_surface(const struct gw_actor *who, const char *request_id) {
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    error = (struct oc_error){ 0 };
    return gw_surface_approve(surface, who, request_id, &payload, &request, &error);
}

static void approve_node(const char *node_id) {
    struct gw_actor admin = actor(ALL_SCOPES, NULL);
    OC_AUTO_FREE char *id = request_of(node_id);
    assert_non_null(id);
    assert_int_equal(approve_surface(&admin, id), OC_OK);
}

static void required_scopes(void **state) {
    (void)state;
    static const struct {
        const char *commands, *want;
    } rows[] = {
        { "", "operator.pairing" },
        { "camera.snap", "operator.pairing operator.write" },
        { "canvas.present system.notify location.get", "operator.pairing operator.write" },
        { "system.run", "operator.pairing operator.admin" },
        { "camera.snap system.run.prepare", "operator.pairing operator.admin" },
        { "system.which", "operator.pairing operator.admin" },
        { "system.execApprovals.set", "operator.pairing operator.admin" },
        { "browser.proxy", "operator.pairing operator.admin" },
        { "browser.proxy.upload.v1", "operator.pairing operator.admin" },
        { "fs.listDir", "operator.pairing operator.admin" },
        { "terminal.upload", "operator.pairing operator.admin" },
        { "file.write", "operator.pairing operator.admin" },
        { "device.info notifications.list", "operator.pairing operator.write" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_STRV struct oc_strv scopes = { 0 };
        gw_surface_required_scopes(words(rows[i].commands), &scopes);
        OC_AUTO_FREE char *text = oc_strv_join(&scopes, " ");
        assert_string_equal(text, rows[i].want);
    }
}

static void a_new_node_asks_for_all_it_declares(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "camera system", "camera.snap system.run");
    c.remote_ip = "10.0.0.9";
    struct gw_surface_outcome o = connect_node(&c);
    assert_int_equal(o.commands.count + o.caps.count, 0);
    assert_true(o.is_new_request);
    OC_AUTO_JSON cJSON *shape = cJSON_Duplicate(o.request, true);
    assert_int_equal(strlen(oc_json_get_str(shape, "requestId")), 36);
    oc_json_set_str(shape, "requestId", "ID");
    assert_json(shape,
            "{\"requestId\":\"ID\",\"nodeId\":\"n1\",\"clientId\":\"node-host\","
            "\"clientMode\":\"node\",\"platform\":\"linux\",\"version\":\"1.0\","
            "\"deviceFamily\":\"Linux\",\"remoteIp\":\"10.0.0.9\",\"displayName\":\"Box\","
            "\"caps\":[\"camera\",\"system\"],\"commands\":[\"camera.snap\",\"system.run\"],"
            "\"requiredApproveScopes\":[\"operator.pairing\",\"operator.admin\"],"
            "\"ts\":1794787516297}");
    gw_surface_outcome_finish(&o);
}

static void a_node_without_commands_needs_nobody(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "label", "");
    assert_connect(&c, "|label|approved");
    assert_int_equal(count(GW_NODE_REQUESTS), 0);
}

static void approval_opens_what_was_asked(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "system", "system.run system.which");
    assert_connect(&c, "||news");
    assert_connect(&c, "||waiting");
    OC_AUTO_FREE char *id = request_of("n1");
    oc_fake_clock_advance(&fake, 1000);
    struct gw_actor admin = actor("operator.admin", NULL);
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    assert_int_equal(gw_surface_approve(surface, &admin, id, &payload, &request, &error), OC_OK);
    assert_string_equal(oc_json_get_str(payload, "requestId"), id);
    const cJSON *node = oc_json_get(payload, "node");
    assert_string_equal(oc_json_get_str(node, "nodeId"), "n1");
    assert_json(oc_json_get(node, "commands"), "[\"system.run\",\"system.which\"]");
    assert_int_equal(strlen(oc_json_get_str(node, "token")), 43);
    assert_int_equal(any_int(node, "approvedAtMs", 0), START_MS + 1000);
    assert_json(oc_json_get(request, "commands"), "[\"system.run\",\"system.which\"]");
    assert_connect(&c, "system.run system.which|system|approved");
    assert_fails(approve_surface(&admin, id), OC_E_INVALID, "unknown requestId");
}

/* 2026.4.7: more commands wait for a new approval, the old ones go on working. */
static void more_commands_wait_and_the_old_ones_work(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "a", "a.one a.two");
    assert_connect(&c, "||news");
    approve_node("n1");
    struct gw_surface_claim wide = node_claim("n1", "a b", "a.one a.two b.one");
    assert_connect(&wide, "a.one a.two|a|news");
    OC_AUTO_FREE char *first = request_of("n1");
    assert_connect(&wide, "a.one a.two|a|waiting");
    struct gw_surface_claim wider = node_claim("n1", "a b", "a.one a.two b.one b.two");
    assert_connect(&wider, "a.one a.two|a|news");
    OC_AUTO_FREE char *second = request_of("n1");
    assert_string_not_equal(first, second); /* nobody approves what they have not read */
    assert_int_equal(count(GW_NODE_REQUESTS), 1);
    struct gw_actor everybody = actor("operator.admin", NULL);
    assert_fails(approve_surface(&everybody, first), OC_E_INVALID, "unknown requestId");
    approve_node("n1");
    assert_connect(&wider, "a.one a.two b.one b.two|a b|approved");
}

static void more_caps_make_another_request(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "a", "a.one"),
                            wide = node_claim("n1", "a b", "a.one");
    assert_connect(&c, "||news");
    OC_AUTO_FREE char *first = request_of("n1");
    assert_connect(&wide, "||news");
    OC_AUTO_FREE char *second = request_of("n1");
    assert_string_not_equal(first, second);
    assert_connect(&c, "||news"); /* less: what was read covers it */
    OC_AUTO_FREE char *third = request_of("n1");
    assert_string_equal(second, third);
    assert_int_equal(count(GW_NODE_REQUESTS), 1);
}

static void a_request_that_cannot_be_replaced_stays(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "a", "a.one"),
                            wide = node_claim("n1", "a", "a.one a.two");
    assert_connect(&c, "||news");
    OC_AUTO_FREE char *first = request_of("n1");
    assert_int_equal(gw_store_exec(store,
                             "CREATE TRIGGER full BEFORE INSERT ON node_requests "
                             "BEGIN SELECT RAISE(ABORT, 'no room'); END",
                             &error),
            OC_OK);
    struct gw_surface_outcome o = { 0 };
    assert_int_not_equal(gw_surface_check(surface, &wide, &o, &error), OC_OK);
    OC_AUTO_FREE char *second = request_of("n1");
    assert_string_equal(first, second);
}

static void fewer_commands_keep_the_approval(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "a", "a.one a.two");
    assert_connect(&c, "||news");
    approve_node("n1");
    struct gw_surface_claim wide = node_claim("n1", "a", "a.one a.two b.one");
    assert_connect(&wide, "a.one a.two|a|news");
    struct gw_surface_claim less = node_claim("n1", "a", "a.one");
    assert_connect(&less, "a.one|a|approved");
    assert_int_equal(count(GW_NODE_REQUESTS), 0); /* nobody asks any more */
    assert_connect(&c, "a.one a.two|a|approved");
}

static void approval_is_exactly_what_was_seen(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "", "a.one a.two");
    assert_connect(&c, "||news");
    approve_node("n1");
    struct gw_surface_claim other = node_claim("n1", "", "a.one b.one");
    assert_connect(&other, "a.one||news");
    approve_node("n1");
    assert_connect(&other, "a.one b.one||approved");
    assert_connect(&c, "a.one||news"); /* a.two was not on the last list */
}

static void labels_alone_are_no_reason_to_ask(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "a", "a.one");
    assert_connect(&c, "||news");
    approve_node("n1");
    struct gw_surface_claim labelled = node_claim("n1", "a mcp", "a.one");
    assert_connect(&labelled, "a.one|a mcp|approved");
}

static void approvers_need_what_the_commands_need(void **state) {
    (void)state;
    static const struct {
        const char *commands, *held;
        enum oc_code want;
        const char *text;
    } rows[] = {
        { "camera.snap", "operator.pairing operator.write", OC_OK, "" },
        { "camera.snap", "operator.admin", OC_OK, "" },
        { "camera.snap", "operator.pairing", OC_E_DENIED, "missing scope: operator.write" },
        { "camera.snap", "operator.pairing operator.read", OC_E_DENIED,
                "missing scope: operator.write" },
        { "camera.snap", "operator.write", OC_E_DENIED, "missing scope: operator.pairing" },
        { "camera.snap", "", OC_E_DENIED, "missing scope: operator.pairing" },
        { "camera.snap system.run", "operator.pairing operator.write", OC_E_DENIED,
                "missing scope: operator.admin" },
        { "browser.proxy", "operator.pairing operator.write operator.approvals", OC_E_DENIED,
                "missing scope: operator.admin" },
        { "camera.snap system.run", "operator.admin", OC_OK, "" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        fixture_teardown(state);
        fixture_setup(state);
        struct gw_surface_claim c = node_claim("n1", "", rows[i].commands);
        assert_connect(&c, "||news");
        OC_AUTO_FREE char *id = request_of("n1");
        struct gw_actor who = actor(rows[i].held, NULL);
        assert_fails(approve_surface(&who, id), rows[i].want, rows[i].text);
        assert_int_equal(count(GW_NODE_REQUESTS), rows[i].want == OC_OK ? 0 : 1);
        struct gw_surface_outcome o = connect_node(&c);
        assert_int_equal(o.is_approved, rows[i].want == OC_OK);
        gw_surface_outcome_finish(&o);
    }
}

static cJSON *device_request(const char *commands) {
    struct gw_pair_claim c = claim("n1", "node", "");
    c.caps = words("system");
    c.commands = words(commands);
    OC_AUTO_FREE char *id = ask(&c);
    return stored(GW_DEVICE_REQUESTS, id);
}

static void one_approval_opens_both_gates(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *request = device_request("system.which system.run");
    struct gw_actor admin = actor("operator.admin", NULL);
    OC_AUTO_JSON cJSON *node = NULL;
    assert_int_equal(gw_surface_preapprove(surface, &admin, request, &node, &error), OC_OK);
    assert_json(oc_json_get(node, "commands"), "[\"system.run\",\"system.which\"]");
    assert_string_equal(oc_json_get_str(node, "version"), "1.0");
    struct gw_surface_claim c = node_claim("n1", "system", "system.run system.which");
    assert_connect(&c, "system.run system.which|system|approved");
}

static void both_gates_need_the_scopes_of_both(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *request = device_request("system.run");
    struct gw_actor weak = actor("operator.pairing operator.write", NULL);
    cJSON *node = NULL;
    assert_fails(gw_surface_preapprove(surface, &weak, request, &node, &error), OC_E_DENIED,
            "missing scope: operator.admin");
    assert_int_equal(count(GW_NODES), 0);

    struct gw_pair_claim op = claim("n2", "operator", "");
    OC_AUTO_FREE char *id = ask(&op);
    OC_AUTO_JSON cJSON *no_node = stored(GW_DEVICE_REQUESTS, id);
    struct gw_actor admin = actor("operator.admin", NULL);
    assert_int_equal(gw_surface_preapprove(surface, &admin, no_node, &node, &error), OC_E_INVALID);
    assert_int_equal(count(GW_NODES), 0);
}

static void approving_a_device_again_settles_its_surface_request(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "", "a.one");
    assert_connect(&c, "||news");
    OC_AUTO_JSON cJSON *request = device_request("a.one");
    struct gw_actor admin = actor("operator.admin", NULL);
    OC_AUTO_JSON cJSON *node = NULL;
    assert_int_equal(gw_surface_preapprove(surface, &admin, request, &node, &error), OC_OK);
    assert_int_equal(count(GW_NODE_REQUESTS), 0);
}

static void rejecting_leaves_what_was_approved(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "", "a.one");
    assert_connect(&c, "||news");
    approve_node("n1");
    struct gw_surface_claim wide = node_claim("n1", "", "a.one b.one");
    assert_connect(&wide, "a.one||news");
    OC_AUTO_FREE char *id = request_of("n1");
    OC_AUTO_JSON cJSON *payload = NULL;
    cJSON *none = NULL;
    struct gw_actor admin = { .scopes = words(ALL_SCOPES), .device_id = "desk" };
    struct gw_actor other = { .scopes = words("operator.pairing operator.write"),
        .device_id = "phone" };
    assert_fails(gw_surface_reject(surface, &other, id, &none, &error), OC_E_DENIED,
            "missing scope: operator.admin");
    assert_fails(gw_surface_approve(surface, &other, id, &none, &none, &error), OC_E_DENIED,
            "missing scope: operator.admin");
    assert_int_equal(gw_surface_reject(surface, &admin, id, &payload, &error), OC_OK);
    OC_AUTO_FREE char *want = oc_strfmt("{\"requestId\":\"%s\",\"nodeId\":\"n1\"}", id);
    assert_json(payload, want);
    assert_fails(gw_surface_reject(surface, &admin, id, &none, &error), OC_E_INVALID,
            "unknown requestId");
    assert_connect(&c, "a.one||approved");
}

static void requests_do_not_expire(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "", "a.one");
    assert_connect(&c, "||news");
    OC_AUTO_FREE char *id = request_of("n1");
    oc_fake_clock_advance(&fake, 400LL * 24 * 3600 * 1000);
    assert_connect(&c, "||waiting");
    struct gw_actor admin = actor("operator.admin", NULL);
    assert_int_equal(approve_surface(&admin, id), OC_OK);
}

static void connecting_is_stamped_at_most_once_a_minute(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "", "a.one");
    static const struct {
        int64_t advance_ms, want_ms;
        const char *version, *want_version;
    } rows[] = { { 0, 0, "1", "1" }, { 59999, 0, "2", "1" }, { 1, 60000, "2", "2" },
        { 59000, 60000, "3", "2" }, { 1000, 120000, "3", "3" }, { -500000, -380000, "4", "4" } };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        oc_fake_clock_advance(&fake, rows[i].advance_ms);
        c.version = rows[i].version;
        struct gw_surface_outcome o = connect_node(&c);
        assert_int_equal(o.is_new_request, i == 0);
        assert_int_equal(any_int(o.request, "ts", 0), START_MS);
        gw_surface_outcome_finish(&o);
        OC_AUTO_JSON cJSON *node = stored(GW_NODES, "n1");
        assert_int_equal(any_int(node, "lastConnectedAtMs", 0), START_MS + rows[i].want_ms);
        assert_string_equal(oc_json_get_str(node, "version"), rows[i].want_version);
        OC_AUTO_JSON cJSON *request = NULL;
        assert_int_equal(gw_surface_request_of(surface, "n1", &request, &error), OC_OK);
        assert_string_equal(oc_json_get_str(request, "version"), rows[i].want_version);
    }
}

static void the_owners_name_wins(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "", "a.one");
    assert_connect(&c, "||news");
    assert_int_equal(gw_surface_rename(surface, "n1", "  Kitchen ", true, &error), OC_OK);
    oc_fake_clock_advance(&fake, 100000);
    c.display_name = "Declared";
    c.commands = words("a.one a.two");
    assert_connect(&c, "||news");
    OC_AUTO_JSON cJSON *request = NULL;
    assert_int_equal(gw_surface_request_of(surface, "n1", &request, &error), OC_OK);
    assert_string_equal(oc_json_get_str(request, "displayName"), "Kitchen");
    approve_node("n1");
    oc_fake_clock_advance(&fake, 100000);
    assert_connect(&c, "a.one a.two||approved");
    OC_AUTO_JSON cJSON *node = NULL;
    assert_int_equal(gw_surface_node(surface, "n1", &node, &error), OC_OK);
    assert_string_equal(oc_json_get_str(node, "displayName"), "Kitchen");
    assert_string_equal(oc_json_get_str(node, "displayNameSource"), "owner");
}

static void renaming_needs_a_node_and_a_name(void **state) {
    (void)state;
    struct gw_pair_claim node = claim("n1", "node", ""), op = claim("o1", "operator", "");
    pair(&node);
    pair(&op);
    char longest[OC_MAX_NAME_BYTES + 2];
    memset(longest, 'x', sizeof(longest));
    longest[OC_MAX_NAME_BYTES + 1] = '\0';
    assert_fails(
            gw_surface_rename(surface, "n9", "N", true, &error), OC_E_INVALID, "unknown nodeId");
    assert_fails(
            gw_surface_rename(surface, "o1", "N", true, &error), OC_E_INVALID, "unknown nodeId");
    assert_fails(gw_surface_rename(surface, "n1", " \t", true, &error), OC_E_INVALID,
            "displayName must not be blank");
    assert_int_equal(gw_surface_rename(surface, "n1", longest, true, &error), OC_E_INVALID);
    assert_int_equal(gw_surface_rename(surface, "n1", "bad \xff", true, &error), OC_E_INVALID);
    assert_int_equal(count(GW_NODES), 0);
    /* Paired as a device is enough, but a name is no approval. */
    assert_int_equal(gw_surface_rename(surface, "n1", "Kitchen", true, &error), OC_OK);
    OC_AUTO_JSON cJSON *list = NULL;
    assert_int_equal(gw_surface_list(surface, &list, &error), OC_OK);
    assert_json(list, "{\"pending\":[],\"paired\":[]}");
    struct gw_surface_claim c = node_claim("n1", "", "a.one");
    assert_connect(&c, "||news");
}

static void removing_forgets_the_approval(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "", "a.one");
    cJSON *none = NULL;
    assert_fails(gw_surface_remove(surface, "n1", &none, &error), OC_E_INVALID, "unknown nodeId");
    assert_connect(&c, "||news");
    approve_node("n1");
    struct gw_surface_claim wide = node_claim("n1", "", "a.one b.one");
    assert_connect(&wide, "a.one||news");
    OC_AUTO_JSON cJSON *payload = NULL;
    assert_int_equal(gw_surface_remove(surface, "n1", &payload, &error), OC_OK);
    assert_json(payload, "{\"nodeId\":\"n1\"}");
    assert_int_equal(count(GW_NODES) + count(GW_NODE_REQUESTS), 0);
    assert_connect(&c, "||news");
}

static void tokens_verify_and_are_shown_once(void **state) {
    (void)state;
    struct gw_surface_claim c = node_claim("n1", "", "a.one");
    assert_connect(&c, "||news");
    OC_AUTO_FREE char *id = request_of("n1");
    assert_false(gw_surface_verify(surface, "n1", ""));
    struct gw_actor admin = actor("operator.admin", NULL);
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    assert_int_equal(gw_surface_approve(surface, &admin, id, &payload, &request, &error), OC_OK);
    const char *token = oc_json_get_str(oc_json_get(payload, "node"), "token");
    assert_true(gw_surface_verify(surface, "n1", token));
    assert_false(gw_surface_verify(surface, "n2", token));
    assert_false(gw_surface_verify(surface, "n1", "wrong"));
    assert_false(gw_surface_verify(surface, "n1", NULL));
    OC_AUTO_JSON cJSON *list = NULL;
    OC_AUTO_JSON cJSON *node = NULL;
    assert_int_equal(gw_surface_list(surface, &list, &error), OC_OK);
    assert_int_equal(gw_surface_node(surface, "n1", &node, &error), OC_OK);
    OC_AUTO_FREE char *list_text = oc_json_print(list, false);
    OC_AUTO_FREE char *node_text = oc_json_print(node, false);
    assert_null(strstr(list_text, token));
    assert_null(strstr(node_text, token));
}

static void lists_are_newest_first(void **state) {
    (void)state;
    static const char *const ids[] = { "n1", "n2", "n3", "n4" };
    for (size_t i = 0; i < OC_COUNT(ids); i++) {
        struct gw_surface_claim c = node_claim(ids[i], "", "a.one");
        assert_connect(&c, "||news");
        oc_fake_clock_advance(&fake, 1000);
    }
    approve_node("n4");
    oc_fake_clock_advance(&fake, 1000);
    approve_node("n2");
    OC_AUTO_JSON cJSON *list = NULL;
    assert_int_equal(gw_surface_list(surface, &list, &error), OC_OK);
    static const char *const pending[] = { "n3", "n1" }, *const paired[] = { "n2", "n4" };
    assert_int_equal(cJSON_GetArraySize(oc_json_get(list, "pending")), 2);
    assert_int_equal(cJSON_GetArraySize(oc_json_get(list, "paired")), 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(
                oc_json_get_str(cJSON_GetArrayItem(oc_json_get(list, "pending"), i), "nodeId"),
                pending[i]);
        assert_string_equal(
                oc_json_get_str(cJSON_GetArrayItem(oc_json_get(list, "paired"), i), "nodeId"),
                paired[i]);
    }
}

static void an_imported_record_without_approval_opens_nothing(void **state) {
    (void)state;
    static const char doc[] = "{\"nodeId\":\"n1\",\"token\":\"t\",\"commands\":[\"a.one\"],"
                              "\"caps\":[\"a\"]}";
    OC_AUTO_JSON cJSON *node = NULL;
    assert_int_equal(oc_json_parse(doc, strlen(doc), &node, &error), OC_OK);
    assert_int_equal(gw_store_put(store, GW_NODES, "n1", NULL, node, &error), OC_OK);
    struct gw_surface_claim c = node_claim("n1", "a", "a.one");
    assert_connect(&c, "||news");
    assert_false(gw_surface_verify(surface, "n1", "t"));
}

static void damage_is_an_error_not_an_absence(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *broken = cJSON_CreateRaw("{\"nodeId\":");
    assert_int_equal(gw_store_put(store, GW_NODES, "n1", NULL, broken, &error), OC_OK);
    struct gw_surface_claim c = node_claim("n1", "", "a.one");
    struct gw_surface_outcome o = { 0 };
    cJSON *none = NULL;
    assert_int_equal(gw_surface_check(surface, &c, &o, &error), OC_E_CORRUPT);
    assert_int_equal(gw_surface_rename(surface, "n1", "N", true, &error), OC_E_CORRUPT);
    assert_int_equal(gw_surface_list(surface, &none, &error), OC_E_CORRUPT);
    assert_false(gw_surface_verify(surface, "n1", "t"));
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        T(required_scopes),
        T(a_new_node_asks_for_all_it_declares),
        T(a_node_without_commands_needs_nobody),
        T(approval_opens_what_was_asked),
        T(more_commands_wait_and_the_old_ones_work),
        T(more_caps_make_another_request),
        T(a_request_that_cannot_be_replaced_stays),
        T(fewer_commands_keep_the_approval),
        T(approval_is_exactly_what_was_seen),
        T(labels_alone_are_no_reason_to_ask),
        T(approvers_need_what_the_commands_need),
        T(one_approval_opens_both_gates),
        T(both_gates_need_the_scopes_of_both),
        T(approving_a_device_again_settles_its_surface_request),
        T(rejecting_leaves_what_was_approved),
        T(requests_do_not_expire),
        T(connecting_is_stamped_at_most_once_a_minute),
        T(the_owners_name_wins),
        T(renaming_needs_a_node_and_a_name),
        T(removing_forgets_the_approval),
        T(tokens_verify_and_are_shown_once),
        T(lists_are_newest_first),
        T(an_imported_record_without_approval_opens_nothing),
        T(damage_is_an_error_not_an_absence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
