/* Real sockets and real users. Root becomes another user; everybody looks at their own sockets from
 * a user namespace, where the same user has another number or none. */
#include "platform/linux/peer.h"
#include "platform/platform.h"

#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#define STRANGER 64123U /* nobody's number */

typedef bool ask_fn(int fd, uid_t *ret_uid);
static ask_fn *const ways[] = { os_peer_uid, os_linux_peer_uid_netlink, os_linux_peer_uid_proc };

struct place {
    struct sockaddr_storage addr;
    socklen_t len;
};

static struct place tcp_place(int family) {
    struct place p = { 0 };
    if (family == AF_INET) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)&p.addr;
        *v4 = (struct sockaddr_in){ .sin_family = AF_INET,
            .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        p.len = sizeof(*v4);
    } else {
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&p.addr;
        *v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
        p.len = sizeof(*v6);
    }
    return p;
}

/* At any free port; the place is told. */
static int listen_at(struct place *p) {
    int fd = socket(p->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&p->addr, p->len), 0);
    assert_int_equal(listen(fd, 8), 0);
    p->len = sizeof(p->addr);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&p->addr, &p->len), 0);
    return fd;
}

static int connect_to(const struct place *p) {
    int fd = socket(p->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&p->addr, p->len), 0);
    return fd;
}

static void assert_owner(int fd, uid_t expected) {
    for (size_t i = 0; i < OC_COUNT(ways); i++) {
        uid_t uid = STRANGER + 1;
        assert_true(ways[i](fd, &uid));
        assert_int_equal(uid, expected);
    }
}

static void assert_unknown(int fd) {
    for (size_t i = 0; i < OC_COUNT(ways); i++) {
        uid_t uid;
        assert_false(ways[i](fd, &uid));
    }
}

static void test_own_sockets(void **state) {
    (void)state;
    static const int families[] = { AF_INET, AF_INET6 };
    for (size_t i = 0; i < OC_COUNT(families); i++) {
        struct place place = tcp_place(families[i]);
        OC_AUTO_FD int listener = listen_at(&place);
        OC_AUTO_FD int client = connect_to(&place);
        assert_owner(client, getuid()); /* not accepted yet */
        OC_AUTO_FD int server = accept(listener, NULL, NULL);
        assert_true(server >= 0);
        assert_owner(client, getuid());
        assert_owner(server, getuid());
        assert_unknown(listener);
    }
}

static void test_v4_client_of_a_v6_server(void **state) {
    (void)state;
    struct place any = tcp_place(AF_INET6);
    ((struct sockaddr_in6 *)&any.addr)->sin6_addr = in6addr_any;
    OC_AUTO_FD int listener = listen_at(&any);
    struct place v4 = tcp_place(AF_INET);
    ((struct sockaddr_in *)&v4.addr)->sin_port = ((struct sockaddr_in6 *)&any.addr)->sin6_port;
    OC_AUTO_FD int client = connect_to(&v4);
    assert_owner(client, getuid());
    OC_AUTO_FD int server = accept(listener, NULL, NULL);
    assert_owner(client, getuid());
    assert_owner(server, getuid());
}

/* What a closed socket leaves behind has uid 0 in the kernel's lists, which is not root. */
static void test_closed_sockets_belong_to_nobody(void **state) {
    (void)state;
    struct place place = tcp_place(AF_INET);
    int listener = listen_at(&place);
    OC_AUTO_FD int client = connect_to(&place);
    int server = accept(listener, NULL, NULL);
    uid_t uid;
    (void)close(server);
    assert_unknown(client); /* the server's end is in FIN_WAIT2 */
    assert_int_equal(os_peer(client, &uid), OS_PEER_HIDDEN);
    OC_AUTO_FD int second = connect_to(&place);
    (void)close(listener);
    assert_unknown(second); /* was never accepted, and cannot be now */

    struct place again = tcp_place(AF_INET);
    OC_AUTO_FD int again_listener = listen_at(&again);
    int gone = connect_to(&again);
    OC_AUTO_FD int left = accept(again_listener, NULL, NULL);
    (void)close(gone);
    assert_unknown(left);
}

