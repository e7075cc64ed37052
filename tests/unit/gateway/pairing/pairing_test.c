/* Who is let in, who may let others in. */
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"
#include "tests/any_int.h"
#include "tests/unit/gateway/pairing/pairing_fixture.h"

static void put_device(const char *text) {
    OC_AUTO_JSON cJSON *device = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &device, &error), OC_OK);
    assert_int_equal(gw_store_put(store, GW_DEVICES, oc_json_get_str(device, "deviceId"), NULL,
                             device, &error),
            OC_OK);
}

/* The table of docs/PROTOCOL.md#device-requests. */
static void reasons_and_silence(void **state) {
    (void)state;
    static const char known[] =
            "{\"deviceId\":\"known\",\"publicKey\":\"known\",\"platform\":\"linux\","
            "\"deviceFamily\":\"Box\",\"role\":\"operator\",\"roles\":[\"operator\",\"node\"],"
            "\"scopes\":[\"operator.write\"],\"approvedScopes\":[\"operator.write\"],"
            "\"tokens\":{\"node\":{\"token\":\"t\",\"role\":\"node\",\"scopes\":[],"
            "\"revokedAtMs\":5}}}";
    static const char plain[] =
            "{\"deviceId\":\"plain\",\"publicKey\":\"plain\",\"role\":\"operator\",\"scopes\":[]}";
    static const char old[] = /* before approvedScopes and roles */
            "{\"deviceId\":\"old\",\"publicKey\":\"old\",\"role\":\"operator\","
            "\"scopes\":[\"operator.read\"]}";
    static const struct {
        const char *device, *key, *role, *scopes, *platform, *family;
        const char *remote, *local; /* what happens */
    } rows[] = {
        { "new", "new", "operator", "operator.read", "linux", NULL, "not-paired", "silent" },
        { "new", "new", "node", "", "linux", NULL, "not-paired", "silent" },
        { "known", "another", "operator", "", "linux", "Box", "not-paired", "silent" },

        { "known", "known", "operator", "operator.write", "linux", "Box", "paired", "paired" },
        { "known", "known", "operator", "operator.read", "linux", "Box", "paired", "paired" },
        { "known", "known", "operator", "", "linux", "Box", "paired", "paired" },
        { "known", "known", "operator", "", " LINUX ", "bOX", "paired", "paired" },

        { "known", "known", "operator", "", "linux2", "Box", "metadata-upgrade",
                "metadata-upgrade" },
        { "known", "known", "operator", "", NULL, "Box", "metadata-upgrade", "metadata-upgrade" },
        { "known", "known", "operator", "", "linux", NULL, "metadata-upgrade", "metadata-upgrade" },
        { "known", "known", "operator", "", "linux", "Mac", "metadata-upgrade",
                "metadata-upgrade" },
        /* Comes before the others. */
        { "known", "known", "node", "operator.admin", "mac", "Box", "metadata-upgrade",
                "metadata-upgrade" },

        { "known", "known", "node", "", "linux", "Box", "role-upgrade",
                "role-upgrade" }, /* revoked */
        { "plain", "plain", "node", "", "linux", "Box", "role-upgrade", "role-upgrade" },

        { "known", "known", "operator", "operator.admin", "linux", "Box", "scope-upgrade",
                "silent" },
        { "known", "known", "operator", "operator.write operator.pairing", "linux", "Box",
                "scope-upgrade", "silent" },
        /* An empty grant is not every scope. */
        { "plain", "plain", "operator", "operator.read", "linux", NULL, "scope-upgrade", "silent" },
        { "plain", "plain", "operator", "", "linux", "Any", "paired", "paired" },
        { "old", "old", "operator", "operator.read", NULL, NULL, "paired", "paired" },
        { "old", "old", "operator", "operator.write", NULL, NULL, "scope-upgrade", "silent" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        for (int is_local = 0; is_local < 2; is_local++) {
            fixture_teardown(state);
            fixture_setup(state);
            put_device(known);
            put_device(plain);
            put_device(old);
            struct gw_pair_claim c = claim(rows[i].device, rows[i].role, rows[i].scopes);
            c.public_key = rows[i].key;
            c.platform = rows[i].platform;
            c.device_family = rows[i].family;
            c.is_local = is_local != 0;
            c.remote_ip = is_local ? NULL : "10.0.0.9";
            const char *want = is_local ? rows[i].local : rows[i].remote;
            const char *got = verdict(&c);
            if (strcmp(got, want) != 0) {
                fail_msg("row %zu local %d: %s, wanted %s", i, is_local, got, want);
            }
            bool waits = strcmp(want, "paired") != 0 && strcmp(want, "silent") != 0;
            assert_int_equal(count(GW_DEVICE_REQUESTS), waits ? 1 : 0);
            if (strcmp(want, "silent") == 0) {
                assert_string_equal(verdict(&c), "paired");
            }
        }
    }
}

static void a_silent_pairing_looks_like_any_other(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "operator", "operator.read");
    c.is_local = true;
    c.remote_ip = NULL;
    struct gw_pair_outcome o = check(&c);
    assert_true(o.is_paired && o.was_silent);
    assert_false(o.is_new_request);
    assert_true(oc_json_get_bool(o.request, "silent", false));
    assert_null(oc_json_get(o.request, "remoteIp"));
    assert_json(o.device,
            "{\"deviceId\":\"d1\",\"publicKey\":\"d1\",\"displayName\":\"Box\","
            "\"platform\":\"linux\",\"clientId\":\"cli\",\"clientMode\":\"cli\","
            "\"role\":\"operator\",\"roles\":[\"operator\"],\"scopes\":[\"operator.read\"],"
            "\"createdAtMs\":1794787516297,\"approvedAtMs\":1794787516297,"
            "\"tokens\":[{\"role\":\"operator\",\"scopes\":[\"operator.read\"],"
            "\"createdAtMs\":1794787516297}]}");
    gw_pair_outcome_finish(&o);
}

