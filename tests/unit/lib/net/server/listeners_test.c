#include "lib/net/server/listeners.h"

#include "tests/unit/unit.h"

#include <netinet/in.h>
#include <sys/socket.h>

struct sets {
    struct oc_listeners *ours, *others; /* others: another gateway of the same user */
};

static int set_up(void **state) {
    struct sets *s = oc_new(struct sets);
    s->ours = oc_listeners_create();
    s->others = oc_listeners_create();
    *state = s;
    return 0;
}

static int tear_down(void **state) {
    struct sets *s = *state;
    oc_listeners_destroy(s->ours);
    oc_listeners_destroy(s->others);
    oc_free(s);
    return 0;
}

static int open_one(struct oc_listeners *l, const char *host, uint16_t port) {
    struct oc_error err;
    int fd = -1;
    if (oc_listeners_open(l, host, port, &fd, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return fd;
}

static uint16_t port_of(int fd) {
    struct sockaddr_in at;
    socklen_t len = sizeof(at);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    return ntohs(at.sin_port);
}

static bool answers(const char *host, uint16_t port) {
    struct sockaddr_in at = { .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(strcmp(host, "127.0.0.2") == 0 ? 0x7f000002 : INADDR_LOOPBACK) };
    OC_AUTO_FD int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
}

static void assert_taken(struct oc_listeners *l, const char *host, uint16_t port) {
    struct oc_error err;
    int fd = -1;
    assert_int_equal(oc_listeners_open(l, host, port, &fd, &err), OC_E_EXISTS);
    assert_non_null(strstr(err.text, "--port"));
}

static void test_a_socket_is_handed_on(void **state) {
    struct sets *s = *state;
    oc_listeners_begin(s->ours);
    int fd = open_one(s->ours, "127.0.0.1", 0);
    uint16_t port = port_of(fd);
    oc_listeners_commit(s->ours);
    oc_listeners_begin(s->ours);
    assert_int_equal(open_one(s->ours, "127.0.0.1", port), fd);
    assert_true(answers("127.0.0.1", port)); /* all the time */
    oc_listeners_commit(s->ours);
    assert_taken(s->others, "127.0.0.1", port);
    oc_listeners_close_all(s->ours);
    assert_false(answers("127.0.0.1", port));
    (void)open_one(s->others, "127.0.0.1", port);
}

/* From loopback to every address and back; nobody else can squeeze in, a second gateway of the same
 * user neither. */
static void test_new_addresses_are_open_before_old_ones_are_closed(void **state) {
    struct sets *s = *state;
    oc_listeners_begin(s->ours);
    uint16_t port = port_of(open_one(s->ours, "127.0.0.1", 0));
    oc_listeners_commit(s->ours);
    static const char *const ways[] = { "0.0.0.0", "127.0.0.1" };
    for (size_t i = 0; i < OC_COUNT(ways); i++) {
        oc_listeners_begin(s->ours);
        (void)open_one(s->ours, ways[i], port);
        assert_taken(s->others, "127.0.0.1", port);
        assert_taken(s->others, "0.0.0.0", port);
        assert_true(answers("127.0.0.1", port));
        oc_listeners_commit(s->ours);
        assert_int_equal(answers("127.0.0.2", port), i == 0);
        assert_taken(s->others, "127.0.0.1", port);
    }
}

static void test_what_fails_leaves_the_old_as_it_was(void **state) {
    struct sets *s = *state;
    oc_listeners_begin(s->ours);
    uint16_t port = port_of(open_one(s->ours, "127.0.0.1", 0));
    oc_listeners_commit(s->ours);
    oc_listeners_begin(s->others);
    uint16_t taken = port_of(open_one(s->others, "127.0.0.1", 0));
    oc_listeners_begin(s->ours);
    uint16_t fresh = port_of(open_one(s->ours, "127.0.0.2", 0));
    assert_taken(s->ours, "127.0.0.1", taken);
    oc_listeners_roll_back(s->ours);
    assert_false(answers("127.0.0.2", fresh));
    assert_true(answers("127.0.0.1", port));
    struct oc_error err;
    int fd;
    assert_int_equal(oc_listeners_open(s->ours, "localhost", 1, &fd, &err), OC_E_INVALID);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_a_socket_is_handed_on),
        TEST(test_new_addresses_are_open_before_old_ones_are_closed),
        TEST(test_what_fails_leaves_the_old_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
