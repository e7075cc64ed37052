/* node.json: kept, extended, never lost. */
#include "tests/unit/unit.h"

#include "lib/files/file.h"
#include "lib/json/json.h"
#include "node/node.h"
#include "node/state.h"
#include "tests/any_int.h"

static char *path_of(void **state) {
    return oc_path_join(*state, "node.json");
}

static struct nd_settings load(void **state, struct nd_opts opts) {
    struct nd_settings s;
    struct oc_error err = { 0 };
    opts.state_dir = *state;
    if (nd_settings_load(&opts, &s, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return s;
}

static cJSON *file(void **state) {
    OC_AUTO_FREE char *path = path_of(state);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, 10000, &text, NULL), OC_OK);
    assert_int_equal(text.data[text.len - 1], '\n');
    cJSON *doc = NULL;
    assert_int_equal(oc_json_parse(text.data, text.len, &doc, NULL), OC_OK);
    return doc;
}

static void first_run(void **state) {
    OC_AUTO_FREE char *path = path_of(state);
    struct nd_settings s = load(state, (struct nd_opts){ 0 });
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    assert_string_equal(s.display_name, host);
    assert_string_equal(s.at.host, "127.0.0.1");
    assert_int_equal(s.at.port, 18789);
    assert_false(s.at.tls);
    assert_int_equal(strlen(s.node_id), 36);
    assert_int_equal(oc_mode_of(path), 0600);
    OC_AUTO_JSON cJSON *doc = file(state);
    assert_int_equal(any_int(doc, "version", 0), 1);
    assert_string_equal(oc_json_get_str(doc, "nodeId"), s.node_id);
    assert_string_equal(oc_json_get_str(oc_json_get(doc, "gateway"), "host"), "127.0.0.1");
    struct nd_settings again = load(state, (struct nd_opts){ 0 });
    assert_string_equal(again.node_id, s.node_id);
    nd_settings_finish(&again);
    nd_settings_finish(&s);
}

static void flags_are_kept(void **state) {
    struct nd_settings s = load(state, (struct nd_opts){ .host = "gw.local",
                                               .port = 4000,
                                               .node_id = " my-id ",
                                               .display_name = "Box" });
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ 0 });
    assert_string_equal(s.at.host, "gw.local");
    assert_int_equal(s.at.port, 4000);
    assert_string_equal(s.node_id, "my-id");
    assert_string_equal(s.display_name, "Box");
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ .display_name = "Other" });
    assert_string_equal(s.display_name, "Other");
    assert_string_equal(s.node_id, "my-id");
    nd_settings_finish(&s);
}

#define PIN                                                                                      \
    "aa:bb:cc:dd:ee:ff:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33:44:55:66:77:" \
    "88:99"

/* Leaving out a flag must not make the connection less safe. */
static void a_pin_stays_with_its_gateway(void **state) {
    struct nd_settings s =
            load(state, (struct nd_opts){ .host = "gw.local", .tls_fingerprint = PIN });
    assert_true(s.at.tls);
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ .host = "gw.local" });
    assert_true(s.at.tls);
    assert_string_equal(s.at.tls_fingerprint, PIN);
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ .host = "other.local" });
    assert_false(s.at.tls);
    assert_null(s.at.tls_fingerprint);
    nd_settings_finish(&s);
    OC_AUTO_JSON cJSON *doc = file(state);
    assert_null(oc_json_get(oc_json_get(doc, "gateway"), "tlsFingerprint"));
}

static void tls_can_be_switched_off(void **state) {
    struct nd_settings s = load(state, (struct nd_opts){ .host = "gw.local", .tls = true });
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ .no_tls = true });
    assert_false(s.at.tls);
    nd_settings_finish(&s);
    struct nd_opts both = { .state_dir = *state, .tls = true, .no_tls = true };
    assert_int_equal(nd_settings_load(&both, &s, NULL), OC_E_INVALID);
    struct nd_opts bad_pin = { .state_dir = *state, .tls_fingerprint = "sha256:abcd" };
    struct oc_error err;
    assert_int_equal(nd_settings_load(&bad_pin, &s, &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, "fingerprint"));
}

