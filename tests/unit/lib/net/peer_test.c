#include "lib/net/peer.h"

#include "platform/platform.h"

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define OWN_1 0xc0a84d01U /* 192.168.77.1 */

#define PIN "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void expect_name(const char *host, uint16_t port, const char *path, bool tls,
        const char *pin, const char *want) {
    OC_AUTO_FREE char *name = oc_gateway_name(host, port, path, tls, pin);
    assert_string_equal(name, want);
}

static void test_names_of_gateways(void **state) {
    (void)state;
    expect_name("127.0.0.1", 18789, "/", false, NULL, "ws://127.0.0.1:18789");
    expect_name("localhost", 18789, NULL, false, NULL, "ws://127.0.0.1:18789");
    expect_name("::1", 18789, "", false, NULL, "ws://127.0.0.1:18789");
    expect_name("GW.example", 443, "/x", true, NULL, "wss://gw.example:443/x");
    expect_name("fd00::1", 1, "/", true, NULL, "wss://[fd00::1]:1");
    /* A certificate stays the same when the gateway moves. */
    expect_name("a", 1, "/", true, "SHA256:" PIN, "sha256:" PIN);
    expect_name("b", 2, "/", true, PIN, "sha256:" PIN);
    expect_name("b", 2, "/y", true, PIN, "sha256:" PIN "/y");
}

static void test_own_sockets_are_ours(void **state) {
    (void)state;
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(at);
    OC_AUTO_FD int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    OC_AUTO_FD int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
    struct oc_error err;
    assert_int_equal(oc_peer_check(client, NULL, &err), OC_E_UNAVAILABLE); /* no connection */
    assert_int_equal(connect(client, (struct sockaddr *)&at, len), 0);
    assert_int_equal(oc_peer_check(client, NULL, &err), OC_OK);
    OC_AUTO_FD int server = accept(listener, NULL, NULL);
    assert_int_equal(oc_peer_check(client, "nobody", &err), OC_OK);
    (void)shutdown(server, SHUT_RDWR); /* it still has it */
    assert_int_equal(oc_peer_check(client, NULL, &err), OC_OK);
    (void)close(oc_take_fd(&server)); /* whoever is gone is nobody's */
    assert_int_equal(oc_peer_check(client, NULL, &err), OC_E_UNAVAILABLE);
    assert_non_null(strstr(err.text, "gateway.tls.enabled"));
}

/* Two further addresses of this machine, in a network of its own. */
static bool add_addresses(void) {
    static const char *const names[] = { "lo:1", "lo:2" };
    OC_AUTO_FD int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_LOOPBACK };
    bool is_well = ioctl(fd, SIOCSIFFLAGS, &up) == 0;
    for (uint32_t i = 0; i < OC_COUNT(names); i++) {
        struct ifreq add = { 0 };
        struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(OWN_1 + i) };
        (void)snprintf(add.ifr_name, sizeof(add.ifr_name), "%s", names[i]);
        memcpy(&add.ifr_addr, &at, sizeof(at));
        is_well = is_well && ioctl(fd, SIOCSIFADDR, &add) == 0;
    }
    return is_well;
}

static bool map_user(unsigned uid) {
    char text[32];
    int len = snprintf(text, sizeof(text), "%u %u 1\n", uid, uid);
    OC_AUTO_FD int fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
    return write(fd, text, (size_t)len) == len;
}

/* From the one address to the other. 0: as expected. */
static int check_own_addresses(void) {
    unsigned uid = getuid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0 || !map_user(uid) || !add_addresses()) {
        return 1;
    }
    struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(OWN_1) },
                       at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(OWN_1 + 1) };
    socklen_t len = sizeof(at);
    OC_AUTO_FD int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    OC_AUTO_FD int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&at, len) != 0 || listen(listener, 1) != 0 ||
            getsockname(listener, (struct sockaddr *)&at, &len) != 0 ||
            bind(client, (struct sockaddr *)&from, len) != 0 ||
            connect(client, (struct sockaddr *)&at, len) != 0) {
        return 2;
    }
    struct oc_error err = { 0 };
    if (oc_peer_check(client, NULL, &err) != OC_OK) {
        return 3;
    }
    (void)close(accept(listener, NULL, NULL));
    bool is_refused = oc_peer_check(client, NULL, &err) == OC_E_UNAVAILABLE &&
                      strstr(err.text, "holds that address of this machine and hides") &&
                      strstr(err.text, "gateway.tls.enabled");
    return is_refused ? 0 : 4;
}

static void test_who_hides_at_another_address_of_ours_is_refused(void **state) {
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(check_own_addresses());
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* ---- sockets of another network: the kernel has none of its own to match them with ---- */

/* Connected from one address to the other. -1: not. */
static int connect_between(uint32_t from, uint32_t to, int *ret_listener) {
    struct sockaddr_in near = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(from) },
                       far = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(to) };
    socklen_t len = sizeof(far);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *ret_listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_well = bind(*ret_listener, (struct sockaddr *)&far, len) == 0 &&
                   listen(*ret_listener, 1) == 0 &&
                   getsockname(*ret_listener, (struct sockaddr *)&far, &len) == 0 &&
                   bind(client, (struct sockaddr *)&near, len) == 0 &&
                   connect(client, (struct sockaddr *)&far, len) == 0;
    return is_well ? client : -1;
}

struct crossing {
    uint32_t from, to;
    bool has_addresses; /* there, too */
    enum oc_code expected;
};

/* 0: as expected. */
static int check_from_another_network(const struct crossing *c) {
    unsigned uid = getuid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0 || !map_user(uid) || !add_addresses()) {
        return 1;
    }
    int listener, client = connect_between(c->from, c->to, &listener);
    uid_t whose;
    if (client < 0 || unshare(CLONE_NEWNET) != 0 || (c->has_addresses && !add_addresses())) {
        return 2;
    }
    if (os_peer(client, &whose) != OS_PEER_UNSEEN) {
        return 3;
    }
    struct oc_error err = { 0 };
    enum oc_code rc = oc_peer_check(client, NULL, &err);
    bool is_told = rc == OC_OK || strstr(err.text, "holds that address of this machine and hides");
    return rc == c->expected && is_told ? 0 : 4;
}

static void expect_crossing(struct crossing c) {
    pid_t pid = fork();
    if (pid == 0) {
        _exit(check_from_another_network(&c));
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* The kernel sees nobody there, and yet it is this machine: that is no other one, of which it could
 * not know. */
static void test_who_is_unseen_at_an_address_of_ours_is_refused(void **state) {
    (void)state;
    expect_crossing((struct crossing){
            .from = INADDR_LOOPBACK, .to = INADDR_LOOPBACK + 1, .expected = OC_E_UNAVAILABLE });
    expect_crossing((struct crossing){
            .from = OWN_1, .to = OWN_1 + 1, .has_addresses = true, .expected = OC_E_UNAVAILABLE });
    expect_crossing((struct crossing){ .from = OWN_1, .to = OWN_1, .expected = OC_E_UNAVAILABLE });
}

static void test_who_is_unseen_at_a_foreign_address_is_another_machine(void **state) {
    (void)state;
    expect_crossing((struct crossing){ .from = OWN_1, .to = OWN_1 + 1, .expected = OC_OK });
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_gateways),
        cmocka_unit_test(test_own_sockets_are_ours),
        cmocka_unit_test(test_who_hides_at_another_address_of_ours_is_refused),
        cmocka_unit_test(test_who_is_unseen_at_an_address_of_ours_is_refused),
        cmocka_unit_test(test_who_is_unseen_at_a_foreign_address_is_another_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
