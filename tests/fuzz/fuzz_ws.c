/* Bytes from a peer into an open WebSocket. The first byte picks the role, the second how the rest
 * is cut. */
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/net/loop/fd.h"
#include "lib/net/loop/stream.h"
#include "lib/net/ws/ws.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_MESSAGE 2000

struct seen {
    int closed;
    struct oc_ws *ws;
};

static void on_message(void *user, struct oc_blob *text) {
    struct seen *s = user;
    CHECK(!s->closed && oc_ws_is_open(s->ws));
    CHECK(text->len <= MAX_MESSAGE && oc_utf8_valid(text->data, text->len));
    (void)oc_ws_send_blob(s->ws, text);
}

static void on_closed(void *user, uint16_t code, const char *reason) {
    struct seen *s = user;
    CHECK(s->closed++ == 0);
    CHECK(code >= 1000 && code <= 4999 && oc_utf8_valid(reason, strlen(reason)));
}

/* Reads away what comes back, so that nothing is stuck. */
static void drain(int fd) {
    char waste[4096];
    while (recv(fd, waste, sizeof(waste), 0) > 0) {
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct oc_fake_clock clock;
    static struct oc_loop *loop;
    if (!loop) {
        oc_fake_clock_init(&clock, 0);
        CHECK(oc_loop_create(&clock.clock, &loop, NULL) == OC_OK);
    }
    int fds[2];
    if (size < 2 || size > 20000) {
        return 0;
    }
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0 && oc_fd_prepare(fds[0]) == 0 &&
            oc_fd_prepare(fds[1]) == 0);
    struct seen seen = { 0 };
    const struct oc_ws_events events = { .on_message = on_message, .on_closed = on_closed };
    const struct oc_ws_opts opts = { .is_client = data[0] & 1, .max_message_bytes = MAX_MESSAGE };
    seen.ws = oc_ws_create(
            loop, oc_stream_plain(fds[0]), &opts, &events, &seen, (struct oc_slice){ 0 });
    size_t piece = data[1] ? data[1] : size;
    for (size_t at = 2; at < size; at += piece) {
        (void)!send(fds[1], data + at, size - at < piece ? size - at : piece, MSG_NOSIGNAL);
        oc_loop_step(loop, 0);
        drain(fds[1]);
    }
    close(fds[1]);
    for (int i = 0; i < 4 && !seen.closed; i++) {
        oc_loop_step(loop, 0);
    }
    CHECK(seen.closed == 1); /* whatever came, it ends, and once */
    oc_ws_destroy(seen.ws);
    oc_loop_step(loop, 0);
    return 0;
}
