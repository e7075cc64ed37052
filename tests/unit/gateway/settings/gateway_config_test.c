#include "gateway/settings/config.h"

#include "lib/json/json.h"
#include "tests/unit/unit.h"

static int setup(void **state) {
    (void)state;
    unsetenv("OPENCLAW_GATEWAY_TOKEN");
    unsetenv("OPENCLAW_GATEWAY_PASSWORD");
    return 0;
}

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    struct oc_error err;
    if (oc_json5_parse(text, strlen(text), &v, &err) != OC_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    return v;
}

static enum oc_code load(
        const char *config, struct gw_opts opts, struct gw_config *ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *c = parse(config);
    opts.config = c;
    opts.state_dir = "/nowhere";
    opts.config_path = "/nowhere/openclaw.json";
    return gw_config_load(&opts, ret, err);
}

static const struct gw_opts plain = { .port = -1 };

static void test_defaults(void **state) {
    (void)state;
    struct gw_config c;
    struct oc_error err;
    assert_int_equal(load("{gateway:{auth:{token:'t'}}}", plain, &c, &err), OC_OK);
    assert_int_equal(c.port, 18789);
    assert_int_equal(c.hosts.count, 2);
    assert_string_equal(c.hosts.items[0], "127.0.0.1");
    assert_string_equal(c.hosts.items[1], "::1");
    assert_true(c.is_loopback_only);
    assert_int_equal(c.auth_mode, GW_AUTH_TOKEN);
    assert_string_equal(c.secret, "t");
    assert_int_equal(c.rate_max_attempts, 10);
    assert_true(c.rate_exempt_loopback);
    assert_null(c.tls_cert);
    assert_int_equal(c.handshake_ms, 10000);
    assert_int_equal(c.proxies.count, 0);
    gw_config_finish(&c);
}

static void test_everything_set(void **state) {
    (void)state;
    struct gw_config c;
    struct oc_error err;
    assert_int_equal(
            load("{gateway:{port:19001, bind:'custom', customBindHost:'192.0.2.9',"
                 "auth:{mode:'password', password:'p', token:'t',"
                 "rateLimit:{maxAttempts:2, windowMs:5, lockoutMs:7, exemptLoopback:false}},"
                 "controlUi:{allowedOrigins:['https://a.example']}, tls:{enabled:true, "
                 "certPath:'/c.pem'}}}",
                    plain, &c, &err),
            OC_OK);
    assert_int_equal(c.port, 19001);
    assert_string_equal(c.hosts.items[0], "192.0.2.9");
    assert_false(c.is_loopback_only);
    assert_int_equal(c.auth_mode, GW_AUTH_PASSWORD);
    assert_string_equal(c.secret, "p");
    assert_int_equal(c.rate_max_attempts, 2);
    assert_int_equal(c.rate_window_ms, 5);
    assert_int_equal(c.rate_lockout_ms, 7);
    assert_false(c.rate_exempt_loopback);
    assert_true(oc_strv_has(&c.allowed_origins, "https://a.example"));
    assert_string_equal(c.tls_cert, "/c.pem");
    assert_string_equal(c.tls_key, "/nowhere/gateway/tls/gateway-key.pem");
    assert_true(c.tls_auto);
    assert_null(c.tls_ca);
    gw_config_finish(&c);
}

static void test_options_win(void **state) {
    (void)state;
    struct gw_config c;
    struct oc_error err;
    struct gw_opts o = { .port = 0, .bind = "lan", .auth_mode = "token", .token = "mine" };
    assert_int_equal(
            load("{gateway:{port:5, bind:'loopback', auth:{mode:'none', token:'t'}}}", o, &c, &err),
            OC_OK);
    assert_int_equal(c.port, 0);
    assert_string_equal(c.hosts.items[0], "0.0.0.0");
    assert_string_equal(c.secret, "mine");
    gw_config_finish(&c);
}

