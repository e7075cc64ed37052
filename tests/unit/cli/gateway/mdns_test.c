#include "tests/unit/unit.h"

#include "cli/gateway/mdns.h"

#include <stdlib.h>

static char *joined(const struct oc_strv *v) {
    return oc_strv_join(v, "|");
}

static void publishes_no_more_than_needed(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv argv = { 0 }, full = { 0 };
    struct cli_mdns_ad ad = { .host_name = "box.example.org", .port = 18789 };
    cli_mdns_publish_argv(&ad, &argv);
    OC_AUTO_FREE char *text = joined(&argv);
    assert_string_equal(text,
            "avahi-publish-service|-f|--|box (OpenClaw)|_openclaw-gw._tcp|18789|role=gateway|"
            "displayName=box|lanHost=box.local|gatewayPort=18789|transport=gateway");
    ad.tls_pin = "ab12";
    ad.is_full = true;
    ad.cli_path = "/usr/bin/openclaw";
    cli_mdns_publish_argv(&ad, &full);
    assert_true(oc_strv_has(&full, "gatewayTls=1"));
    assert_true(oc_strv_has(&full, "gatewayTlsSha256=ab12"));
    assert_true(oc_strv_has(&full, "cliPath=/usr/bin/openclaw"));
    assert_true(oc_strv_has(&full, "sshPort=22"));
}

static const char *mode_of(const char *json) {
    OC_AUTO_JSON cJSON *config = NULL;
    const char *mode = NULL;
    assert_int_equal(oc_json_parse(json, strlen(json), &config, NULL), OC_OK);
    return cli_mdns_mode(config, &mode, NULL) == OC_OK ? mode : "error";
}

static void is_off_unless_asked_for(void **state) {
    (void)state;
    assert_string_equal(mode_of("{}"), "off");
    assert_string_equal(mode_of("{\"discovery\":{\"mdns\":{\"mode\":\"minimal\"}}}"), "minimal");
    assert_string_equal(mode_of("{\"discovery\":{\"mdns\":{\"mode\":\"loud\"}}}"), "error");
    assert_int_equal(setenv("OPENCLAW_DISABLE_BONJOUR", "1", 1), 0);
    assert_string_equal(mode_of("{\"discovery\":{\"mdns\":{\"mode\":\"full\"}}}"), "off");
    assert_int_equal(unsetenv("OPENCLAW_DISABLE_BONJOUR"), 0);
}

/* As avahi-browse 0.8 printed it. */
static void reads_what_avahi_prints(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *all = cli_mdns_parse(
            "+;lo;IPv4;gw\\032\\040OpenClaw\\041;_openclaw-gw._tcp;local\n"
            "=;lo;IPv4;gw\\032\\040OpenClaw\\041;_openclaw-gw._tcp;local;oc-test.local;127.0.0.1;"
            "18789;\"x=a;b\" \"displayName=box\" \"role=gateway\"\n"
            "=;eth0;IPv4;gw\\032\\040OpenClaw\\041;_openclaw-gw._tcp;local;oc-test.local;127.0.0.1;"
            "18789;\"displayName=again\"\n"
            "=;eth0;IPv6;other;_openclaw-gw._tcp;local;b.local;fe80::1;443;\"gatewayTls=1\" "
            "\"gatewayTlsSha256="
            "0000000000000000000000000000000000000000000000000000000000000000\"");
    assert_int_equal(cJSON_GetArraySize(all), 2);
    const cJSON *first = all->child, *second = first->next;
    assert_string_equal(oc_json_get_str(first, "name"), "gw (OpenClaw)");
    assert_string_equal(oc_json_get_str(first, "displayName"), "box");
    assert_string_equal(oc_json_get_str(first, "url"), "ws://127.0.0.1:18789");
    assert_string_equal(oc_json_get_str(second, "url"), "wss://[fe80::1]:443");
    assert_int_equal(strlen(oc_json_get_str(second, "tlsFingerprint")), 64);
}

static void nonsense_is_left_out(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        "=",
        "=;",
        "=;;;;;;;;;",
        "=;lo;IPv4;n;t;local;h;127.0.0.1;0;",
        "=;lo;IPv4;n;t;local;h;127.0.0.1;70000;",
        "=;lo;IPv4;n;t;local;h;$(reboot);1;",
        "=;lo;IPv4;n;t;local;h\\010x;127.0.0.1;1;",
        "=;lo;IPv4;n;t;local;h;127.0.0.1;1\\",
    };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        OC_AUTO_JSON cJSON *all = cli_mdns_parse(bad[i]);
        assert_int_equal(cJSON_GetArraySize(all), 0);
    }
    OC_AUTO_JSON cJSON *odd = cli_mdns_parse(
            "=;lo;IPv4;\\027[31mred;t;local;h;127.0.0.1;1;\"gatewayTlsSha256=zz\" \"=v\" \"k\" \"");
    assert_int_equal(cJSON_GetArraySize(odd), 1);
    assert_null(strchr(oc_json_get_str(odd->child, "name"), '\x1b'));
    assert_null(oc_json_get(odd->child, "tlsFingerprint"));
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(publishes_no_more_than_needed),
        cmocka_unit_test(is_off_unless_asked_for), cmocka_unit_test(reads_what_avahi_prints),
        cmocka_unit_test(nonsense_is_left_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
