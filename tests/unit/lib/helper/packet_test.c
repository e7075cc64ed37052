/* Messages between our programs, with bytes along; and files below a folder, by names of
 * strangers. */
#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "lib/files/below.h"
#include "lib/helper/packet.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void messages_and_bytes(void **state) {
    (void)state;
    int ends[2];
    struct oc_slice text;
    struct oc_error err;
    OC_AUTO_FD int bytes = oc_sealed_create("hello", 5);
    int got = -1;
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "a", "b");
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    assert_int_equal(oc_packet_recv(ends[1], false, &text, &got), OC_PACKET_NONE);
    assert_int_equal(oc_packet_send(ends[0], o, bytes, &err), OC_OK);
    assert_int_equal(oc_packet_send(ends[0], o, -1, &err), OC_OK);
    assert_int_equal(oc_packet_recv(ends[1], true, &text, &got), OC_PACKET_GOT);
    assert_true(oc_slice_eq(text, "{\"a\":\"b\"}"));
    assert_true(got >= 0);
    OC_AUTO_BUF struct oc_buf read = { 0 };
    assert_int_equal(oc_sealed_read(got, 5, &read, &err), OC_OK);
    assert_string_equal(read.data, "hello");
    assert_true(write(got, "x", 1) < 0);
    assert_int_not_equal(oc_sealed_read(got, 4, &read, &err), OC_OK);
    close(got);
    assert_int_equal(oc_packet_recv(ends[1], true, &text, &got), OC_PACKET_GOT);
    assert_int_equal(got, -1);
    close(ends[0]);
    assert_int_equal(oc_packet_recv(ends[1], true, &text, &got), OC_PACKET_END);
    assert_int_equal(oc_packet_send(ends[1], o, -1, &err), OC_E_CLOSED);
    close(ends[1]);
}

static void too_much(void **state) {
    (void)state;
    int ends[2];
    struct oc_error err;
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject(), *small = cJSON_CreateObject();
    OC_AUTO_FREE char *text = oc_alloc(OC_MAX_PACKET + 1);
    memset(text, 'x', OC_MAX_PACKET);
    oc_json_set_str(o, "a", text);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    assert_int_equal(oc_packet_send(ends[0], o, -1, &err), OC_E_TOO_LARGE);
    enum oc_code rc = OC_OK;
    for (int i = 0; i < 100000 && rc == OC_OK; i++) {
        rc = oc_packet_send(ends[0], small, -1, &err);
    }
    assert_int_equal(rc, OC_E_UNAVAILABLE); /* nobody reads, and we do not wait */
    close(ends[0]);
    close(ends[1]);
}

static void only_what_is_sealed(void **state) {
    (void)state;
    OC_AUTO_FD int open_fd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    OC_AUTO_BUF struct oc_buf read = { 0 };
    struct oc_error err;
    size_t len;
    assert_int_equal(write(open_fd, "abc", 3), 3);
    assert_false(oc_sealed_check(open_fd, 100, &len));
    assert_int_not_equal(oc_sealed_read(open_fd, 100, &read, &err), OC_OK);
    assert_int_not_equal(oc_sealed_read(-1, 100, &read, &err), OC_OK);
    OC_AUTO_FD int empty = oc_sealed_create(NULL, 0);
    assert_int_equal(oc_sealed_read(empty, 100, &read, &err), OC_OK);
    assert_int_equal(read.len, 0);
}

static bool opens(const char *root, const char *path) {
    OC_AUTO_FD int fd = -1;
    struct oc_error err;
    return oc_file_open_below(root, path, &fd, &err) == OC_OK;
}

static void files_below(void **state) {
    (void)state;
    char root[] = "/tmp/oc-below-XXXXXX";
    assert_non_null(mkdtemp(root));
    OC_AUTO_FREE char *make =
            oc_strfmt("cd %s && mkdir -p in/sub && echo x >'in/sub/a b' && echo s >secret && echo "
                      "h >in/.hid && "
                      "ln -s ../secret in/link && ln -s .. in/up && mkfifo in/pipe",
                    root);
    assert_int_equal(system(make), 0);
    OC_AUTO_FREE char *in = oc_strfmt("%s/in", root);
    assert_true(opens(in, "sub/a%20b"));
    assert_true(opens(in, "/sub//a b"));
    static const char *const bad[] = { "", "/", "sub", "sub/", "sub/a%20b/", "nothing", "..",
        "../secret", "sub/../../secret", "%2e%2e/secret", "..%2fsecret", "sub%2fa b", "link",
        "up/secret", "pipe", ".hid", ".", "./sub/a b", "sub/a%00b", "sub/a%2", "sub/a%zzb",
        "/etc/passwd" };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        if (opens(in, bad[i])) {
            fail_msg("opened: '%s'", bad[i]);
        }
    }
    assert_false(opens("/no/such/folder", "x"));
    OC_AUTO_FREE char *remove_all = oc_strfmt("rm -r %s", root);
    assert_int_equal(system(remove_all), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_and_bytes),
        cmocka_unit_test(too_much),
        cmocka_unit_test(only_what_is_sealed),
        cmocka_unit_test(files_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
