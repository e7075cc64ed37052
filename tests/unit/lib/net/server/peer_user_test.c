/* Who is on the other end of a connection within this machine: a real one of ours, one of nobody's,
 * and a stranger's. */
#include "lib/net/server/peer_user.h"

#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define STRANGER 64123U

static int listen_here(struct sockaddr_in *ret) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof(*ret);
    *ret = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    assert_int_equal(bind(fd, (struct sockaddr *)ret, len), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)ret, &len), 0);
    return fd;
}

static int connect_here(const struct sockaddr_in *to) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return connect(fd, (const struct sockaddr *)to, sizeof(*to)) == 0 ? fd : -1;
}

static void the_same_user_is_known(void **state) {
    (void)state;
    struct sockaddr_in at;
    OC_AUTO_FD int listener = listen_here(&at), client = connect_here(&at);
    OC_AUTO_FD int served = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(served >= 0 && client >= 0);
    assert_true(oc_peer_is_this_user(&(struct oc_peer){ .is_loopback = true, .fd = served }));
    /* another machine may have the same number for us */
    assert_false(oc_peer_is_this_user(&(struct oc_peer){ .is_loopback = false, .fd = served }));
}

static void the_kernel_is_asked_once(void **state) {
    (void)state;
    struct sockaddr_in at;
    OC_AUTO_FD int listener = listen_here(&at), client = connect_here(&at);
    OC_AUTO_FD int served = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    enum oc_peer_memo memo = OC_PEER_NOT_ASKED;
    struct oc_peer peer = { .is_loopback = true, .fd = served, .memo = &memo };
    assert_true(oc_peer_is_this_user(&peer));
    assert_int_equal(memo, OC_PEER_IS_THIS_USER);
    peer.fd = -1; /* of which the kernel knows nothing */
    assert_true(oc_peer_is_this_user(&peer));
    memo = OC_PEER_NOT_ASKED;
    assert_false(oc_peer_is_this_user(&peer));
    peer.fd = served;
    assert_false(oc_peer_is_this_user(&peer));
    assert_true(client >= 0);
}

static void who_is_not_known_is_nobody(void **state) {
    (void)state;
    struct sockaddr_in at;
    OC_AUTO_FD int listener = listen_here(&at);
    assert_false(oc_peer_is_this_user(&(struct oc_peer){ .is_loopback = true, .fd = -1 }));
    assert_false(oc_peer_is_this_user(&(struct oc_peer){ .is_loopback = true, .fd = listener }));
}

static void another_user_is_another(void **state) {
    (void)state;
    oc_need_root();
    struct sockaddr_in at;
    OC_AUTO_FD int listener = listen_here(&at);
    int hold[2];
    assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char end;
        close(hold[1]);
        bool is_fine = setuid(STRANGER) == 0 && connect_here(&at) >= 0;
        ssize_t n = read(hold[0], &end, 1);
        _exit(is_fine && n == 0 ? 0 : 1);
    }
    close(hold[0]);
    OC_AUTO_FD int served = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(served >= 0);
    assert_false(oc_peer_is_this_user(&(struct oc_peer){ .is_loopback = true, .fd = served }));
    close(hold[1]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_user_is_known),
        cmocka_unit_test(the_kernel_is_asked_once),
        cmocka_unit_test(who_is_not_known_is_nobody),
        cmocka_unit_test(another_user_is_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
