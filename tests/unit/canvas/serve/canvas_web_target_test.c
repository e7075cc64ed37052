/* Addresses that agents write, and those of pages that want to speak to them. */
#include "canvas/serve/web_target.h"
#include "lib/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ROOT "/home/ann/.openclaw/canvas"

static void shows(const char *url, const char *expected) {
    OC_AUTO_FREE char *uri = NULL;
    struct oc_error err;
    if (cv_web_target(url, ROOT, &uri, &err) != OC_OK) {
        fail_msg("%s: %s", url, err.text);
    }
    assert_string_equal(uri, expected);
}

static void refuses(const char *url, enum oc_code code) {
    char *uri = NULL;
    struct oc_error err;
    assert_int_equal(cv_web_target(url, ROOT, &uri, &err), code);
    assert_null(uri);
}

static void test_canvas_files(void **state) {
    (void)state;
    shows("", CV_WEB_LOCAL);
    shows("/", CV_WEB_LOCAL);
    shows("index.html", CV_WEB_LOCAL "index.html");
    shows(" /a/b.html?x=1#y ", CV_WEB_LOCAL "a/b.html?x=1#y");
    shows("my page.html", CV_WEB_LOCAL "my%20page.html");
    shows("my%20page.html", CV_WEB_LOCAL "my%20page.html");
    shows("caf\xc3\xa9.html", CV_WEB_LOCAL "caf%C3%A9.html");
    shows("openclaw-canvas://main/x.html", CV_WEB_LOCAL "x.html");
    shows("openclaw-canvas://main", CV_WEB_LOCAL);
    shows("/__openclaw__/canvas/x.html", CV_WEB_LOCAL "x.html");
    shows(ROOT "/x.html", CV_WEB_LOCAL "x.html");
    shows("file://" ROOT "/x.html", CV_WEB_LOCAL "x.html");
    shows("file://localhost" ROOT "/x.html", CV_WEB_LOCAL "x.html");
}

static void test_web_pages(void **state) {
    (void)state;
    shows("https://example.com/a b", "https://example.com/a b");
    shows("HTTP://127.0.0.1:3000/", "HTTP://127.0.0.1:3000/");
    shows("http://10.0.0.7/", "http://10.0.0.7/");
}

static void test_refusals(void **state) {
    (void)state;
    refuses("file:///etc/passwd", OC_E_DENIED);
    refuses("file://" ROOT "-other/x.html", OC_E_DENIED);
    refuses("file://elsewhere" ROOT "/x.html", OC_E_DENIED);
    refuses("javascript:alert(1)", OC_E_INVALID);
    refuses("data:text/html,x", OC_E_INVALID);
    refuses("about:blank", OC_E_INVALID);
    refuses("ftp://example.com/", OC_E_INVALID);
    refuses("http:///x", OC_E_DENIED);
    refuses("http://169.254.169.254/latest/meta-data", OC_E_DENIED);
    refuses("http://0xa9fea9fe/", OC_E_DENIED);
    refuses("http://[::ffff:169.254.169.254]/", OC_E_DENIED);
    refuses("http://[fe80::1]/", OC_E_DENIED);
    refuses("http://[fd00:ec2::254]/", OC_E_DENIED);
    refuses("http://[fd20:ce::254]/", OC_E_DENIED);
    refuses("http://[64:ff9b::a9fe:a9fe]/", OC_E_DENIED);
    refuses("http://[2002:a9fe:a9fe::1]/", OC_E_DENIED);
    refuses("http://[::a9fe:a9fe]/", OC_E_DENIED);
    refuses("http://168.63.129.16/", OC_E_DENIED);
    refuses("http://100.100.100.200/", OC_E_DENIED);
    refuses("http://192.0.0.192/", OC_E_DENIED);
    /* reserved, or a way into IPv4 that cannot be followed */
    refuses("http://[64:ff9b:1::a9fe:a9fe]/", OC_E_DENIED);
    refuses("http://[::ffff:0:169.254.169.254]/", OC_E_DENIED);
    refuses("http://[2001:0:a9fe:a9fe::1]/", OC_E_DENIED);
    refuses("http://[2001:db8::1]/", OC_E_DENIED);
    refuses("http://224.0.0.1/", OC_E_DENIED);
    refuses("http://255.255.255.255/", OC_E_DENIED);
    refuses("http://user:pw@METADATA.google.internal.:80/", OC_E_DENIED);
    char *uri = NULL;
    struct oc_error err;
    assert_int_equal(cv_web_target("x.html", NULL, &uri, &err), OC_E_UNAVAILABLE);
}

static void test_trust(void **state) {
    (void)state;
    static const char *const network[] = { "http://localhost:3000/", "https://printer.local/",
        "http://box.tail1234.ts.net/", "http://nas/", "http://127.0.0.1/", "http://10.1.2.3/",
        "http://172.31.0.1/", "http://192.168.1.1:8080/x", "http://100.100.1.1/", "http://[::1]/",
        "http://[fd12::1]/" };
    static const char *const strangers[] = { "https://example.com/", "http://172.32.0.1/",
        "http://100.128.0.1/", "http://8.8.8.8/", "https://local.example.com/",
        "http://localhost@example.com/", "http://example.com#@localhost/",
        "http://example.com\\@localhost/", "https://evilts.net/", "http://169.254.1.1/",
        "http://[2001:db8::1]/", "data:text/html,x", "about:blank", "blob:http://localhost/x",
        "file:///x", "http://", "" };
    for (size_t i = 0; i < OC_COUNT(network); i++) {
        if (!cv_web_is_trusted(network[i], true) || cv_web_is_trusted(network[i], false)) {
            fail_msg("%s", network[i]);
        }
    }
    for (size_t i = 0; i < OC_COUNT(strangers); i++) {
        if (cv_web_is_trusted(strangers[i], true)) {
            fail_msg("%s", strangers[i]);
        }
    }
    assert_true(cv_web_is_trusted(CV_WEB_LOCAL "x.html", false));
    assert_false(cv_web_is_trusted(NULL, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canvas_files),
        cmocka_unit_test(test_web_pages),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_trust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