static void a_waiting_request_is_never_approved_silently(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "operator", "operator.admin");
    OC_AUTO_FREE char *id = ask(&c);
    c.is_local = true;
    struct gw_pair_outcome o = check(&c);
    assert_false(o.is_paired);
    assert_string_equal(oc_json_get_str(o.request, "requestId"), id);
    assert_false(oc_json_get_bool(o.request, "silent", true));
    gw_pair_outcome_finish(&o);
    assert_int_equal(count(GW_DEVICES), 0);
}

static void what_a_device_says_changes_no_grant(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "operator", "operator.read");
    pair(&c);
    struct gw_pair_claim greedy = claim("d1", "operator", ALL_SCOPES);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(verdict(&greedy), "scope-upgrade");
        oc_fake_clock_advance(&fake, 100000);
    }
    assert_string_equal(verdict(&c), "paired");
    OC_AUTO_JSON cJSON *device = stored(GW_DEVICES, "d1");
    assert_json(oc_json_get(device, "approvedScopes"), "[\"operator.read\"]");
    OC_AUTO_JSON cJSON *token = NULL;
    assert_int_equal(
            gw_pairing_issue_token(pairing, "d1", "operator", greedy.scopes, &token, &error),
            OC_OK);
    assert_json(oc_json_get(token, "scopes"), "[\"operator.read\"]");
}

static void a_node_that_asks_for_scopes_gets_none(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", ALL_SCOPES);
    c.is_local = true;
    assert_string_equal(verdict(&c), "silent");
    OC_AUTO_JSON cJSON *device = stored(GW_DEVICES, "d1");
    assert_json(oc_json_get(device, "scopes"), "[]");
    assert_json(oc_json_get(device, "approvedScopes"), "[]");
    assert_string_equal(verdict(&c), "paired");
}

static void names_follow_the_device_but_not_at_every_connect(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    c.platform = NULL;
    pair(&c);
    static const struct {
        int64_t advance_ms;
        const char *name, *want;
    } rows[] = { { 1000, "A", "A" }, { 59999, "B", "A" }, { 1, "B", "B" }, { 30000, "B", "B" },
        { 90000, "C", "C" } };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        oc_fake_clock_advance(&fake, rows[i].advance_ms);
        c.display_name = rows[i].name;
        c.platform = "linux";
        struct gw_pair_outcome o = check(&c);
        assert_true(o.is_paired);
        assert_string_equal(oc_json_get_str(o.device, "displayName"), rows[i].name);
        assert_null(oc_json_get(o.device, "refreshedAtMs"));
        gw_pair_outcome_finish(&o);
        OC_AUTO_JSON cJSON *device = stored(GW_DEVICES, "d1");
        assert_string_equal(oc_json_get_str(device, "displayName"), rows[i].want);
    }
    /* A platform that was not known at first is pinned now. */
    c.platform = "darwin";
    assert_string_equal(verdict(&c), "metadata-upgrade");
}

