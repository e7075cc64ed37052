#include "gateway/origin/locality.h"

#include "tests/unit/unit.h"

static void test_host_header(void **state) {
    (void)state;
    static const struct {
        const char *host;
        bool is_loopback;
    } rows[] = {
        { "localhost", true },
        { "LocalHost:18789", true },
        { "127.0.0.1", true },
        { "127.9.8.7:80", true },
        { "[::1]:18789", true },
        { "[::1]", true },
        { "::1", true },
        { "gateway.lan", false },
        { "gateway.lan:18789", false },
        { "localhost.evil.example", false },
        { "127.0.0.1.evil.example", false },
        { "192.168.1.2", false },
        { "[::2]:1", false },
        { "[::1", false },
        { "[::1]x", false },
        { "", false },
        { ":80", false },
        { NULL, false },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        if (gw_host_header_is_loopback(rows[i].host) != rows[i].is_loopback) {
            fail_msg("Host: %s", rows[i].host ? rows[i].host : "(none)");
        }
    }
}

static void test_origin(void **state) {
    (void)state;
    struct oc_strv allowed = { 0 };
    oc_strv_add(&allowed, "https://panel.example");
    static const struct {
        const char *origin, *host;
        bool is_allowed;
    } rows[] = {
        { "http://localhost:1234", "127.0.0.1:18789", true },
        { "http://[::1]:1234", "localhost", true },
        { "http://localhost:1234", "gateway.lan", false }, /* a name that was made to point here */
        { "http://evil.example", "127.0.0.1:18789", false },
        { "https://panel.example", "gateway.lan", true },
        { "HTTPS://PANEL.example", "gateway.lan", true },
        { "https://panel.example.evil", "gateway.lan", false },
        { "https://panel.example:8443", "gateway.lan", false },
        { "null", "127.0.0.1", false },
        { "file://", "127.0.0.1", false },
        { "http://localhost@evil.example", "127.0.0.1", false },
        { "http://localhost/../evil", "127.0.0.1", false },
        { "", "127.0.0.1", false },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        if (gw_origin_allowed(rows[i].origin, rows[i].host, &allowed) != rows[i].is_allowed) {
            fail_msg("Origin: %s, Host: %s", rows[i].origin, rows[i].host);
        }
    }
    oc_strv_finish(&allowed);
}

static void test_local(void **state) {
    (void)state;
    struct gw_origin_facts f = { .ip = "127.0.0.1", .is_loopback = true, .host_is_loopback = true };
    assert_true(gw_origin_is_local(&f, false));
    assert_true(gw_origin_is_direct(&f));

    struct gw_origin_facts proxied = f;
    proxied.is_forwarded = true;
    assert_false(gw_origin_is_local(&proxied, false));
    assert_false(gw_origin_is_direct(&proxied));

    struct gw_origin_facts renamed = f;
    renamed.host_is_loopback = false;
    assert_false(gw_origin_is_local(&renamed, false));
    assert_true(gw_origin_is_direct(&renamed));

    struct gw_origin_facts remote = f;
    remote.is_loopback = false;
    assert_false(gw_origin_is_local(&remote, false));
    assert_false(gw_origin_is_direct(&remote));

    struct gw_origin_facts page = f;
    page.has_origin = true;
    page.origin_allowed = true;
    assert_false(gw_origin_is_local(&page, false));
    assert_true(gw_origin_is_local(&page, true));
    assert_false(gw_origin_is_direct(&page));
    page.origin_allowed = false;
    assert_false(gw_origin_is_local(&page, true));
}

static void test_network(void **state) {
    (void)state;
    char a[OC_MAX_ADDR_TEXT], b[OC_MAX_ADDR_TEXT];
    gw_ip_network("192.0.2.7", a);
    assert_string_equal(a, "192.0.2.7");
    gw_ip_network("2001:db8:1:2:aaaa::1", a);
    gw_ip_network("2001:db8:1:2:bbbb::9", b);
    assert_string_equal(a, b);
    gw_ip_network("2001:db8:1:3::1", b);
    assert_string_not_equal(a, b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_header),
        cmocka_unit_test(test_origin),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