static enum oc_gateway_kind kind_of(
        const char *host, uint16_t port, bool tls, const char *text, uint16_t own_port) {
    OC_AUTO_JSON cJSON *config = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &config, NULL), OC_OK);
    OC_AUTO_FREE char *copy = oc_strdup(host);
    struct nd_settings s = { .at = { .host = copy, .port = port, .tls = tls } };
    return nd_gateway_kind(&s, config, own_port);
}

/* gateway.auth.* is for the gateway of this machine, gateway.remote.* for that of
 * gateway.remote.url. */
static void a_secret_is_not_for_another_gateway(void **state) {
    (void)state;
    static const char remote[] =
            "{\"gateway\":{\"mode\":\"remote\",\"remote\":{\"url\":\"wss://gw.example:444/x\"}}}";
    unsetenv("OPENCLAW_GATEWAY_PORT");
    assert_int_equal(kind_of("127.0.0.1", 18789, false, "{}", 0), OC_GATEWAY_OWN);
    assert_int_equal(kind_of("::1", 18789, false, "{}", 0), OC_GATEWAY_OWN);
    assert_int_equal(kind_of("localhost", 18789, true, "{}", 0), OC_GATEWAY_OWN);
    assert_int_equal(kind_of("127.0.0.1", 5, false, "{}", 0), OC_GATEWAY_OTHER); /* a tunnel */
    assert_int_equal(kind_of("127.0.0.1", 5, false, "{}", 5), OC_GATEWAY_OWN);
    assert_int_equal(
            kind_of("127.0.0.1", 5, false, "{\"gateway\":{\"port\":5}}", 0), OC_GATEWAY_OWN);
    assert_int_equal(kind_of("192.168.1.5", 18789, false, "{}", 18789), OC_GATEWAY_OTHER);
    assert_int_equal(kind_of("gw.example", 444, true, remote, 0), OC_GATEWAY_REMOTE);
    assert_int_equal(kind_of("GW.example", 444, true, remote, 0), OC_GATEWAY_REMOTE);
    assert_int_equal(kind_of("gw.example", 444, false, remote, 0), OC_GATEWAY_OTHER);
    assert_int_equal(kind_of("gw.example", 443, true, remote, 0), OC_GATEWAY_OTHER);
    assert_int_equal(kind_of("127.0.0.1", 18789, false, remote, 18789), OC_GATEWAY_OTHER);
}

static void unknown_members_stay_and_nothing_is_written_without_need(void **state) {
    OC_AUTO_FREE char *path = path_of(state);
    /* Not how we would format it: if it is still like this afterwards, it was not written. */
    static const char text[] =
            "{\"version\":1,  \"nodeId\":\"n\",\"displayName\":\"d\",\"token\":\"t\","
            "\"gateway\":{\"host\":\"h.local\",\"port\":5,\"tls\":false,\"x\":[1]},\"future\":{}}";
    oc_write_text(path, text);
    struct nd_settings s = load(state, (struct nd_opts){ 0 });
    assert_string_equal(s.at.host, "h.local");
    nd_settings_finish(&s);
    OC_AUTO_BUF struct oc_buf now = { 0 };
    assert_int_equal(oc_file_read(path, 10000, &now, NULL), OC_OK);
    assert_string_equal(now.data, text);
    s = load(state, (struct nd_opts){ .display_name = "new" });
    nd_settings_finish(&s);
    OC_AUTO_JSON cJSON *doc = file(state);
    assert_string_equal(oc_json_get_str(doc, "token"), "t");
    assert_non_null(oc_json_get(doc, "future"));
    assert_true(cJSON_IsArray(oc_json_get(oc_json_get(doc, "gateway"), "x")));
    assert_string_equal(oc_json_get_str(doc, "displayName"), "new");
}

