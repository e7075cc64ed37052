/* Descriptors that come along with a message: all of them, or closed. */
#include "lib/files/pass_fds.h"

#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

struct ends {
    int socket[2], pipe[2];
};

static int setup(void **state) {
    struct ends *e = oc_new(struct ends);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, e->socket), 0);
    assert_int_equal(pipe2(e->pipe, O_CLOEXEC), 0);
    *state = e;
    return 0;
}

static int teardown(void **state) {
    struct ends *e = *state;
    for (int i = 0; i < 2; i++) {
        close(e->socket[i]);
        close(e->pipe[i]);
    }
    oc_free(e);
    return 0;
}

static int open_files(void) {
    int count = 0;
    for (int fd = 0; fd < 256; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

static void send_some(struct ends *e, const char *text, size_t count) {
    int fds[OC_MAX_PASSED_FDS] = { e->pipe[1], e->pipe[1], e->pipe[1], e->pipe[1] };
    assert_int_equal(oc_send_with_fds(e->socket[0], text, strlen(text), fds, count, 0),
            (ssize_t)strlen(text));
}

static void all_come(void **state) {
    struct ends *e = *state;
    for (size_t count = 0; count <= OC_MAX_PASSED_FDS; count++) {
        int fds[OC_MAX_PASSED_FDS];
        struct oc_received got;
        char text[16], byte = 0;
        send_some(e, "hello", count);
        assert_int_equal(oc_receive_with_fds(e->socket[1], text, sizeof(text), fds,
                                 OC_MAX_PASSED_FDS, MSG_CMSG_CLOEXEC, &got),
                5);
        assert_memory_equal(text, "hello", 5);
        assert_int_equal(got.count, count);
        assert_false(got.is_cut);
        for (size_t i = 0; i < count; i++) {
            assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
            assert_int_equal(write(fds[i], "x", 1), 1);
            assert_int_equal(read(e->pipe[0], &byte, 1), 1);
            close(fds[i]);
        }
    }
}

/* Whatever is sent, no more stay open than there is room for. */
static void those_beyond_are_closed(void **state) {
    struct ends *e = *state;
    for (size_t max = 1; max < OC_MAX_PASSED_FDS; max++) {
        int fds[OC_MAX_PASSED_FDS], before = open_files();
        struct oc_received got;
        char text[16];
        send_some(e, "hello", OC_MAX_PASSED_FDS);
        assert_int_equal(
                oc_receive_with_fds(e->socket[1], text, sizeof(text), fds, max, 0, &got), 5);
        assert_int_equal(open_files(), before + (int)max);
        assert_true(got.is_cut || got.count > max);
        for (size_t i = 0; i < max; i++) {
            close(fds[i]);
        }
    }
}

static void what_is_cut_is_told(void **state) {
    struct ends *e = *state;
    struct oc_received got;
    int fd;
    char text[4];
    send_some(e, "hello", 1);
    assert_int_equal(
            oc_receive_with_fds(e->socket[1], text, sizeof(text), &fd, 1, 0, &got), sizeof(text));
    assert_true(got.is_cut);
    assert_int_equal(got.count, 1);
    close(fd);
}

static void too_many_are_refused(void **state) {
    struct ends *e = *state;
    struct oc_received got;
    int fds[OC_MAX_PASSED_FDS + 1] = { 0 };
    char text[4];
    assert_int_equal(
            oc_send_with_fds(e->socket[0], "x", 1, fds, OC_MAX_PASSED_FDS + 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(oc_receive_with_fds(e->socket[1], text, sizeof(text), fds,
                             OC_MAX_PASSED_FDS + 1, MSG_DONTWAIT, &got),
            -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(
            oc_receive_with_fds(e->socket[1], text, sizeof(text), fds, 1, MSG_DONTWAIT, &got), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(got.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_come, setup, teardown),
        cmocka_unit_test_setup_teardown(those_beyond_are_closed, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_cut_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(too_many_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
