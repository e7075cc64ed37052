#include "tests/unit/unit.h"

#include "lib/net/loop/sd_notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The manager's end. */
struct manager {
    int fd;
    char name[64]; /* as in NOTIFY_SOCKET */
};

static void listen_at(struct manager *m, const char *name) {
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    size_t len = strlen(name);
    snprintf(m->name, sizeof(m->name), "%s", name);
    memcpy(at.sun_path, name, len);
    if (name[0] == '@') {
        at.sun_path[0] = '\0';
    }
    m->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(m->fd, (const struct sockaddr *)&at,
                             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)),
            0);
    assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
}

/* "" when nothing waits. */
static const char *heard(const struct manager *m) {
    static char text[1024];
    ssize_t n = recv(m->fd, text, sizeof(text) - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static struct oc_loop *make_loop(void) {
    struct oc_loop *loop = NULL;
    struct oc_error err;
    assert_int_equal(oc_loop_create(&oc_clock_system, &loop, &err), OC_OK);
    return loop;
}

static void tell_all(const char *name) {
    struct manager m;
    listen_at(&m, name);
    struct oc_loop *loop = make_loop();
    struct oc_sd_notify *n = oc_sd_notify_create(loop);
    assert_null(getenv("NOTIFY_SOCKET"));
    assert_string_equal(heard(&m), "");
    oc_sd_notify_status(n, "connecting");
    assert_string_equal(heard(&m), "STATUS=connecting\n");
    oc_sd_notify_ready(n, "connected");
    assert_string_equal(heard(&m), "READY=1\nSTATUS=connected\n");
    oc_sd_notify_ready(n, "connected"); /* nothing new */
    assert_string_equal(heard(&m), "");
    oc_sd_notify_ready(n, "waiting");
    assert_string_equal(heard(&m), "STATUS=waiting\n");
    oc_sd_notify_stopping(n);
    assert_string_equal(heard(&m), "STOPPING=1\nSTATUS=waiting\n");
    oc_sd_notify_destroy(n);
    oc_loop_destroy(loop);
    close(m.fd);
}

static void sockets_with_a_path(void **state) {
    (void)state;
    char dir[] = "/tmp/oc-notify-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/notify", dir);
    tell_all(path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

static void sockets_without_a_path(void **state) {
    (void)state;
    char name[64];
    snprintf(name, sizeof(name), "@oc-notify-test-%d", (int)getpid());
    tell_all(name);
}

static void without_a_manager_nothing_happens(void **state) {
    (void)state;
    static const char *const names[] = { "", "relative", "@", "vsock:2:1", "/nowhere/at/all" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        assert_int_equal(setenv("NOTIFY_SOCKET", names[i], 1), 0);
        struct oc_loop *loop = make_loop();
        struct oc_sd_notify *n = oc_sd_notify_create(loop);
        oc_sd_notify_ready(n, "ready");
        oc_sd_notify_stopping(n);
        assert_null(getenv("NOTIFY_SOCKET"));
        oc_sd_notify_destroy(n);
        oc_loop_destroy(loop);
    }
}

/* A status can hold words of a gateway, which must not become assignments. */
static void a_status_is_one_line(void **state) {
    (void)state;
    OC_AUTO_FREE char *bad = oc_sd_notify_text(false, false, "reason\nMAINPID=1\nFDSTORE=1");
    assert_ptr_equal(strchr(bad, '\n'), bad + strlen(bad) - 1);
    OC_AUTO_FREE char *fix =
            oc_sd_notify_text(false, false, "cannot connect\n  fix: do this\nREADY=1");
    assert_string_equal(fix, "STATUS=cannot connect; fix: do this\\nREADY=1\n");
    OC_AUTO_FREE char *none = oc_sd_notify_text(true, true, NULL);
    assert_string_equal(none, "READY=1\nSTOPPING=1\n");
}

/* What came while the manager's queue was full comes when there is room. */
static void nothing_is_lost_when_the_queue_is_full(void **state) {
    (void)state;
    struct manager m;
    char name[64];
    snprintf(name, sizeof(name), "@oc-notify-full-%d", (int)getpid());
    listen_at(&m, name);
    struct oc_loop *loop = make_loop();
    struct oc_sd_notify *n = oc_sd_notify_create(loop);
    for (int i = 0; i < 5000; i++) { /* far beyond net.unix.max_dgram_qlen */
        char status[16];
        snprintf(status, sizeof(status), "%d", i);
        oc_sd_notify_status(n, status);
    }
    oc_sd_notify_ready(n, "there");
    bool has_come = false;
    while (!has_come) {
        const char *text = heard(&m);
        has_come = strcmp(text, "READY=1\nSTATUS=there\n") == 0;
        if (!*text) {
            oc_loop_step(loop, 1000);
        }
    }
    oc_sd_notify_destroy(n);
    oc_loop_destroy(loop);
    close(m.fd);
}

static void watch(const char *usec, const char *pid, bool is_fed) {
    struct manager m;
    char name[64];
    snprintf(name, sizeof(name), "@oc-notify-dog-%d", (int)getpid());
    listen_at(&m, name);
    assert_int_equal(setenv("WATCHDOG_USEC", usec, 1), 0);
    if (pid) {
        assert_int_equal(setenv("WATCHDOG_PID", pid, 1), 0);
    }
    struct oc_loop *loop = make_loop();
    struct oc_sd_notify *n = oc_sd_notify_create(loop);
    assert_null(getenv("WATCHDOG_USEC"));
    assert_null(getenv("WATCHDOG_PID"));
    for (int times = 0; is_fed && times < 3;) { /* again and again */
        oc_loop_step(loop, 1000);
        const char *text = heard(&m);
        assert_true(!*text || strcmp(text, "WATCHDOG=1\n") == 0);
        times += *text != '\0';
    }
    if (!is_fed) {
        oc_loop_step(loop, 0);
        assert_string_equal(heard(&m), "");
    }
    oc_sd_notify_destroy(n);
    oc_loop_destroy(loop);
    close(m.fd);
}

static void the_watchdog_is_fed(void **state) {
    (void)state;
    char own[16];
    snprintf(own, sizeof(own), "%d", (int)getpid());
    watch("20000", NULL, true);
    watch("1", own, true);
    watch("20000", "1", false);
    watch("0", NULL, false);
    watch("-5", NULL, false);
    watch("nonsense", NULL, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sockets_with_a_path),
        cmocka_unit_test(sockets_without_a_path),
        cmocka_unit_test(without_a_manager_nothing_happens),
        cmocka_unit_test(a_status_is_one_line),
        cmocka_unit_test(nothing_is_lost_when_the_queue_is_full),
        cmocka_unit_test(the_watchdog_is_fed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