static void test_environment_comes_after_config(void **state) {
    (void)state;
    struct gw_config c;
    struct oc_error err;
    setenv("OPENCLAW_GATEWAY_TOKEN", "from-env", 1);
    assert_int_equal(load("{gateway:{auth:{token:'t'}}}", plain, &c, &err), OC_OK);
    assert_string_equal(c.secret, "t");
    gw_config_finish(&c);
    assert_int_equal(load("{}", plain, &c, &err), OC_OK);
    assert_string_equal(c.secret, "from-env");
    gw_config_finish(&c);
    setenv("OPENCLAW_GATEWAY_PASSWORD", "pw", 1); /* a password turns the default mode */
    assert_int_equal(load("{}", plain, &c, &err), OC_OK);
    assert_int_equal(c.auth_mode, GW_AUTH_PASSWORD);
    assert_string_equal(c.secret, "pw");
    gw_config_finish(&c);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *config, *bind, *auth, *expected;
    } rows[] = {
        { "{}", NULL, NULL, "gateway.auth.token" },
        { "{gateway:{auth:{token:'  '}}}", NULL, NULL, "no token is set" },
        { "{gateway:{auth:{mode:'password'}}}", NULL, NULL, "OPENCLAW_GATEWAY_PASSWORD" },
        { "{gateway:{auth:{mode:'trusted-proxy'}}}", NULL, NULL, "trusted-proxy" },
        { "{}", "lan", "none", "gateway.auth.mode: none" },
        { "{gateway:{bind:'custom',customBindHost:'192.0.2.1'}}", NULL, "none",
                "gateway.auth.mode: none" },
        { "{}", "lan", NULL, "no token is set" },
        { "{gateway:{bind:'custom'}}", NULL, "none", "customBindHost" },
        { "{gateway:{bind:'custom',customBindHost:'gateway.lan'}}", NULL, "none", "numeric" },
        { "{gateway:{bind:'everywhere'}}", NULL, "none", "everywhere" },
        { "{gateway:{port:0}}", NULL, "none", "gateway.port" },
        { "{gateway:{port:'80'}}", NULL, "none", "gateway.port" },
        { "{gateway:{port:70000}}", NULL, "none", "gateway.port" },
        { "{gateway:{auth:{rateLimit:{maxAttempts:0}}}}", NULL, "none", "rateLimit" },
        { "{gateway:{trustedProxies:['proxy.lan']}}", NULL, "none", "proxy.lan" },
        { "{gateway:{trustedProxies:'10.0.0.1'}}", NULL, "none", "trustedProxies" },
        { "{gateway:{handshakeTimeoutMs:5}}", NULL, "none", "handshakeTimeoutMs" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct gw_opts o = { .port = -1, .bind = rows[i].bind, .auth_mode = rows[i].auth };
        struct gw_config c;
        struct oc_error err;
        if (load(rows[i].config, o, &c, &err) == OC_OK || !strstr(err.text, rows[i].expected)) {
            fail_msg("%s: %s", rows[i].config, err.text);
        }
        gw_config_finish(&c);
    }
}

static void test_loopback_may_go_without_auth(void **state) {
    (void)state;
    struct gw_config c;
    struct oc_error err;
    struct gw_opts o = { .port = -1, .auth_mode = "none" };
    assert_int_equal(load("{}", o, &c, &err), OC_OK);
    assert_null(c.secret);
    gw_config_finish(&c);
    assert_int_equal(
            load("{gateway:{bind:'custom',customBindHost:'127.0.0.2'}}", o, &c, &err), OC_OK);
    gw_config_finish(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_defaults, setup),
        cmocka_unit_test_setup(test_everything_set, setup),
        cmocka_unit_test_setup(test_options_win, setup),
        cmocka_unit_test_setup(test_environment_comes_after_config, setup),
        cmocka_unit_test_setup(test_refusals, setup),
        cmocka_unit_test_setup(test_loopback_may_go_without_auth, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
