/* Which addresses are files of the gateway, and that its capability stays where it belongs. */
#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "node/canvas/canvas_surface.h"

#include <string.h>

#define BASE "http://gw:18789"
#define CAP BASE "/__openclaw__/cap/AAAA"

static struct nd_machine machine;
static struct nd_uplink uplink;
static struct nd_canvas_site site;
static const char *answer; /* of the gateway to refresh; NULL: an error */
static int asked;
static char *found;

static void ask(struct nd_uplink *up, const char *method, cJSON *take_params, int timeout_ms,
        oc_reply_done *done, void *user) {
    (void)up, (void)timeout_ms;
    assert_string_equal(method, "node.pluginSurface.refresh");
    assert_string_equal(oc_json_get_str(take_params, "surface"), "canvas");
    cJSON_Delete(take_params);
    asked++;
    struct oc_reply reply = { .ok = answer != NULL, .error_code = "x", .message = "x" };
    if (answer) {
        reply.payload = (struct oc_slice){ answer, strlen(answer) };
    }
    done(user, &reply);
}

static void on_found(void *user, const char *address) {
    (void)user;
    oc_free(found);
    found = oc_strdup(address);
}

static int setup(void **state) {
    (void)state;
    struct oc_error err;
    static struct oc_loop *loop;
    assert_int_equal(oc_loop_create(&oc_clock_system, &loop, &err), OC_OK);
    machine = (struct nd_machine){ .loop = loop };
    uplink = (struct nd_uplink){ .ask = ask };
    site = (struct nd_canvas_site){ .machine = &machine, .uplink = &uplink };
    answer = NULL;
    asked = 0;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    nd_canvas_surface_finish(&site);
    oc_loop_destroy(machine.loop);
    oc_free(oc_take(&found));
    return 0;
}

static void hello(const char *old, const char *plugin) {
    nd_canvas_surface_hello(
            &site, &(struct oc_hello){ .canvas_host_url = old, .canvas_surface_url = plugin });
}

static void leads(const char *url, const char *address) {
    assert_true(nd_canvas_surface_has(&site, url));
    nd_canvas_surface_find(&site, url, on_found, NULL);
    assert_non_null(found);
    assert_string_equal(found, address);
}

static void plugin_surface(void **state) {
    (void)state;
    hello(NULL, CAP);
    leads("/__openclaw__/canvas/documents/1/index.html",
            CAP "/__openclaw__/canvas/documents/1/index.html");
    leads(BASE "/__openclaw__/canvas/a?b#c", CAP "/__openclaw__/canvas/a?b#c");
    assert_int_equal(asked, 2); /* and what hello said is used when there is no other */
    answer = "{\"pluginSurfaceUrls\":{\"canvas\":\"" BASE "/__openclaw__/cap/BBBB\"}}";
    leads("/__openclaw__/canvas/a", BASE "/__openclaw__/cap/BBBB/__openclaw__/canvas/a");
    answer = "{\"pluginSurfaceUrls\":{\"canvas\":\"file:///etc\"}}";
    leads("/__openclaw__/canvas/a", BASE "/__openclaw__/cap/BBBB/__openclaw__/canvas/a");
}

static void canvas_host(void **state) {
    (void)state;
    hello(CAP, NULL);
    assert_false(nd_canvas_surface_has(&site, "/__openclaw__/canvas/a"));
    leads(BASE "/__openclaw__/canvas/a", CAP "/__openclaw__/canvas/a");
    assert_int_equal(asked, 0); /* such a gateway does not know the question */
}

static void nobody_elses(void **state) {
    (void)state;
    static const char *const others[] = { "", "a.html", "/a.html", "/__openclaw__/canvasx",
        "/__openclaw__/cap/x", "/__openclaw__/canvas", "http://gw:1878/__openclaw__/canvas/a",
        "http://gw:18789.evil/__openclaw__/canvas/a", "http://gw:18789@evil/__openclaw__/canvas/a",
        "https://gw:18789/__openclaw__/canvas/a", BASE "/a", BASE "/__openclaw__/a2ui/",
        "http://evil/__openclaw__/canvas/a" };
    hello(NULL, CAP);
    for (size_t i = 0; i < OC_COUNT(others); i++) {
        assert_false(nd_canvas_surface_has(&site, others[i]));
    }
    assert_false(nd_canvas_surface_has(&site, NULL));
    hello(NULL, NULL);
    assert_false(nd_canvas_surface_has(&site, "/__openclaw__/canvas/a"));
    static const char *const bad[] = { "file:///x", "http://a b", "http://u@h/__openclaw__/cap/x",
        "" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        hello(NULL, bad[i]);
        assert_null(site.surface);
    }
}

static void secrets(void **state) {
    (void)state;
    OC_AUTO_FREE char *hidden = nd_canvas_surface_hide(
            "http://gw/__openclaw__/cap/SECRET/x: no; or /__openclaw__/cap/SECRET");
    assert_string_equal(hidden, "http://gw/__openclaw__/cap/…/x: no; or /__openclaw__/cap/…");
    OC_AUTO_FREE char *plain = nd_canvas_surface_hide("no secret");
    assert_string_equal(plain, "no secret");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plugin_surface, setup, teardown),
        cmocka_unit_test_setup_teardown(canvas_host, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_elses, setup, teardown),
        cmocka_unit_test(secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
