#include "cli/command.h"
#include "cli/gateway/target.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[64];

static int setup(void **state) {
    (void)state;
    snprintf(dir, sizeof(dir), "/tmp/oc-target-XXXXXX");
    assert_non_null(mkdtemp(dir));
    setenv("OPENCLAW_STATE_DIR", dir, 1);
    unsetenv("OPENCLAW_CONFIG_PATH");
    unsetenv("OPENCLAW_GATEWAY_PORT");
    unsetenv("OPENCLAW_GATEWAY_TOKEN");
    unsetenv("OPENCLAW_GATEWAY_PASSWORD");
    unsetenv("OPENCLAW_ALLOW_INSECURE_PRIVATE_WS");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    static const char *const names[] = { "openclaw.json", "secret" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        OC_AUTO_FREE char *path = oc_path_join(dir, names[i]);
        unlink(path);
    }
    return rmdir(dir);
}

#define PIN "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void write_file(const char *name, const char *text) {
    OC_AUTO_FREE char *path = oc_path_join(dir, name);
    assert_int_equal(oc_file_write_private(path, text, strlen(text), NULL), OC_OK);
}

/* Resolves with these words on the command line. */
static enum oc_code resolve(
        struct cli_target *ret, struct oc_error *err, char *a, char *b, char *c, char *d) {
    char *words[] = { a, b, c, d };
    char *argv[4];
    int argc = 0;
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        if (words[i]) {
            argv[argc++] = words[i];
        }
    }
    const struct cli_option *const tables[] = { cli_gateway_options };
    struct cli_args args;
    assert_int_equal(cli_args_parse(tables, 1, false, argc, argv, &args, err), OC_OK);
    enum oc_code rc = cli_target_resolve(&args, ret, err);
    cli_args_finish(&args);
    return rc;
}

static void test_url(void **state) {
    (void)state;
    static const struct {
        const char *url, *host, *path;
        uint16_t port;
        bool tls;
    } rows[] = {
        { "ws://127.0.0.1:18789", "127.0.0.1", "/", 18789, false },
        { "WSS://gw.example.org", "gw.example.org", "/", 443, true },
        { "ws://[::1]:9/x/y?z=1#frag", "::1", "/x/y?z=1", 9, false },
        { "ws://host/", "host", "/", 80, false },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct cli_target t = { 0 };
        struct oc_error err;
        assert_int_equal(cli_target_parse_url(rows[i].url, &t, &err), OC_OK);
        assert_string_equal(t.host, rows[i].host);
        assert_string_equal(t.path, rows[i].path);
        assert_int_equal(t.port, rows[i].port);
        assert_int_equal(t.tls, rows[i].tls);
        cli_target_finish(&t);
    }
}

static void test_bad_urls(void **state) {
    (void)state;
    static const char *const bad[] = { "http://x", "127.0.0.1:1", "ws://", "ws://h:0",
        "ws://h:65536", "ws://h:x", "ws://[::1", "ws://user:pw@h", "ws://:80", "" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        struct cli_target t = { 0 };
        struct oc_error err;
        assert_int_equal(cli_target_parse_url(bad[i], &t, &err), OC_E_INVALID);
        assert_null(strstr(err.text, "pw"));
        cli_target_finish(&t);
    }
}

static void test_local_default(void **state) {
    (void)state;
    struct cli_target t;
    struct oc_error err;
    assert_int_equal(resolve(&t, &err, NULL, NULL, NULL, NULL), OC_OK);
    assert_string_equal(t.url, "ws://127.0.0.1:18789");
    assert_null(t.token);
    cli_target_finish(&t);
    write_file("openclaw.json", "{gateway: {port: 19001, auth: {token: 'from-config'}}}");
    assert_int_equal(resolve(&t, &err, NULL, NULL, NULL, NULL), OC_OK);
    assert_string_equal(t.url, "ws://127.0.0.1:19001");
    assert_string_equal(t.token, "from-config");
    cli_target_finish(&t);
    setenv("OPENCLAW_GATEWAY_PORT", "19005", 1);
    assert_int_equal(resolve(&t, &err, NULL, NULL, NULL, NULL), OC_OK);
    assert_int_equal(t.port, 19005);
    cli_target_finish(&t);
    setenv("OPENCLAW_GATEWAY_PORT", "19005x", 1);
    assert_int_equal(resolve(&t, &err, NULL, NULL, NULL, NULL), OC_E_INVALID);
    cli_target_finish(&t);
}

