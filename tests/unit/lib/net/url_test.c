/* Addresses of things to fetch: what is understood, and what is refused because others understand
 * it differently. */
#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "lib/net/guard.h"
#include "lib/net/url.h"

static void check(const char *text, bool tls, const char *authority, const char *target) {
    struct oc_url u;
    struct oc_error err;
    if (oc_url_parse(text, &u, &err) != OC_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    OC_AUTO_FREE char *got = oc_url_authority(&u);
    assert_int_equal(u.tls, tls);
    assert_string_equal(got, authority);
    assert_string_equal(u.target, target);
    oc_url_finish(&u);
}

static void understands(void **state) {
    (void)state;
    check("http://example.com", false, "example.com:80", "/");
    check("HTTPS://EXAMPLE.com:8443/a b?q=é#frag", true, "example.com:8443", "/a%20b?q=%C3%A9");
    check("http://example.com?x=/y", false, "example.com:80", "/?x=/y");
    check("https://[2001:DB8::1]/x", true, "[2001:db8::1]:443", "/x");
    check("http://1.2.3.4:/", false, "1.2.3.4:80", "/");
    check("http://a.b_c-d.9x/", false, "a.b_c-d.9x:80", "/");
}

static void refuses(void **state) {
    (void)state;
    static const char *const bad[] = { "", "example.com", "ftp://example.com/",
        "file:///etc/passwd", "javascript:alert(1)", "http://", "http:///x",
        "http://user@example.com/", "http://a:b@example.com/", "http://example.com\\@127.0.0.1/",
        "http://exa mple.com/", "http://example.com\r\nX: y/", "http://2130706433/",
        "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/", "http://0x7f.0.0.1/",
        "http://1.2.3.4.5/", "http://256.1.1.1/", "http://[::1/", "http://[::1]x/",
        "http://[1.2.3.4]/", "http://[fe80::1%25lo]/", "http://%31%32%37.0.0.1/",
        "http://ⓔxample.com/", "http://example.com:0/", "http://example.com:65536/",
        "http://example.com:80x/", "http://.example.com/", "http://a..b/", "http://-a/" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        struct oc_url u;
        struct oc_error err = { 0 };
        if (oc_url_parse(bad[i], &u, &err) == OC_OK) {
            fail_msg("taken: %s", bad[i]);
        }
        assert_true(err.text[0] != '\0');
    }
}

static void check_redirect(const char *from, const char *location, const char *want) {
    struct oc_url base, next;
    struct oc_error err;
    assert_int_equal(oc_url_parse(from, &base, &err), OC_OK);
    if (oc_url_resolve(&base, location, &next, &err) != OC_OK) {
        fail_msg("%s: %s", location, err.text);
    }
    OC_AUTO_FREE char *authority = oc_url_authority(&next);
    OC_AUTO_FREE char *got =
            oc_strfmt("%s://%s%s", next.tls ? "https" : "http", authority, next.target);
    assert_string_equal(got, want);
    oc_url_finish(&base);
    oc_url_finish(&next);
}

static void redirects(void **state) {
    (void)state;
    check_redirect("https://a/x/y?q", "http://b/z", "http://b:80/z");
    check_redirect("https://a/x/y?q", "//b:1/z", "https://b:1/z");
    check_redirect("https://a/x/y?q", "/z?r", "https://a:443/z?r");
    check_redirect("https://a/x/y?q", "z", "https://a:443/x/z");
    check_redirect("https://a/x/y?q", "../z/./w?..", "https://a:443/z/w?..");
    check_redirect("https://a/x/y", "../../../..", "https://a:443/");
    check_redirect("https://a/x/y/", "..", "https://a:443/x/");
    check_redirect("https://a/x/y?q", "?r", "https://a:443/x/y?r");
}

static void check_public(const char *host, bool want) {
    struct oc_addr a;
    assert_true(oc_addr_parse(host, 80, &a));
    if (oc_addr_is_public(&a) != want) {
        fail_msg("%s", host);
    }
}

static void public_addresses(void **state) {
    (void)state;
    static const char *const good[] = { "1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.0.1",
        "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00::1", "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8" };
    static const char *const bad[] = { "0.0.0.0", "127.0.0.1", "127.255.0.9", "10.1.2.3",
        "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "100.100.100.200", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255",
        "168.63.129.16", "::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
        "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1",
        "2002:7f00:1::", "2001:0:1::", "2001:db8::1", "64:ff9b::10.0.0.1", "64:ff9b:1::1" };
    for (size_t i = 0; i < OC_COUNT(good); i++) {
        check_public(good[i], true);
    }
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        check_public(bad[i], false);
    }
}

static void own_addresses(void **state) {
    (void)state;
    struct oc_addr a;
    assert_true(oc_addr_parse("127.0.0.1", 80, &a));
    assert_true(oc_addr_is_own(&a));
    assert_true(oc_addr_parse("::ffff:127.0.0.1", 80, &a));
    assert_true(oc_addr_is_own(&a));
    assert_true(oc_addr_parse("8.8.8.8", 80, &a));
    assert_false(oc_addr_is_own(&a));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(understands),
        cmocka_unit_test(refuses),
        cmocka_unit_test(redirects),
        cmocka_unit_test(public_addresses),
        cmocka_unit_test(own_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
