#include "gateway/test_echo.h"

#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/protocol/limits.h"

struct echo {
    struct oc_list link;
    struct oc_ws *ws;
};

struct gw_test_echo {
    struct oc_list open; /* echo.link */
};

struct gw_test_echo *gw_test_echo_create(void) {
    struct gw_test_echo *e = oc_new(struct gw_test_echo);
    oc_list_init(&e->open);
    return e;
}

static void test_echo_drop(struct echo *c) {
    oc_list_remove(&c->link);
    oc_ws_destroy(c->ws);
    oc_free(c);
}

void gw_test_echo_destroy(struct gw_test_echo *e) {
    if (!e) {
        return;
    }
    while (!oc_list_empty(&e->open)) {
        test_echo_drop(oc_list_first(&e->open, struct echo, link));
    }
    oc_free(e);
}

static void give_back(struct echo *c, enum oc_code rc) {
    if (rc == OC_E_TOO_LARGE) {
        oc_ws_close(c->ws, 1008, "slow consumer");
    }
}

static void on_message(void *user, struct oc_blob *text) {
    struct echo *c = user;
    give_back(c, oc_ws_send_blob(c->ws, text));
}

static void on_binary(void *user, struct oc_blob *data) {
    struct echo *c = user;
    give_back(c, oc_ws_send_binary(c->ws, data));
}

static void on_closed(void *user, uint16_t code, const char *reason) {
    (void)code;
    (void)reason;
    test_echo_drop(user);
}

bool gw_test_echo_accept(
        struct gw_test_echo *e, struct oc_ws *take_ws, const struct oc_http_head *head) {
    static const struct oc_ws_events events = {
        .on_message = on_message, .on_binary = on_binary, .on_closed = on_closed
    };
    if (!oc_streq(oc_http_path(head), GW_TEST_ECHO_PATH)) {
        return false;
    }
    struct echo *c = oc_new(struct echo);
    c->ws = take_ws;
    oc_list_append(&e->open, &c->link);
    oc_ws_set_max_message(take_ws, OC_MAX_MESSAGE_BYTES);
    oc_ws_set_events(take_ws, &events, c);
    return true;
}
