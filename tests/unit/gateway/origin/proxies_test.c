/* Whose X-Forwarded-For is believed, and what of it. */
#include "gateway/origin/locality.h"
#include "gateway/origin/proxies.h"

#include "lib/net/http/http.h"
#include "tests/unit/unit.h"

static void load(const char *text, struct gw_proxies *ret) {
    OC_AUTO_JSON cJSON *list = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &list, &err), OC_OK);
    if (gw_proxies_load(list, ret, &err) != OC_OK) {
        fail_msg("%s: %s", text, err.text);
    }
}

static void test_lists(void **state) {
    (void)state;
    static const char *const bad[] = { "[\"proxy.lan\"]", "[\"10.0.0.0/33\"]", "[\"10.0.0.0/-1\"]",
        "[\"10.0.0.0/\"]", "[\"fd00::/129\"]", "[\"\"]", "[7]", "\"10.0.0.1\"", "{}" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        OC_AUTO_JSON cJSON *list = NULL;
        struct gw_proxies p;
        struct oc_error err;
        assert_int_equal(oc_json_parse(bad[i], strlen(bad[i]), &list, &err), OC_OK);
        if (gw_proxies_load(list, &p, &err) == OC_OK || !strstr(err.text, "trustedProxies")) {
            fail_msg("%s was accepted", bad[i]);
        }
    }
    struct gw_proxies p;
    struct oc_error err;
    assert_int_equal(gw_proxies_load(NULL, &p, &err), OC_OK);
    assert_false(gw_proxies_trust(&p, "127.0.0.1"));
}

static void test_networks(void **state) {
    (void)state;
    struct gw_proxies p;
    load("[\"192.0.2.1\", \"10.8.0.0/13\", \"fd00:1::/33\", \" ::1 \", \"::ffff:198.51.100.7\"]",
            &p);
    static const struct {
        const char *ip;
        bool is_trusted;
    } rows[] = {
        { "192.0.2.1", true },
        { "::ffff:192.0.2.1", true },
        { "192.0.2.2", false },
        { "10.8.0.0", true },
        { "10.15.255.255", true },
        { "10.16.0.0", false },
        { "10.7.255.255", false },
        { "fd00:1:7fff::1", true },
        { "fd00:1:8000::1", false },
        { "::1", true },
        { "127.0.0.1", false },
        { "198.51.100.7", true },
        { "", false },
        { "nonsense", false },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        if (gw_proxies_trust(&p, rows[i].ip) != rows[i].is_trusted) {
            fail_msg("%s", rows[i].ip);
        }
    }
    load("[\"0.0.0.0/0\"]", &p);
    assert_true(gw_proxies_trust(&p, "203.0.113.9"));
    assert_false(gw_proxies_trust(&p, "2001:db8::1"));
}

static bool believes_real_ip;

static void facts(
        const char *list, const char *peer_ip, const char *headers, struct gw_origin_facts *ret) {
    struct gw_proxies p;
    load(list, &p);
    p.believes_real_ip = believes_real_ip;
    OC_AUTO_FREE char *text = oc_strfmt("GET / HTTP/1.1\r\n%s\r\n", headers);
    struct oc_http_head head;
    const char *why = NULL;
    if (oc_http_parse_request(text, strlen(text), &head, &why) != 0) {
        fail_msg("%s", why);
    }
    struct oc_peer peer = { .is_loopback = strcmp(peer_ip, "127.0.0.1") == 0 };
    snprintf(peer.ip, sizeof(peer.ip), "%s", peer_ip);
    struct oc_strv origins = { 0 };
    gw_origin_facts_read(ret, &head, &peer, &origins, &p);
}

#define HOST "Host: 127.0.0.1\r\n"