static void damaged_files_are_refused_and_kept(void **state) {
    OC_AUTO_FREE char *path = path_of(state);
    static const char *const texts[] = { "", "{\"nodeId\":", "[]", "{\"nodeId\":5}",
        "{\"gateway\":[]}", "{\"version\":2}" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        oc_write_text(path, texts[i]);
        struct nd_opts opts = { .state_dir = *state, .display_name = "new" };
        struct nd_settings s;
        struct oc_error err;
        assert_int_equal(nd_settings_load(&opts, &s, &err), OC_E_CORRUPT);
        assert_non_null(strstr(err.text, path));
        OC_AUTO_BUF struct oc_buf now = { 0 };
        assert_int_equal(oc_file_read(path, 10000, &now, NULL), OC_OK);
        assert_string_equal(now.len ? now.data : "", texts[i]);
    }
}

#define HEX "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void arrive(void **state, struct nd_settings *s, uint16_t port, const char *pin) {
    struct oc_error err;
    OC_AUTO_FREE char *copy = oc_strdup(pin);
    struct nd_place next = { .host = s->at.host,
        .path = s->at.path,
        .port = port,
        .tls = pin != NULL,
        .tls_fingerprint = copy };
    assert_int_equal(nd_settings_set_next(*state, s, &next, &err), OC_OK);
    assert_int_equal(nd_settings_arrive(*state, s, &err), OC_OK);
}

/* Where the gateway will be is kept beside where it is, until it is there. */
static void the_next_place_is_kept(void **state) {
    OC_AUTO_FREE char *path = path_of(state);
    struct oc_error err;
    struct nd_settings s = load(state, (struct nd_opts){ .host = "gw.local", .port = 5 });
    static char pin[] = HEX, root[] = "/", host[] = "gw.local";
    const struct nd_place next = {
        .host = host, .path = root, .port = 6, .tls = true, .tls_fingerprint = pin
    };
    assert_int_equal(nd_settings_set_next(*state, &s, &next, &err), OC_OK);
    assert_int_equal(oc_mode_of(path), 0600);
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ 0 });
    assert_int_equal(s.at.port, 5);
    assert_true(nd_place_is_same(&s.next, &next));
    assert_string_equal(s.gateway_name, "ws://gw.local:5");
    assert_int_equal(nd_settings_arrive(*state, &s, &err), OC_OK);
    assert_string_equal(s.gateway_name, "sha256:" HEX);
    assert_null(s.next.host);
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ 0 });
    assert_true(nd_place_is_same(&s.at, &next));
    assert_null(s.next.host);
    assert_int_equal(s.former[0].port, 5);
    /* It changed its mind. */
    assert_int_equal(nd_settings_set_next(*state, &s, &s.former[0], &err), OC_OK);
    assert_int_equal(nd_settings_set_next(*state, &s, NULL, &err), OC_OK);
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ 0 });
    assert_null(s.next.host);
    nd_settings_finish(&s);
    /* Another gateway has none of that. */
    s = load(state, (struct nd_opts){ .host = "other.local" });
    assert_null(s.former[0].host);
    nd_settings_finish(&s);
}

/* A unit or a script that names where it was still means it. */
static void a_former_place_means_the_same_gateway(void **state) {
    struct nd_settings s = load(state, (struct nd_opts){ .host = "gw.local", .port = 5 });
    arrive(state, &s, 5, HEX);
    arrive(state, &s, 6, HEX);
    nd_settings_finish(&s);
    static const struct nd_opts same[] = { { .host = "gw.local", .port = 5 }, { .port = 5 },
        { .host = "gw.local", .port = 5, .tls = true },
        { .host = "gw.local", .port = 5, .tls_fingerprint = HEX }, { .host = "gw.local" }, { 0 } };
    for (size_t i = 0; i < OC_COUNT(same); i++) {
        s = load(state, same[i]);
        assert_int_equal(s.at.port, 6);
        assert_string_equal(s.at.tls_fingerprint, HEX);
        assert_int_equal(s.former[1].port, 5);
        nd_settings_finish(&s);
    }
    OC_AUTO_JSON cJSON *before = file(state);
    OC_AUTO_FREE char *path = path_of(state), *text = oc_json_print(before, false);
    static const struct nd_opts others[] = { { .host = "gw.local", .port = 7 },
        { .host = "other.local" }, { .host = "gw.local", .port = 5, .no_tls = true },
        { .host = "gw.local", .port = 5, .tls_fingerprint = PIN },
        { .host = "gw.local", .port = 5, .setup_token = "t" } };
    for (size_t i = 0; i < OC_COUNT(others); i++) {
        oc_write_text(path, text);
        s = load(state, others[i]);
        assert_true(s.at.port != 6 || strcmp(s.at.host, "gw.local") != 0);
        assert_null(s.former[0].host);
        nd_settings_finish(&s);
    }
}

