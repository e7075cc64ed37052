/* Which gateway counts as the owner's own: every doubt must end in no. */
#include "tests/unit/unit.h"

#include "lib/files/file.h"
#include "node/link/own_gateway.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct place {
    char *dir, *lock;
    int listener, client, peer, lock_fd;
    unsigned port;
};

static int setup(void **state) {
    struct place *p = oc_new(struct place);
    *state = p;
    if (oc_temp_setup((void **)&p->dir) != 0) {
        return -1;
    }
    p->lock = oc_path_join(p->dir, OC_GATEWAY_LOCK_NAME);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(a);
    p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    p->client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(p->listener, (struct sockaddr *)&a, len) != 0 || listen(p->listener, 1) != 0 ||
            getsockname(p->listener, (struct sockaddr *)&a, &len) != 0 ||
            connect(p->client, (struct sockaddr *)&a, len) != 0) {
        return -1;
    }
    p->peer = accept(p->listener, NULL, NULL);
    p->port = ntohs(a.sin_port);
    p->lock_fd = -1;
    return p->peer >= 0 ? 0 : -1;
}

static int teardown(void **state) {
    struct place *p = *state;
    close(p->listener);
    close(p->client);
    if (p->peer >= 0) {
        close(p->peer);
    }
    if (p->lock_fd >= 0) {
        close(p->lock_fd);
    }
    oc_free(p->lock);
    int rc = oc_temp_teardown((void **)&p->dir);
    oc_free(p);
    return rc;
}

/* As a gateway does it. */
static void hold_lock(struct place *p, long pid, unsigned port) {
    OC_AUTO_FREE char *text = oc_strfmt("%ld\n%u\n", pid, port);
    oc_write_text(p->lock, text);
    assert_int_equal(chmod(p->lock, 0600), 0);
    p->lock_fd = open(p->lock, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(p->lock_fd, LOCK_EX | LOCK_NB), 0);
}

static void the_gateway_of_this_place_is_ours(void **state) {
    struct place *p = *state;
    hold_lock(p, (long)getpid(), p->port);
    assert_true(nd_own_gateway(p->dir, p->client));
}

/* ssh -L: the port is on loopback and this user's, but no gateway of this place is behind it. */
static void a_tunnel_of_the_same_user_is_not(void **state) {
    struct place *p = *state;
    assert_false(nd_own_gateway(p->dir, p->client));
}

/* The gateway's port on another loopback address, or taken over while the gateway was away: the
 * number is the gateway's, the socket is another process's. */
static void a_forwarder_with_the_gateways_port_is_not(void **state) {
    struct place *p = *state;
    hold_lock(p, (long)getpid(), p->port);
    int ready[2], go[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go), 0);
    pid_t forwarder = fork(); /* has the connection, and not the lock */
    assert_true(forwarder >= 0);
    if (forwarder == 0) {
        close(p->lock_fd);
        close(p->client);
        close(go[1]);
        bool is_told = write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 0;
        _exit(is_told ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(nd_own_gateway(p->dir, p->client)); /* we have it, too */
    close(p->peer);
    p->peer = -1;
    assert_false(nd_own_gateway(p->dir, p->client));
    close(go[1]);
    int status;
    assert_int_equal(waitpid(forwarder, &status, 0), forwarder);
    assert_int_equal(status, 0);
    close(go[0]);
    close(ready[0]);
    close(ready[1]);
}

static void a_connection_that_nobody_accepted_is_not(void **state) {
    struct place *p = *state;
    hold_lock(p, (long)getpid(), p->port);
    struct sockaddr_in a;
    socklen_t len = sizeof(a);
    OC_AUTO_FD int second = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&a, &len), 0);
    assert_int_equal(connect(second, (struct sockaddr *)&a, len), 0);
    assert_false(nd_own_gateway(p->dir, second));
    OC_AUTO_FD int accepted = accept(p->listener, NULL, NULL);
    assert_true(accepted >= 0);
    assert_true(nd_own_gateway(p->dir, second));
}

static void a_gateway_that_is_gone_is_not(void **state) {
    struct place *p = *state;
    hold_lock(p, (long)getpid(), p->port);
    assert_int_equal(flock(p->lock_fd, LOCK_UN), 0);
    assert_false(nd_own_gateway(p->dir, p->client));
    assert_int_equal(flock(p->lock_fd, LOCK_SH), 0); /* somebody else who looks */
    assert_false(nd_own_gateway(p->dir, p->client));
}

static void a_lock_of_somebody_else_is_not(void **state) {
    struct place *p = *state;
    hold_lock(p, (long)getppid(), p->port);
    assert_false(nd_own_gateway(p->dir, p->client));
}

static void a_lock_that_others_can_write_is_not(void **state) {
    struct place *p = *state;
    hold_lock(p, (long)getpid(), p->port);
    assert_int_equal(chmod(p->lock, 0622), 0);
    assert_false(nd_own_gateway(p->dir, p->client));
}

static void without_a_connection_there_is_none(void **state) {
    struct place *p = *state;
    hold_lock(p, (long)getpid(), p->port);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_false(nd_own_gateway(p->dir, -1));
    assert_false(nd_own_gateway(NULL, p->client));
    assert_false(nd_own_gateway(p->dir, pair[0]));
    close(pair[0]);
    close(pair[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_gateway_of_this_place_is_ours, setup, teardown),
        cmocka_unit_test_setup_teardown(a_tunnel_of_the_same_user_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(a_forwarder_with_the_gateways_port_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(a_connection_that_nobody_accepted_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gateway_that_is_gone_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lock_of_somebody_else_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lock_that_others_can_write_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(without_a_connection_there_is_none, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
