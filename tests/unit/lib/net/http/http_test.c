#include "tests/unit/lib/net/net_testing.h"

#include "lib/net/http/http.h"
#include "lib/net/ws/handshake.h"

static int parse(const char *text, char *copy, struct oc_http_head *ret) {
    const char *why = NULL;
    size_t len = strlen(text);
    memcpy(copy, text, len + 1);
    int status = oc_http_parse_request(copy, len, ret, &why);
    assert_true(status == 0 || why);
    return status;
}

static char copy[65536];
static struct oc_http_head head;

static void test_request(void **state) {
    (void)state;
    assert_int_equal(parse("GET /a/b?x=1&y=%20 HTTP/1.1\r\n"
                           "Host: example:80\r\n"
                           "X-Empty:\r\n"
                           "x-list:  a , B\t\r\n"
                           "X-List: c\r\n"
                           "X-High: \xff\r\n"
                           "Content-Length: 12\r\n\r\n",
                             copy, &head),
            0);
    assert_string_equal(oc_http_method(&head), "GET");
    assert_string_equal(oc_http_path(&head), "/a/b");
    assert_string_equal(oc_http_query(&head), "x=1&y=%20");
    assert_string_equal(oc_http_header(&head, "HOST"), "example:80");
    assert_string_equal(oc_http_header(&head, "x-empty"), "");
    assert_string_equal(oc_http_header(&head, "X-List"), "a , B");
    assert_null(oc_http_header(&head, "X-Lis"));
    assert_int_equal(oc_http_header_count(&head, "X-List"), 2);
    assert_true(oc_http_has_token(&head, "X-List", "b"));
    assert_true(oc_http_has_token(&head, "X-List", "C"));
    assert_false(oc_http_has_token(&head, "X-List", "a , B"));
    assert_int_equal(head.content_length, 12);
    assert_int_equal(head.minor_version, 1);
    assert_int_equal(parse("GET / HTTP/1.0\r\n\r\n", copy, &head), 0);
    assert_string_equal(oc_http_query(&head), "");
}

