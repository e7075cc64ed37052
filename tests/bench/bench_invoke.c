/* Times `system.run /bin/true` through a gateway and a node against a bare posix_spawn and wait,
 * and against two round trips over loopback (what two hops cost at least), turn by turn in one run.
 *
 * usage: bench_invoke <port> <node id> <rounds>   (token in OPENCLAW_GATEWAY_TOKEN)
 * Prints one JSON object with microseconds. */
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/client/session.h"
#include "lib/json/json.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct bench {
    struct oc_loop *loop;
    struct oc_session *session;
    const char *node_id;
    bool is_up, is_done, failed;
};

static int64_t now_us(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void on_hello(void *user, const struct oc_hello *hello, const cJSON *payload) {
    (void)hello;
    (void)payload;
    ((struct bench *)user)->is_up = true;
}

static void on_event(void *user, const struct oc_frame *frame, struct oc_blob *blob) {
    (void)user;
    (void)frame;
    (void)blob;
}

static void on_end(void *user, const struct oc_session_end *end) {
    struct bench *b = user;
    fprintf(stderr, "bench_invoke: connection ended: %s\n", end->message);
    b->failed = true;
}

static void on_reply(void *user, const struct oc_reply *reply) {
    struct bench *b = user;
    if (!reply->ok || !memmem(reply->payload.ptr, reply->payload.len, "exitCode\":0", 11)) {
        fprintf(stderr, "bench_invoke: %s\n", reply->ok ? "the command failed" : reply->message);
        b->failed = true;
    }
    b->is_done = true;
}

static int64_t one_invoke(struct bench *b) {
    char key[OC_UUID_LEN + 1];
    oc_uuid4(key);
    cJSON *argv = cJSON_CreateArray();
    cJSON_AddItemToArray(argv, cJSON_CreateString("/bin/true"));
    cJSON *run = cJSON_CreateObject();
    oc_json_set(run, "command", argv);
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "nodeId", b->node_id);
    oc_json_set_str(params, "command", "system.run");
    oc_json_set_str(params, "idempotencyKey", key);
    oc_json_set(params, "params", run);
    b->is_done = false;
    int64_t start = now_us();
    oc_session_request(b->session, "node.invoke", params, 30000, on_reply, b);
    while (!b->is_done && !b->failed) {
        oc_loop_step(b->loop, 1000);
    }
    return now_us() - start;
}

static int64_t one_spawn(void) {
    char *argv[] = { (char *)"/bin/true", NULL };
    int64_t start = now_us();
    pid_t pid;
    int status;
    if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0) {
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return now_us() - start;
}

/* A process that sends back what it gets; gives our end of the TCP connection. */
static int start_echo(void) {
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(at);
    int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&at, len) != 0 || listen(listener, 1) != 0 ||
            getsockname(listener, (struct sockaddr *)&at, &len) != 0 ||
            connect(fd, (struct sockaddr *)&at, len) != 0) {
        perror("bench_invoke: echo");
        exit(1);
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (fork() == 0) {
        char bytes[512];
        close(fd);
        int peer = accept(listener, NULL, NULL);
        setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        for (ssize_t n = read(peer, bytes, sizeof(bytes)); n > 0;
                n = read(peer, bytes, sizeof(bytes))) {
            if (write(peer, bytes, (size_t)n) != n) {
                break;
            }
        }
        _exit(0);
    }
    close(listener);
    return fd;
}

static int64_t two_trips(int fd) {
    char bytes[256] = "x";
    int64_t start = now_us();
    for (int i = 0; i < 2; i++) {
        if (write(fd, bytes, sizeof(bytes)) < 0 || read(fd, bytes, sizeof(bytes)) <= 0) {
            return -1;
        }
    }
    return now_us() - start;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print(const char *name, int64_t *values, size_t n, const char *end) {
    qsort(values, n, sizeof(values[0]), by_value);
    printf("\"%s\":{\"median\":%" PRId64 ",\"p99\":%" PRId64 ",\"min\":%" PRId64 "}%s", name,
            values[n / 2], values[n * 99 / 100], values[0], end);
}

int main(int argc, char **argv) {
    const char *token = getenv("OPENCLAW_GATEWAY_TOKEN");
    if (argc != 4 || !token) {
        fprintf(stderr, "usage: OPENCLAW_GATEWAY_TOKEN=… bench_invoke <port> <node id> <rounds>\n");
        return 2;
    }
    struct bench b = { .node_id = argv[2] };
    size_t rounds = (size_t)strtoul(argv[3], NULL, 10);
    struct oc_error err = { 0 };
    if (rounds < 1 || oc_loop_create(&oc_clock_system, &b.loop, &err) != OC_OK) {
        fprintf(stderr, "bench_invoke: %s\n", err.text);
        return 1;
    }
    struct oc_connect connect = { .min_protocol = OC_PROTOCOL_MIN,
        .max_protocol = OC_PROTOCOL_MAX,
        .client_id = "cli",
        .version = OC_VERSION,
        .platform = "linux",
        .mode = "cli",
        .role = OC_ROLE_OPERATOR,
        .token = token };
    oc_strv_add(&connect.scopes, OC_SCOPE_WRITE);
    struct oc_session_opts opts = { .dial = { .host = "127.0.0.1",
                                            .port = (uint16_t)strtoul(argv[1], NULL, 10) },
        .connect = &connect };
    static const struct oc_session_events events = {
        .on_hello = on_hello, .on_event = on_event, .on_end = on_end
    };
    int trip_fd = start_echo();
    b.session = oc_session_start(b.loop, &opts, &events, &b);
    while (!b.is_up && !b.failed) {
        oc_loop_step(b.loop, 1000);
    }
    int64_t *invokes = oc_new_array(int64_t, rounds), *spawns = oc_new_array(int64_t, rounds),
            *trips = oc_new_array(int64_t, rounds);
    for (size_t i = 0; i < rounds && !b.failed; i++) {
        invokes[i] = one_invoke(&b);
        spawns[i] = one_spawn();
        trips[i] = two_trips(trip_fd);
    }
    close(trip_fd);
    if (!b.failed) {
        printf("{\"rounds\":%zu,", rounds);
        print("invoke_us", invokes, rounds, ",");
        print("spawn_us", spawns, rounds, ",");
        print("trips_us", trips, rounds, "}\n");
    }
    oc_free(invokes);
    oc_free(spawns);
    oc_free(trips);
    oc_session_destroy(b.session);
    oc_loop_destroy(b.loop);
    oc_connect_finish(&connect);
    return b.failed ? 1 : 0;
}