static void test_the_client_behind_them(void **state) {
    (void)state;
    static const struct {
        const char *headers, *ip;
        bool needs_real_ip;
    } rows[] = {
        { HOST "X-Forwarded-For: 203.0.113.9\r\n", "203.0.113.9" },
        { HOST "X-Forwarded-For: 127.0.0.1, 203.0.113.9\r\n",
                "203.0.113.9" }, /* it wrote the left one itself */
        { HOST "X-Forwarded-For: 203.0.113.9, 10.0.0.2,10.0.0.3\r\n", "203.0.113.9" },
        { HOST "X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 203.0.113.9\r\n", "203.0.113.9" },
        { HOST "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-For: 10.0.0.2\r\n", "203.0.113.9" },
        { HOST "X-Forwarded-For: 203.0.113.9:4711\r\n", "203.0.113.9" },
        { HOST "X-Forwarded-For: [2001:db8::7]:4711\r\n", "2001:db8::7" },
        { HOST "X-Forwarded-For: 2001:db8::7\r\n", "2001:db8::7" },
        { HOST "X-Forwarded-For: ::ffff:203.0.113.9\r\n", "203.0.113.9" },
        { HOST "X-Forwarded-For: 10.0.0.5, 10.0.0.2\r\n", "10.0.0.5" }, /* all are ours */
        { HOST "X-Forwarded-For: 203.0.113.9\r\nX-Real-IP: 1.1.1.1\r\n", "203.0.113.9" },
        { HOST "X-Real-IP: 203.0.113.9\r\n", "203.0.113.9", true },
        /* Nothing that can be believed: the proxy itself. */
        { HOST "X-Forwarded-For: 203.0.113.9, unknown\r\n", "10.0.0.1" },
        { HOST "X-Forwarded-For: ,\r\n", "10.0.0.1" },
        { HOST "X-Forwarded-For: \r\n", "10.0.0.1" },
        { HOST "X-Real-IP: 203.0.113.9\r\nX-Real-IP: 1.1.1.1\r\n", "10.0.0.1" },
        { HOST "X-Real-IP: evil.example\r\n", "10.0.0.1" },
        { HOST "X-Forwarded-Proto: https\r\n", "10.0.0.1" },
    };
    for (size_t i = 0; i < 2 * OC_COUNT(rows); i++) {
        struct gw_origin_facts f;
        size_t row = i / 2;
        believes_real_ip = i % 2 != 0;
        facts("[\"10.0.0.0/8\"]", "10.0.0.1", rows[row].headers, &f);
        bool names_it = believes_real_ip || !rows[row].needs_real_ip;
        if (strcmp(f.ip, names_it ? rows[row].ip : "10.0.0.1") != 0) {
            fail_msg("%s gives %s (%d)", rows[row].headers, f.ip, believes_real_ip);
        }
        assert_true(f.is_forwarded);
        assert_false(f.is_proxy_unknown);
        assert_false(f.is_loopback);
        assert_false(gw_origin_is_local(&f, false));
    }
}

static void test_more_hops_than_make_sense(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(10000);
    oc_buf_puts(&b, HOST "X-Forwarded-For: 203.0.113.9");
    for (int i = 0; i < 100; i++) {
        oc_buf_puts(&b, ", 10.0.0.2");
    }
    oc_buf_puts(&b, "\r\n");
    oc_buf_putc(&b, '\0');
    struct gw_origin_facts f;
    facts("[\"10.0.0.0/8\"]", "10.0.0.1", b.data, &f);
    assert_string_equal(f.ip, "10.0.0.1");
}

static void test_nobody_else_is_believed(void **state) {
    (void)state;
    struct gw_origin_facts f;
    facts("[\"10.0.0.0/8\"]", "192.0.2.9",
            HOST "X-Forwarded-For: 127.0.0.1\r\nX-Real-IP: 127.0.0.1\r\n", &f);
    assert_string_equal(f.ip, "192.0.2.9");
    assert_true(f.is_proxy_unknown);
    assert_false(gw_origin_is_local(&f, false));
    facts("[]", "127.0.0.1", HOST "X-Forwarded-For: 203.0.113.9\r\n", &f);
    assert_string_equal(f.ip, "127.0.0.1");
    assert_true(f.is_forwarded && f.is_proxy_unknown);
    assert_false(gw_origin_is_local(&f, false));
    assert_false(gw_origin_is_direct(&f));
    facts("[\"127.0.0.1\"]", "127.0.0.1", HOST "X-Forwarded-For: 127.0.0.1\r\n", &f);
    assert_false(gw_origin_is_local(&f, false)); /* not even when the proxy says so */
    facts("[\"127.0.0.1\"]", "127.0.0.1", HOST, &f);
    assert_true(gw_origin_is_local(&f, false)); /* a local client that is no proxy now */
}

static void test_forwarded_host(void **state) {
    (void)state;
    struct gw_origin_facts f;
    static const char headers[] = "Host: gateway.lan\r\nX-Forwarded-Host: localhost\r\n";
    facts("[\"10.0.0.1\"]", "10.0.0.1", headers, &f);
    assert_true(f.host_is_loopback);
    facts("[]", "10.0.0.1", headers, &f);
    assert_false(f.host_is_loopback);
    /* A page cannot make its own origin right by a header. */
    facts("[]", "127.0.0.1",
            "Host: evil.example\r\nOrigin: http://localhost\r\nX-Forwarded-Host: localhost\r\n",
            &f);
    assert_false(f.origin_allowed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_the_client_behind_them),
        cmocka_unit_test(test_more_hops_than_make_sense),
        cmocka_unit_test(test_nobody_else_is_believed),
        cmocka_unit_test(test_forwarded_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