/* Who has closed one half still hears the other. */
static void test_half_closed_sockets_have_an_owner(void **state) {
    (void)state;
    struct place place = tcp_place(AF_INET);
    OC_AUTO_FD int listener = listen_at(&place);
    OC_AUTO_FD int client = connect_to(&place);
    OC_AUTO_FD int server = accept(listener, NULL, NULL);
    assert_int_equal(shutdown(server, SHUT_WR), 0);
    assert_owner(client, getuid()); /* FIN_WAIT2 */
    assert_owner(server, getuid()); /* CLOSE_WAIT */
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    uid_t uid;
    assert_false(os_linux_peer_uid_netlink(client, &uid)); /* TIME_WAIT */
}

/* It is being made for as long as the client says nothing, though for the client it is there. */
static void test_who_puts_off_accepting_is_known(void **state) {
    (void)state;
    struct place place = tcp_place(AF_INET);
    OC_AUTO_FD int listener = listen_at(&place);
    assert_int_equal(
            setsockopt(listener, IPPROTO_TCP, TCP_DEFER_ACCEPT, &(int){ 30 }, sizeof(int)), 0);
    OC_AUTO_FD int client = connect_to(&place);
    assert_owner(client, getuid());
    assert_int_equal(write(client, "x", 1), 1);
    OC_AUTO_FD int server = accept(listener, NULL, NULL);
    assert_owner(client, getuid());
    assert_owner(server, getuid());
}