static void test_url_needs_credentials(void **state) {
    (void)state;
    struct cli_target t;
    struct oc_error err;
    write_file("openclaw.json", "{gateway: {auth: {token: 'from-config'}}}");
    setenv("OPENCLAW_GATEWAY_TOKEN", "from-env", 1);
    char url[] = "--url=ws://127.0.0.1:1", flag[] = "--token", token[] = "given";
    assert_int_equal(resolve(&t, &err, url, NULL, NULL, NULL), OC_E_AUTH);
    assert_true(oc_starts_with(err.text, "gateway url override requires explicit credentials"));
    cli_target_finish(&t);
    assert_int_equal(resolve(&t, &err, url, flag, token, NULL), OC_OK);
    assert_string_equal(t.token, "given");
    assert_null(t.password);
    cli_target_finish(&t);
}

static void test_secret_file(void **state) {
    (void)state;
    struct cli_target t;
    struct oc_error err;
    char option[128], url[] = "--url=ws://127.0.0.1:1";
    write_file("secret", "s3cret\r\nsecond line\n");
    snprintf(option, sizeof(option), "--token-file=%s/secret", dir);
    assert_int_equal(resolve(&t, &err, url, option, NULL, NULL), OC_OK);
    assert_string_equal(t.token, "s3cret");
    cli_target_finish(&t);
    write_file("secret", "\nx\n");
    assert_int_equal(resolve(&t, &err, url, option, NULL, NULL), OC_E_INVALID);
    cli_target_finish(&t);
}

static void test_remote_and_plain_text(void **state) {
    (void)state;
    struct cli_target t;
    struct oc_error err;
    write_file("openclaw.json", "{gateway: {mode: 'remote', remote: {url: 'ws://gw.example.org:1', "
                                "token: 'r'}, auth: {token: 'l'}}}");
    assert_int_equal(resolve(&t, &err, NULL, NULL, NULL, NULL), OC_E_DENIED);
    assert_non_null(strstr(err.text, "OPENCLAW_ALLOW_INSECURE_PRIVATE_WS=1"));
    cli_target_finish(&t);
    setenv("OPENCLAW_ALLOW_INSECURE_PRIVATE_WS", "1", 1);
    assert_int_equal(resolve(&t, &err, NULL, NULL, NULL, NULL), OC_OK);
    assert_string_equal(t.token, "r");
    assert_int_equal(t.from, CLI_TARGET_REMOTE);
    cli_target_finish(&t);
    write_file("openclaw.json", "{gateway: {mode: 'remote', remote: {url: 'wss://gw.example.org', "
                                "tlsFingerprint: '" PIN "'}, auth: {token: 'l', password: 'p'}}}");
    unsetenv("OPENCLAW_ALLOW_INSECURE_PRIVATE_WS");
    assert_int_equal(resolve(&t, &err, NULL, NULL, NULL, NULL), OC_OK);
    assert_string_equal(t.tls_fingerprint, PIN);
    /* The secrets of this machine's own gateway are not for the other one. */
    assert_null(t.token);
    assert_null(t.password);
    cli_target_finish(&t);
    write_file("openclaw.json", "{gateway: {mode: 'remote', remote: {url: 'wss://gw.example.org', "
                                "tlsFingerprint: 'AB'}}}");
    assert_int_equal(resolve(&t, &err, NULL, NULL, NULL, NULL), OC_E_INVALID);
    assert_int_equal(err.grounds.remedy, OC_REMEDY_SEE_FINGERPRINT);
    assert_null(strstr(err.text, "openclaw gateway"));
    cli_target_finish(&t);
    write_file("openclaw.json", "{gateway: {mode: 'remote'}}");
    assert_int_equal(resolve(&t, &err, NULL, NULL, NULL, NULL), OC_E_INVALID);
    cli_target_finish(&t);
}

static void test_pin_needs_tls(void **state) {
    (void)state;
    struct cli_target t;
    struct oc_error err;
    char pin[] = "--tls-fingerprint=" PIN;
    assert_int_equal(resolve(&t, &err, pin, NULL, NULL, NULL), OC_E_INVALID);
    assert_string_equal(err.text, "gateway tls fingerprint requires wss:// gateway url");
    cli_target_finish(&t);
}

static void test_broken_config_is_not_empty(void **state) {
    (void)state;
    struct cli_target t;
    struct oc_error err;
    write_file("openclaw.json", "{gateway: ");
    assert_int_not_equal(resolve(&t, &err, NULL, NULL, NULL, NULL), OC_OK);
    assert_non_null(strstr(err.text, "openclaw.json"));
    cli_target_finish(&t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_url),
        cmocka_unit_test(test_bad_urls),
        TEST(test_local_default),
        TEST(test_url_needs_credentials),
        TEST(test_secret_file),
        TEST(test_remote_and_plain_text),
        TEST(test_pin_needs_tls),
        TEST(test_broken_config_is_not_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
