/* Connects to a WebSocket server on loopback, gives back what it gets, and prints how it ended:
 *
 *   ws_echo_client <port> [path]      → "closed 1000 bye" or "failed …"
 *
 * The client half of conformance suites (the server half is gateway/test_echo.c). */
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/net/dial.h"
#include "lib/protocol/limits.h"

#include <stdio.h>

struct client {
    struct oc_loop *loop;
    struct oc_ws *ws;
    int status;
};

static void on_message(void *user, struct oc_blob *text) {
    struct client *c = user;
    (void)oc_ws_send_blob(c->ws, text);
}

static void on_binary(void *user, struct oc_blob *data) {
    struct client *c = user;
    (void)oc_ws_send_binary(c->ws, data);
}

static void on_closed(void *user, uint16_t code, const char *reason) {
    struct client *c = user;
    printf("closed %u %s\n", code, reason);
    oc_loop_stop(c->loop);
}

static void on_dialled(void *user, struct oc_ws *take_ws, const struct oc_error *err) {
    static const struct oc_ws_events events = {
        .on_message = on_message, .on_binary = on_binary, .on_closed = on_closed
    };
    struct client *c = user;
    c->ws = take_ws;
    if (err) {
        printf("failed %s\n", err->text);
        c->status = 1;
        oc_loop_stop(c->loop);
        return;
    }
    oc_ws_set_events(take_ws, &events, c);
}

int main(int argc, char **argv) {
    struct client c = { 0 };
    struct oc_error err;
    int64_t port;
    if (argc < 2 || !oc_parse_int(argv[1], 1, 65535, &port)) {
        fprintf(stderr, "usage: ws_echo_client <port> [path]\n");
        return 2;
    }
    if (oc_loop_create(&oc_clock_system, &c.loop, &err) != OC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    const struct oc_dial_opts opts = {
        .host = "127.0.0.1",
        .port = (uint16_t)port,
        .path = argc > 2 ? argv[2] : "/",
        .ws = { .max_message_bytes = OC_MAX_MESSAGE_BYTES,
                .max_queued_bytes = OC_MAX_QUEUED_BYTES },
    };
    (void)oc_dial_start(c.loop, &opts, on_dialled, &c);
    oc_loop_run(c.loop);
    oc_ws_destroy(c.ws);
    oc_loop_destroy(c.loop);
    return c.status;
}