static void test_refused_requests(void **state) {
    (void)state;
    static const struct {
        int status;
        const char *text;
    } cases[] = {
        { 400, "GET / HTTP/1.1\r\n\r\n" },                       /* no Host */
        { 400, "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n" }, /* two */
        { 400, "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n" },
        { 400, "GET http://x/ HTTP/1.1\r\nHost: a\r\n\r\n" }, /* not a path */
        { 400, "GET * HTTP/1.1\r\nHost: a\r\n\r\n" },
        { 400, "GET /#x HTTP/1.1\r\nHost: a\r\n\r\n" },
        { 400, "GET /\xc3\xbc HTTP/1.1\r\nHost: a\r\n\r\n" },
        { 400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n" },
        { 400, "GET /  HTTP/1.1\r\nHost: a\r\n\r\n" },
        { 400, "GET /\r\nHost: a\r\n\r\n" },
        { 400, " GET / HTTP/1.1\r\nHost: a\r\n\r\n" },
        { 400, "G\tT / HTTP/1.1\r\nHost: a\r\n\r\n" },
        { 400, "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n" },
        { 505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n" },
        { 505, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n" },
        { 400, "GET / http/1.1\r\nHost: a\r\n\r\n" },
        { 400, "GET / HTTP/1.1\nHost: a\r\n\r\n" }, /* bare LF */
        { 400, "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n" },
        { 400, "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n" },         /* bare CR */
        { 400, "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n" }, /* obs-fold */
        { 400, "GET / HTTP/1.1\r\nHost : a\r\n\r\n" },           /* space before colon */
        { 400, "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n" },     /* no name */
        { 400, "GET / HTTP/1.1\r\nHost: a\r\nnocolon\r\n\r\n" },
        { 400, "GET / HTTP/1.1\r\nHost: a\r\nX(y): b\r\n\r\n" },
        { 400, "GET / HTTP/1.1\r\nHost: a\x01\r\n\r\n" }, /* control character */
        { 400, "GET / HTTP/1.1\r\nHost: a\x7f\r\n\r\n" },
        { 501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" },
        { 501, "POST / HTTP/1.1\r\nHost: a\r\ntransfer-encoding: identity\r\nContent-Length: "
               "1\r\n\r\n" },
        { 400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n" },
        { 400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n" },
        { 400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n" },
        { 400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n" },
        { 400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\n" },
        { 400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n" },
        { 400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        int status = parse(cases[i].text, copy, &head);
        if (status != cases[i].status) {
            fail_msg("%d instead of %d for: %s", status, cases[i].status, cases[i].text);
        }
    }
}

static void test_nul_is_refused(void **state) {
    (void)state;
    static const char text[] = "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n";
    const char *why;
    memcpy(copy, text, sizeof(text));
    assert_int_equal(oc_http_parse_request(copy, sizeof(text) - 1, &head, &why), 400);
}

static void test_too_many_fields(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(65536);
    oc_buf_puts(&b, "GET / HTTP/1.1\r\nHost: a\r\n");
    for (int i = 1; i < OC_MAX_HTTP_HEADERS; i++) {
        oc_buf_printf(&b, "X-%d: y\r\n", i);
    }
    size_t fits = b.len;
    oc_buf_puts(&b, "\r\n");
    assert_int_equal(parse(b.data, copy, &head), 0);
    assert_int_equal(head.field_count, OC_MAX_HTTP_HEADERS);
    b.len = fits;
    oc_buf_puts(&b, "One: more\r\n\r\n");
    assert_int_equal(parse(b.data, copy, &head), 431);
}

static void test_head_end_in_pieces(void **state) {
    (void)state;
    static const char text[] = "GET / HTTP/1.1\r\nA: b\r\n\r\nrest";
    size_t expected = sizeof(text) - 1 - 4;
    for (size_t step = 1; step < sizeof(text); step++) {
        size_t from = 0, end = 0, len = 0;
        while (!end) {
            len = len + step < sizeof(text) - 1 ? len + step : sizeof(text) - 1;
            end = oc_http_head_end(text, len, &from);
        }
        assert_int_equal(end, expected);
    }
}

static enum oc_code parse_answer(const char *text, struct oc_error *err) {
    size_t len = strlen(text);
    memcpy(copy, text, len + 1);
    return oc_http_parse_response(copy, len, &head, err);
}

static void test_response(void **state) {
    (void)state;
    struct oc_error err;
    assert_int_equal(parse_answer("HTTP/1.1 101 Switching Protocols\r\nA: b\r\n\r\n", &err), OC_OK);
    assert_int_equal(head.status, 101);
    assert_string_equal(oc_http_header(&head, "a"), "b");
    assert_int_equal(parse_answer("HTTP/1.0 404\r\n\r\n", &err), OC_OK);
    assert_int_equal(head.status, 404);
    static const char *const bad[] = { "SSH-2.0-x\r\n\r\n", "HTTP/1.1 99 x\r\n\r\n",
        "HTTP/1.1 099 x\r\n\r\n", "HTTP/1.1 1010 x\r\n\r\n", "HTTP/1.1  200\r\n\r\n",
        "HTTP/2 200\r\n\r\n", "HTTP/1.1 200 OK\r\nbroken\r\n\r\n", "\r\n\r\n" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        assert_int_equal(parse_answer(bad[i], &err), OC_E_INVALID);
    }
}

#define UPGRADE \
    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c, WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define VERSION "Sec-WebSocket-Version: 13\r\n"

static int check(const char *text) {
    const char *why = NULL;
    assert_int_equal(parse(text, copy, &head), 0);
    assert_true(oc_ws_is_upgrade(&head));
    return oc_ws_check_upgrade(&head, &why);
}

static void test_upgrade_request(void **state) {
    (void)state;
    assert_int_equal(check(UPGRADE KEY VERSION "\r\n"), 0);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
    oc_ws_put_accept(&out, &head);
    /* the example of RFC 6455 §1.3 */
    assert_non_null(strstr(out.data, "\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    assert_null(strstr(out.data, "Extensions"));
    assert_int_equal(check(UPGRADE KEY "\r\n"), 426);
    assert_int_equal(check(UPGRADE KEY "Sec-WebSocket-Version: 8\r\n\r\n"), 426);
    assert_int_equal(check(UPGRADE KEY VERSION VERSION "\r\n"), 426);
    assert_int_equal(check(UPGRADE VERSION "\r\n"), 400);
    assert_int_equal(check(UPGRADE KEY KEY VERSION "\r\n"), 400);
    assert_int_equal(check(UPGRADE VERSION "Sec-WebSocket-Key: dGhlIHNhbXBsZQ==\r\n\r\n"), 400);
    assert_int_equal(
            check(UPGRADE VERSION "Sec-WebSocket-Key: !!!lIHNhbXBsZSBub25jZQ==\r\n\r\n"), 400);
    assert_int_equal(check(UPGRADE KEY VERSION "Content-Length: 5\r\n\r\n"), 400);
    assert_int_equal(check("POST / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: "
                           "upgrade\r\n" KEY VERSION "\r\n"),
            400);
    assert_int_equal(
            check("GET / HTTP/1.0\r\nUpgrade: websocket\r\nConnection: upgrade\r\n" KEY VERSION
                  "\r\n"),
            400);
    parse("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: close\r\n\r\n", copy,
            &head);
    assert_false(oc_ws_is_upgrade(&head));
    parse("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websockets\r\nConnection: upgrade\r\n\r\n", copy,
            &head);
    assert_false(oc_ws_is_upgrade(&head));
}

static enum oc_code check_answer(const char *status, const char *fields, struct oc_error *err) {
    OC_AUTO_FREE char *text = oc_strfmt("HTTP/1.1 %s\r\n%s\r\n", status, fields);
    assert_int_equal(parse_answer(text, err), OC_OK);
    return oc_ws_check_answer(&head, "dGhlIHNhbXBsZSBub25jZQ==", err);
}

#define GOOD "Upgrade: websocket\r\nConnection: Upgrade\r\n"
#define ACCEPT "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"

static void test_upgrade_answer(void **state) {
    (void)state;
    struct oc_error err;
    assert_int_equal(check_answer("101 x", GOOD ACCEPT, &err), OC_OK);
    assert_int_equal(check_answer("101 x", GOOD, &err), OC_E_INVALID);
    assert_int_equal(check_answer("101 x", ACCEPT, &err), OC_E_INVALID);
    assert_int_equal(check_answer("101 x",
                             GOOD "Sec-WebSocket-Accept: S3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", &err),
            OC_E_INVALID);
    assert_int_equal(check_answer("101 x",
                             GOOD ACCEPT "Sec-WebSocket-Extensions: permessage-deflate\r\n", &err),
            OC_E_INVALID);
    assert_int_equal(check_answer("404 Not Found", "", &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, "404 Not Found"));
    assert_int_equal(check_answer("503 x", "", &err), OC_E_UNAVAILABLE);
}

static void test_keys_differ_and_are_valid(void **state) {
    (void)state;
    char a[OC_WS_KEY_LEN + 1], b[OC_WS_KEY_LEN + 1];
    oc_ws_new_key(a);
    oc_ws_new_key(b);
    assert_string_not_equal(a, b);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
    oc_ws_put_request(&out, "/x", "h:1", a);
    assert_int_equal(check(out.data), 0);
    assert_null(oc_http_header(&head, "Origin"));
    assert_null(oc_http_header(&head, "User-Agent"));
    assert_string_equal(oc_http_header(&head, "Host"), "h:1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_refused_requests),
        cmocka_unit_test(test_nul_is_refused),
        cmocka_unit_test(test_too_many_fields),
        cmocka_unit_test(test_head_end_in_pieces),
        cmocka_unit_test(test_response),
        cmocka_unit_test(test_upgrade_request),
        cmocka_unit_test(test_upgrade_answer),
        cmocka_unit_test(test_keys_differ_and_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