static void test_another_network_is_not_seen(void **state) {
    (void)state;
    struct place place = tcp_place(AF_INET);
    OC_AUTO_FD int listener = listen_at(&place);
    OC_AUTO_FD int client = connect_to(&place);
    OC_AUTO_FD int server = accept(listener, NULL, NULL);
    assert_true(server >= 0);
    pid_t pid = fork();
    if (pid == 0) {
        uid_t uid;
        _exit(unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0  ? 1
                : os_peer(client, &uid) != OS_PEER_UNSEEN ? 2
                                                          : 0);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_unix_sockets(void **state) {
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    uid_t uid = STRANGER;
    assert_true(os_peer_uid(pair[0], &uid));
    assert_int_equal(uid, getuid());
    (void)close(pair[0]);
    (void)close(pair[1]);

    struct place place = { .len = sizeof(struct sockaddr_un) };
    struct sockaddr_un *un = (struct sockaddr_un *)&place.addr;
    un->sun_family = AF_UNIX;
    (void)snprintf(un->sun_path, sizeof(un->sun_path), "%s/s", (char *)*state);
    OC_AUTO_FD int listener = listen_at(&place);
    assert_true(listener >= 0);
    uid = STRANGER;
    OC_AUTO_FD int client = connect_to(&place);
    assert_true(os_peer_uid(client, &uid));
    assert_int_equal(uid, getuid());
    OC_AUTO_FD int unconnected = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_false(os_peer_uid(unconnected, &uid));
}

static void test_no_sockets(void **state) {
    (void)state;
    OC_AUTO_FD int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    OC_AUTO_FD int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    OC_AUTO_FD int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct place place = tcp_place(AF_INET);
    ((struct sockaddr_in *)&place.addr)->sin_port = htons(9);
    assert_int_equal(connect(udp, (struct sockaddr *)&place.addr, place.len), 0);
    assert_unknown(null);
    assert_unknown(tcp);
    assert_unknown(udp);
    assert_unknown(-1);
}

/* ---- other users ---- */

static void wait_well(pid_t pid) {
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Root becomes somebody else, listens, and connects to us. */
static void stranger(int listener, int to_parent, const struct place *ours) {
    struct place place = tcp_place(AF_INET);
    bool is_well = setgid(STRANGER) == 0 && setuid(STRANGER) == 0;
    int own = is_well ? socket(AF_INET, SOCK_STREAM, 0) : -1;
    is_well = own >= 0 && bind(own, (struct sockaddr *)&place.addr, place.len) == 0 &&
              listen(own, 8) == 0;
    place.len = sizeof(place.addr);
    is_well = is_well && getsockname(own, (struct sockaddr *)&place.addr, &place.len) == 0;
    int back = socket(AF_INET, SOCK_STREAM, 0);
    is_well = is_well && connect(back, (const struct sockaddr *)&ours->addr, ours->len) == 0;
    /* It has our listening socket, too (inherited): what it accepts there is its own. */
    is_well = is_well && accept(listener, NULL, NULL) >= 0;
    is_well = is_well && write(to_parent, &place, sizeof(place)) == sizeof(place);
    char byte;
    is_well = is_well && read(back, &byte, 1) == 1; /* the parent is done */
    _exit(is_well ? 0 : 1);
}

static void test_who_holds_a_port(void **state) {
    (void)state;
    struct place place = tcp_place(AF_INET);
    OC_AUTO_FD int listener = listen_at(&place);
    assert_true(listener >= 0);
    uid_t uid = STRANGER;
    assert_true(os_port_holder((struct sockaddr *)&place.addr, place.len, &uid));
    assert_int_equal(uid, getuid());
    struct place other = tcp_place(AF_INET6);
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&other.addr;
    v6->sin6_port = ((struct sockaddr_in *)&place.addr)->sin_port;
    assert_false(os_port_holder((struct sockaddr *)&other.addr, other.len, &uid));
    v6->sin6_addr = in6addr_any; /* which may want IPv4, too */
    assert_true(os_port_holder((struct sockaddr *)&other.addr, other.len, &uid));
    ((struct sockaddr_in *)&place.addr)->sin_addr.s_addr = htonl(INADDR_ANY);
    assert_true(os_port_holder((struct sockaddr *)&place.addr, place.len, &uid));
    ((struct sockaddr_in *)&place.addr)->sin_addr.s_addr = htonl(0x7f000002);
    assert_false(os_port_holder((struct sockaddr *)&place.addr, place.len, &uid));
}

static void test_another_user_is_told(void **state) {
    (void)state;
    oc_need_root();
    struct place shared = tcp_place(AF_INET), ours = tcp_place(AF_INET), theirs;
    OC_AUTO_FD int listener = listen_at(&shared);
    OC_AUTO_FD int our_listener = listen_at(&ours);
    OC_AUTO_FD int to_shared = connect_to(&shared);
    int pipe_fds[2];
    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        stranger(listener, pipe_fds[1], &ours);
    }
    (void)close(pipe_fds[1]);
    assert_int_equal(read(pipe_fds[0], &theirs, sizeof(theirs)), sizeof(theirs));
    (void)close(pipe_fds[0]);
    OC_AUTO_FD int from_them = accept(our_listener, NULL, NULL);
    assert_owner(from_them, STRANGER);
    assert_owner(to_shared, STRANGER);
    OC_AUTO_FD int to_them = connect_to(&theirs);
    assert_owner(to_them, STRANGER); /* in the queue of the stranger's listening socket */
    assert_int_equal(write(from_them, "x", 1), 1);
    wait_well(pid);
}

static bool write_map(const char *file, const char *text) {
    int fd = open(file, O_WRONLY | O_CLOEXEC);
    bool is_well = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    (void)close(fd);
    return is_well;
}

/* 0: as expected. Everything was ours before we went into the namespace. */
static int look_from_namespace(int client, const char *map, bool is_known, uid_t expected) {
    if (unshare(CLONE_NEWUSER) != 0) {
        return 1;
    }
    if (map && !write_map("/proc/self/uid_map", map)) {
        return 2;
    }
    for (size_t i = 0; i < OC_COUNT(ways); i++) {
        uid_t uid = STRANGER + 1;
        if (ways[i](client, &uid) != is_known || (is_known && uid != expected)) {
            return 3 + (int)i;
        }
    }
    return 0;
}

static void test_other_numbers(void **state) {
    (void)state;
    struct place place = tcp_place(AF_INET);
    OC_AUTO_FD int listener = listen_at(&place);
    OC_AUTO_FD int client = connect_to(&place);
    OC_AUTO_FD int server = accept(listener, NULL, NULL);
    assert_true(server >= 0);
    OC_AUTO_FREE char *map = oc_strfmt("%u %u 1\n", STRANGER, getuid());
    pid_t pid = fork();
    if (pid == 0) {
        _exit(look_from_namespace(client, map, true, STRANGER));
    }
    wait_well(pid);
    /* Without a number all users are "nobody", we among them: that tells nothing. */
    pid = fork();
    if (pid == 0) {
        _exit(look_from_namespace(client, NULL, false, 0));
    }
    wait_well(pid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_sockets),
        cmocka_unit_test(test_v4_client_of_a_v6_server),
        cmocka_unit_test(test_closed_sockets_belong_to_nobody),
        cmocka_unit_test(test_half_closed_sockets_have_an_owner),
        cmocka_unit_test(test_who_puts_off_accepting_is_known),
        cmocka_unit_test(test_another_network_is_not_seen),
        cmocka_unit_test_setup_teardown(test_unix_sockets, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test(test_no_sockets),
        cmocka_unit_test(test_who_holds_a_port),
        cmocka_unit_test(test_another_user_is_told),
        cmocka_unit_test(test_other_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