/* CVE-2026-33577, -33579, -42426, GHSA-xrq9-jm7v-g9h7: the approver must hold what it grants. */
static void a_device_decides_about_itself_only(void **state) {
    (void)state;
    static const char held[] = "operator.pairing operator.read";
    struct gw_pair_claim c = claim("d1", "operator", "operator.read");
    OC_AUTO_FREE char *id = ask(&c);
    struct gw_actor other = actor(held, "me");
    assert_fails(approve(&other, id), OC_E_DENIED, "missing scope: operator.admin");
    assert_false(gw_actor_sees_device(&other, "d1"));
    assert_true(gw_actor_sees_device(&other, "me"));
    struct gw_actor self = actor(held, "d1");
    assert_int_equal(approve(&self, id), OC_OK);
    struct gw_pair_claim d = claim("d2", "operator", "operator.read");
    OC_AUTO_FREE char *second = ask(&d);
    struct gw_actor admin = actor("operator.admin", "me");
    assert_int_equal(approve(&admin, second), OC_OK);
}

static void approvers_must_hold_what_they_grant(void **state) {
    (void)state;
    static const struct {
        const char *role, *asked, *held;
        enum oc_code want;
        const char *text;
    } rows[] = {
        { "operator", "", "operator.pairing", OC_OK, "" },
        { "operator", "operator.read", "operator.pairing operator.read", OC_OK, "" },
        { "operator", "operator.read", "operator.pairing operator.write", OC_OK, "" },
        { "operator", ALL_SCOPES, "operator.admin", OC_OK, "" },
        { "operator", ALL_SCOPES, ALL_SCOPES, OC_OK, "" },
        { "operator", "operator.read", "operator.pairing", OC_E_DENIED,
                "missing scope: operator.read" },
        { "operator", "operator.read operator.admin", "operator.pairing operator.read", OC_E_DENIED,
                "missing scope: operator.admin" },
        { "operator", "operator.write", "operator.pairing operator.read", OC_E_DENIED,
                "missing scope: operator.write" },
        { "operator", "operator.pairing", "operator.write", OC_E_DENIED,
                "missing scope: operator.pairing" },
        { "operator", "strange.scope", "operator.admin", OC_E_DENIED,
                "missing scope: strange.scope" },
        { "operator", "", "", OC_E_DENIED, "missing scope: operator.pairing" },
        { "operator", "", "operator.write", OC_E_DENIED, "missing scope: operator.pairing" },
        { "node", "", "operator.pairing", OC_E_DENIED, "missing scope: operator.admin" },
        { "node", "", "operator.pairing operator.write operator.approvals", OC_E_DENIED,
                "missing scope: operator.admin" },
        { "node", "", "operator.admin", OC_OK, "" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        fixture_teardown(state);
        fixture_setup(state);
        struct gw_pair_claim c = claim("d1", rows[i].role, rows[i].asked);
        OC_AUTO_FREE char *id = ask(&c);
        struct gw_actor who = actor(rows[i].held, NULL);
        assert_fails(approve(&who, id), rows[i].want, rows[i].text);
        assert_int_equal(count(GW_DEVICES), rows[i].want == OC_OK ? 1 : 0);
        assert_int_equal(count(GW_DEVICE_REQUESTS), rows[i].want == OC_OK ? 0 : 1);
    }
    struct gw_pair_claim c = claim("d2", "operator", "");
    OC_AUTO_FREE char *id = ask(&c);
    struct gw_actor nobody = { 0 };
    assert_fails(approve(&nobody, id), OC_E_DENIED, "missing scope: operator.pairing");
}

static void approving_one_role_does_not_grant_another(void **state) {
    (void)state;
    struct gw_pair_claim node = claim("d1", "node", ""),
                         op = claim("d1", "operator", "operator.admin");
    OC_AUTO_FREE char *node_id = ask(&node), *op_id = ask(&op);
    assert_string_not_equal(node_id, op_id);
    struct gw_actor admin = actor("operator.admin", NULL);
    assert_int_equal(approve(&admin, node_id), OC_OK);
    assert_string_equal(verdict(&node), "paired");
    assert_string_equal(verdict(&op), "role-upgrade");
}

static void approval_answers_with_the_device_and_the_request(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    c.caps = words("system");
    c.commands = words("system.run");
    OC_AUTO_FREE char *id = ask(&c);
    oc_fake_clock_advance(&fake, 26);
    struct gw_actor admin = actor("operator.admin", NULL);
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    assert_int_equal(gw_pairing_approve(pairing, &admin, id, &payload, &request, &error), OC_OK);
    OC_AUTO_FREE char *want = oc_strfmt(
            "{\"requestId\":\"%s\",\"device\":{\"deviceId\":\"d1\",\"publicKey\":\"d1\","
            "\"displayName\":\"Box\",\"platform\":\"linux\",\"clientId\":\"node-host\","
            "\"clientMode\":\"node\",\"role\":\"node\",\"roles\":[\"node\"],\"scopes\":[],"
            "\"remoteIp\":\"10.0.0.9\",\"createdAtMs\":1794787516323,"
            "\"approvedAtMs\":1794787516323,\"tokens\":[{\"role\":\"node\",\"scopes\":[],"
            "\"createdAtMs\":1794787516323}]}}",
            id);
    assert_json(payload, want);
    assert_json(oc_json_get(request, "commands"), "[\"system.run\"]");
    assert_string_equal(verdict(&c), "paired");
    assert_fails(approve(&admin, id), OC_E_INVALID, "unknown requestId");
    assert_fails(approve(&admin, "nonsense"), OC_E_INVALID, "unknown requestId");
}

static void approval_adds_to_what_was_granted(void **state) {
    (void)state;
    struct gw_pair_claim op = claim("d1", "operator", "operator.read");
    pair(&op);
    OC_AUTO_JSON cJSON *token = NULL;
    assert_int_equal(
            gw_pairing_issue_token(pairing, "d1", "operator", op.scopes, &token, &error), OC_OK);
    oc_fake_clock_advance(&fake, 1000);
    struct gw_pair_claim node = claim("d1", "node", "");
    struct gw_pair_outcome o = check(&node);
    assert_string_equal(o.reason, "role-upgrade");
    assert_true(oc_json_get_bool(o.request, "isRepair", false));
    gw_pair_outcome_finish(&o);
    pair(&node);
    OC_AUTO_JSON cJSON *device = NULL;
    assert_int_equal(gw_pairing_device(pairing, "d1", &device, &error), OC_OK);
    assert_string_equal(oc_json_get_str(device, "role"), "node");
    assert_json(oc_json_get(device, "roles"), "[\"operator\",\"node\"]");
    assert_json(oc_json_get(device, "scopes"), "[\"operator.read\"]");
    assert_int_equal(any_int(device, "createdAtMs", 0), START_MS);
    assert_int_equal(any_int(device, "approvedAtMs", 0), START_MS + 1000);
    assert_json(oc_json_get(device, "tokens"), /* sorted by role */
            "[{\"role\":\"node\",\"scopes\":[],\"createdAtMs\":1794787517297},"
            "{\"role\":\"operator\",\"scopes\":[\"operator.read\"],\"createdAtMs\":1794787516297}"
            "]");
    /* The role that was not asked for kept its token. */
    assert_true(gw_pairing_token_valid(
            pairing, "d1", "operator", op.scopes, oc_json_get_str(token, "deviceToken")));

    struct gw_pair_claim wider = claim("d1", "operator", "operator.write");
    pair(&wider);
    OC_AUTO_JSON cJSON *record = stored(GW_DEVICES, "d1");
    assert_json(oc_json_get(record, "approvedScopes"), "[\"operator.read\",\"operator.write\"]");
    assert_json(oc_json_get(gw_device_token(record, "operator"), "scopes"), "[\"operator.write\"]");
    assert_int_equal(
            any_int(gw_device_token(record, "operator"), "rotatedAtMs", 0), START_MS + 1000);
    assert_false(gw_pairing_token_valid(
            pairing, "d1", "operator", op.scopes, oc_json_get_str(token, "deviceToken")));
}

static void a_changed_platform_is_taken_over_by_approval(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    pair(&c);
    c.platform = "windows";
    assert_string_equal(verdict(&c), "metadata-upgrade");
    pair(&c);
    assert_string_equal(verdict(&c), "paired");
}

static enum oc_code revoke(const char *role) {
    struct gw_actor admin = actor("operator.admin", NULL);
    OC_AUTO_JSON cJSON *payload = NULL;
    return gw_pairing_revoke(pairing, &admin, "d1", role, &payload, &error);
}

static void a_revoked_role_must_be_approved_again(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    c.is_local = true;
    assert_string_equal(verdict(&c), "silent");
    assert_int_equal(revoke("node"), OC_OK);
    assert_string_equal(verdict(&c), "role-upgrade"); /* not silently, though it is local */
    pair(&c);
    assert_string_equal(verdict(&c), "paired");
    OC_AUTO_JSON cJSON *device = stored(GW_DEVICES, "d1");
    assert_null(oc_json_get(gw_device_token(device, "node"), "revokedAtMs"));
}

/* Whoever approves sees "operator, no scopes": the old admin grant must not come back with it. */
static void an_old_grant_does_not_survive_revocation(void **state) {
    (void)state;
    struct gw_pair_claim strong = claim("d1", "operator", ALL_SCOPES);
    pair(&strong);
    assert_int_equal(revoke("operator"), OC_OK);
    struct gw_pair_claim modest = claim("d1", "operator", "");
    assert_string_equal(verdict(&modest), "role-upgrade");
    OC_AUTO_FREE char *id = ask(&modest);
    struct gw_actor weak = actor("operator.pairing", NULL);
    assert_int_equal(approve(&weak, id), OC_OK);
    assert_string_equal(verdict(&modest), "paired");
    assert_string_equal(verdict(&strong), "scope-upgrade");
    OC_AUTO_JSON cJSON *device = stored(GW_DEVICES, "d1");
    assert_json(oc_json_get(device, "approvedScopes"), "[]");
    assert_json(oc_json_get(gw_device_token(device, "operator"), "scopes"), "[]");
}

/* Scopes in the record of a node were never anybody's decision about an operator. */
static void a_node_brings_no_scopes_into_a_new_role(void **state) {
    (void)state;
    put_device("{\"deviceId\":\"n\",\"publicKey\":\"n\",\"platform\":\"linux\",\"role\":\"node\","
               "\"roles\":[\"node\"],\"scopes\":[\"operator.admin\"]}");
    struct gw_pair_claim plain = claim("n", "operator", "");
    struct gw_pair_claim greedy = claim("n", "operator", "operator.admin");
    OC_AUTO_FREE char *id = ask(&plain);
    struct gw_actor clerk = actor("operator.pairing", NULL);
    assert_int_equal(approve(&clerk, id), OC_OK);
    assert_string_equal(verdict(&plain), "paired");
    assert_string_equal(verdict(&greedy), "scope-upgrade");
}

static void rejecting_takes_the_request_away(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    OC_AUTO_FREE char *id = ask(&c);
    OC_AUTO_JSON cJSON *payload = NULL;
    assert_int_equal(gw_pairing_reject(pairing, id, &payload, &error), OC_OK);
    OC_AUTO_FREE char *want = oc_strfmt("{\"requestId\":\"%s\",\"deviceId\":\"d1\"}", id);
    assert_json(payload, want);
    assert_int_equal(count(GW_DEVICE_REQUESTS), 0);
    cJSON *none = NULL;
    assert_fails(gw_pairing_reject(pairing, id, &none, &error), OC_E_INVALID, "unknown requestId");
    OC_AUTO_FREE char *again = ask(&c);
    assert_string_not_equal(again, id);
}

static void removing_needs_the_right_actor(void **state) {
    (void)state;
    static const struct {
        const char *scopes, *device, *target;
        enum oc_code want;
        const char *text;
    } rows[] = {
        { "operator.pairing", "d1", "d2", OC_E_DENIED, "missing scope: operator.admin" },
        { "operator.write", NULL, "d1", OC_E_DENIED, "missing scope: operator.pairing" },
        { "operator.write", "d1", "d1", OC_E_DENIED, "missing scope: operator.pairing" },
        { "", "d1", "d1", OC_E_DENIED, "missing scope: operator.pairing" },
        { "operator.admin", "d1", "d9", OC_E_INVALID, "unknown deviceId" },
        { "operator.pairing", "d9", "d9", OC_E_INVALID, "unknown deviceId" },
        { "operator.pairing", "d1", "d1", OC_OK, "" },
        { "operator.pairing", NULL, "d1", OC_OK, "" }, /* the owner's secret, least scope */
        { "operator.admin", "d1", "d2", OC_OK, "" },
        { "operator.admin", NULL, "d1", OC_OK, "" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        fixture_teardown(state);
        fixture_setup(state);
        struct gw_pair_claim d1 = claim("d1", "operator", ""), d2 = claim("d2", "node", "");
        pair(&d1);
        pair(&d2);
        struct gw_actor who = actor(rows[i].scopes, rows[i].device);
        OC_AUTO_JSON cJSON *payload = NULL;
        enum oc_code rc = gw_pairing_remove(pairing, &who, rows[i].target, &payload, &error);
        assert_fails(rc, rows[i].want, rows[i].text);
        assert_int_equal(count(GW_DEVICES), rc == OC_OK ? 1 : 2);
        if (rc == OC_OK) {
            assert_string_equal(oc_json_get_str(payload, "deviceId"), rows[i].target);
        }
    }
}

static void removing_forgets_everything_about_the_device(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    pair(&c);
    OC_AUTO_JSON cJSON *token = NULL;
    assert_int_equal(
            gw_pairing_issue_token(pairing, "d1", "node", c.scopes, &token, &error), OC_OK);
    struct gw_pair_claim upgrade = claim("d1", "operator", "operator.read");
    free(ask(&upgrade));
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    assert_int_equal(gw_store_put(store, GW_NODES, "d1", NULL, doc, &error), OC_OK);
    assert_int_equal(gw_store_put(store, GW_NODE_REQUESTS, "r", "d1", doc, &error), OC_OK);
    struct gw_actor admin = actor("operator.admin", NULL);
    OC_AUTO_JSON cJSON *payload = NULL;
    assert_int_equal(gw_pairing_remove(pairing, &admin, "d1", &payload, &error), OC_OK);
    for (enum gw_table t = 0; t < GW_TABLE_COUNT; t++) {
        assert_int_equal(count(t), 0);
    }
    assert_false(gw_pairing_token_valid(
            pairing, "d1", "node", c.scopes, oc_json_get_str(token, "deviceToken")));
    assert_string_equal(verdict(&c), "not-paired");
}

static void listing_shows_no_secret(void **state) {
    (void)state;
    static const char *const ids[] = { "d1", "d2", "d3" };
    for (size_t i = 0; i < OC_COUNT(ids); i++) {
        struct gw_pair_claim c = claim(ids[i], i == 1 ? "node" : "operator", "");
        pair(&c);
        oc_fake_clock_advance(&fake, 1000);
    }
    put_device("{\"deviceId\":\"odd\",\"publicKey\":\"odd\",\"role\":\"node\",\"secret\":\"xyzzy\","
               "\"approvedScopes\":[],\"tokens\":{\"node\":{\"token\":\"xyzzy\",\"role\":\"node\","
               "\"scopes\":[],\"note\":\"xyzzy\",\"createdAtMs\":1}}}");
    struct gw_pair_claim waiting = claim("d4", "node", "");
    waiting.commands = words("system.run");
    free(ask(&waiting));
    OC_AUTO_JSON cJSON *list = NULL;
    assert_int_equal(gw_pairing_list(pairing, &list, &error), OC_OK);
    const cJSON *paired = oc_json_get(list, "paired"), *pending = oc_json_get(list, "pending");
    assert_int_equal(cJSON_GetArraySize(pending), 1);
    assert_int_equal(cJSON_GetArraySize(paired), 4);
    static const char *const order[] = { "d3", "d2", "d1", "odd" };
    for (int i = 0; i < 4; i++) {
        assert_string_equal(oc_json_get_str(cJSON_GetArrayItem(paired, i), "deviceId"), order[i]);
    }
    OC_AUTO_FREE char *text = oc_json_print(list, false);
    assert_null(strstr(text, "\"token\""));
    assert_null(strstr(text, "xyzzy"));
    assert_null(strstr(text, "approvedScopes"));
    assert_null(strstr(text, "commands"));

    OC_AUTO_JSON cJSON *nodes = NULL;
    assert_int_equal(gw_pairing_node_devices(pairing, &nodes, &error), OC_OK);
    assert_int_equal(cJSON_GetArraySize(nodes), 2);
    OC_AUTO_JSON cJSON *odd = NULL;
    assert_int_equal(gw_pairing_device(pairing, "odd", &odd, &error), OC_OK);
    assert_json(oc_json_get(odd, "roles"), "[\"node\"]"); /* it only had role */
    cJSON *none = NULL;
    assert_int_equal(gw_pairing_device(pairing, "d9", &none, &error), OC_E_NOT_FOUND);
}

static void an_empty_list_has_both_arrays(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *list = NULL;
    assert_int_equal(gw_pairing_list(pairing, &list, &error), OC_OK);
    assert_json(list, "{\"pending\":[],\"paired\":[]}");
}

/* A damaged record must not read as "no record", or a local client would pair anew over it. */
static void damage_is_an_error_not_an_absence(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "operator", "operator.read");
    pair(&c);
    c.is_local = true;
    OC_AUTO_JSON cJSON *device = stored(GW_DEVICES, "d1");
    OC_AUTO_JSON cJSON *broken = cJSON_CreateRaw("{\"deviceId\":");
    assert_int_equal(gw_store_put(store, GW_DEVICES, "d1", NULL, broken, &error), OC_OK);
    struct gw_pair_outcome o = { 0 };
    cJSON *none = NULL;
    struct gw_actor admin = actor(ALL_SCOPES, "d1");
    assert_int_equal(gw_pairing_check(pairing, &c, &o, &error), OC_E_CORRUPT);
    assert_int_equal(gw_pairing_list(pairing, &none, &error), OC_E_CORRUPT);
    assert_int_equal(gw_pairing_remove(pairing, &admin, "d1", &none, &error), OC_E_CORRUPT);
    assert_int_equal(gw_pairing_issue_token(pairing, "d1", "operator", c.scopes, &none, &error),
            OC_E_CORRUPT);
    assert_int_equal(gw_pairing_rotate(pairing, &admin, "d1", "operator", NULL, &none, &error),
            OC_E_CORRUPT);
    assert_false(gw_pairing_token_valid(pairing, "d1", "operator", c.scopes, "x"));
    assert_int_equal(gw_store_put(store, GW_DEVICES, "d1", NULL, device, &error), OC_OK);
    assert_string_equal(verdict(&c), "paired");
}

/* One approval for both gates is one transaction of the caller. */
static void approval_can_be_part_of_something_larger(void **state) {
    (void)state;
    struct gw_pair_claim c = claim("d1", "node", "");
    OC_AUTO_FREE char *id = ask(&c);
    struct gw_actor admin = actor(ALL_SCOPES, NULL);
    assert_int_equal(gw_store_begin(store, &error), OC_OK);
    assert_int_equal(approve(&admin, id), OC_OK);
    gw_store_rollback(store);
    assert_int_equal(count(GW_DEVICES), 0);
    assert_int_equal(count(GW_DEVICE_REQUESTS), 1);
    assert_int_equal(gw_store_begin(store, &error), OC_OK);
    assert_int_equal(approve(&admin, id), OC_OK);
    assert_int_equal(gw_store_commit(store, &error), OC_OK);
    assert_int_equal(count(GW_DEVICES), 1);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        T(reasons_and_silence),
        T(a_silent_pairing_looks_like_any_other),
        T(a_waiting_request_is_never_approved_silently),
        T(what_a_device_says_changes_no_grant),
        T(a_node_that_asks_for_scopes_gets_none),
        T(names_follow_the_device_but_not_at_every_connect),
        T(a_device_decides_about_itself_only),
        T(approvers_must_hold_what_they_grant),
        T(approving_one_role_does_not_grant_another),
        T(approval_answers_with_the_device_and_the_request),
        T(approval_adds_to_what_was_granted),
        T(a_changed_platform_is_taken_over_by_approval),
        T(a_revoked_role_must_be_approved_again),
        T(an_old_grant_does_not_survive_revocation),
        T(a_node_brings_no_scopes_into_a_new_role),
        T(rejecting_takes_the_request_away),
        T(removing_needs_the_right_actor),
        T(removing_forgets_everything_about_the_device),
        T(listing_shows_no_secret),
        T(an_empty_list_has_both_arrays),
        T(damage_is_an_error_not_an_absence),
        T(approval_can_be_part_of_something_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