static void former_places_are_few(void **state) {
    struct nd_settings s = load(state, (struct nd_opts){ .host = "gw.local", .port = 1 });
    for (uint16_t port = 2; port < 40; port++) {
        arrive(state, &s, port, NULL);
    }
    arrive(state, &s, 35, NULL); /* one of them */
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ 0 });
    assert_int_equal(s.at.port, 35);
    size_t n = 0;
    for (; n < ND_MAX_FORMER && s.former[n].host; n++) {
        assert_int_not_equal(s.former[n].port, 35);
    }
    assert_in_range(n, 1, ND_MAX_FORMER);
    assert_int_equal(s.former[0].port, 39);
    nd_settings_finish(&s);
}

/* What is ours in the file, and wrong, is left out; the node starts. */
static void odd_places_are_left_out(void **state) {
    OC_AUTO_FREE char *path = path_of(state);
    static const char *const texts[] = { "\"next\":5", "\"next\":{}",
        "\"next\":{\"host\":\"h\",\"port\":70000,\"tls\":false}",
        "\"next\":{\"host\":\"h\",\"port\":5,\"tls\":true,\"tlsFingerprint\":\"zz\"}",
        "\"movedFrom\":5,\"own\":\"yes\"", "\"movedFrom\":[5,{},{\"port\":5}]" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        OC_AUTO_FREE char *text = oc_strfmt(
                "{\"version\":1,\"gateway\":{\"host\":\"gw.local\",\"port\":5,%s}}", texts[i]);
        oc_write_text(path, text);
        struct nd_settings s = load(state, (struct nd_opts){ 0 });
        assert_int_equal(s.at.port, 5);
        assert_null(s.next.host);
        assert_null(s.former[0].host);
        assert_false(s.knows_own);
        nd_settings_finish(&s);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

static void a_context_path_belongs_to_its_gateway(void **state) {
    static const char *const spellings[] = { "openclaw", "/openclaw", "/openclaw/", "openclaw//" };
    for (size_t i = 0; i < OC_COUNT(spellings); i++) {
        struct nd_settings s =
                load(state, (struct nd_opts){ .host = "gw.local", .context_path = spellings[i] });
        assert_string_equal(s.at.path, "/openclaw");
        nd_settings_finish(&s);
    }
    struct nd_settings s = load(state, (struct nd_opts){ 0 });
    assert_string_equal(s.at.path, "/openclaw");
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ .host = "other.local" });
    assert_string_equal(s.at.path, "/");
    nd_settings_finish(&s);
    s = load(state, (struct nd_opts){ .host = "gw.local", .context_path = "/" });
    assert_string_equal(s.at.path, "/");
    nd_settings_finish(&s);
    static const char *const bad[] = { "/a b", "/a?b", "/a#b", "/a\r\nHost: x", "/\xc3\xa4" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        struct oc_error err;
        struct nd_opts opts = { .state_dir = *state, .context_path = bad[i] };
        assert_int_equal(nd_settings_load(&opts, &s, &err), OC_E_INVALID);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(first_run),
        TEST(flags_are_kept),
        TEST(a_pin_stays_with_its_gateway),
        TEST(tls_can_be_switched_off),
        TEST(a_secret_is_not_for_another_gateway),
        TEST(a_context_path_belongs_to_its_gateway),
        TEST(the_next_place_is_kept),
        TEST(a_former_place_means_the_same_gateway),
        TEST(former_places_are_few),
        TEST(odd_places_are_left_out),
        TEST(unknown_members_stay_and_nothing_is_written_without_need),
        TEST(damaged_files_are_refused_and_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
