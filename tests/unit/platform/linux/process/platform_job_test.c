/* What a waiting supervisor is told comes out as it went in, or not at all. */
#include "platform/linux/process/job.h"

#include "lib/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static struct os_job job, got;
static const char *words[OS_JOB_WORDS];

static const char *const argv[] = { "my name", "", "-c", "a\nb", NULL };
static const char *const env[] = { "A=b", "EMPTY=", NULL };

static void comes_out_as_it_went_in(void **state) {
    (void)state;
    struct os_tty_size size = { .columns = 80, .rows = 24 };
    struct os_spawn_opts in = { .path = "/bin/sh",
        .argv = argv,
        .env = env,
        .cwd = "/tmp",
        .tty = &size,
        .outlives = true },
                         out;
    assert_true(os_job_write(&in, &job));
    assert_true(os_job_read(&job, words, &out));
    assert_string_equal(out.path, "/bin/sh");
    assert_string_equal(out.cwd, "/tmp");
    assert_non_null(out.tty);
    assert_true(out.outlives);
    for (size_t i = 0; i < OC_COUNT(argv) - 1; i++) {
        assert_string_equal(out.argv[i], argv[i]);
    }
    assert_null(out.argv[OC_COUNT(argv) - 1]);
    assert_string_equal(out.env[0], "A=b");
    assert_string_equal(out.env[1], "EMPTY=");
    assert_null(out.env[2]);
}

static void what_is_absent_stays_absent(void **state) {
    (void)state;
    struct os_spawn_opts in = { .path = "/bin/true", .argv = argv }, out;
    assert_true(os_job_write(&in, &job));
    assert_true(os_job_read(&job, words, &out));
    assert_null(out.cwd);
    assert_null(out.tty);
    assert_null(out.env[0]);
    assert_false(out.outlives);
}

static void what_does_not_fit_is_not_written(void **state) {
    (void)state;
    OC_AUTO_FREE char *large = oc_alloc(OS_JOB_BYTES + 1);
    memset(large, 'x', OS_JOB_BYTES);
    large[OS_JOB_BYTES] = '\0';
    const char *one[] = { large, NULL };
    assert_false(os_job_write(&(struct os_spawn_opts){ .path = "/x", .argv = one }, &job));
    assert_false(
            os_job_write(&(struct os_spawn_opts){ .path = "/x", .argv = argv, .env = one }, &job));
    OC_AUTO_FREE const char **many = oc_new_array(const char *, OS_JOB_WORDS);
    for (size_t i = 0; i < OS_JOB_WORDS - 1; i++) {
        many[i] = "a";
    }
    assert_false(os_job_write(&(struct os_spawn_opts){ .path = "/x", .argv = many }, &job));
    many[OS_JOB_WORDS - 2] = NULL;
    struct os_spawn_opts out;
    assert_true(os_job_write(&(struct os_spawn_opts){ .path = "/x", .argv = many }, &job));
    assert_true(os_job_read(&job, words, &out));
}

/* Every beginning of a job, and a job with more behind it. */
static void half_a_job_is_none(void **state) {
    (void)state;
    struct os_spawn_opts in = { .path = "/bin/sh", .argv = argv, .env = env, .cwd = "/" }, out;
    assert_true(os_job_write(&in, &job));
    size_t len = job.len;
    for (job.len = 0; job.len < len; job.len++) {
        assert_false(os_job_read(&job, words, &out));
    }
    job.bytes[len] = '\0';
    job.len = len + 1;
    assert_false(os_job_read(&job, words, &out));
    memset(job.bytes, 0xff, sizeof(unsigned)); /* so many arguments */
    job.len = len;
    assert_false(os_job_read(&job, words, &out));
}

static void descriptors_come_along(void **state) {
    (void)state;
    int pair[2], pipes[OS_JOB_FDS][2], in[OS_JOB_FDS], out[OS_JOB_FDS];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    for (int i = 0; i < OS_JOB_FDS; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
        in[i] = pipes[i][1];
    }
    assert_true(os_job_write(&(struct os_spawn_opts){ .path = "/bin/sh", .argv = argv }, &job));
    assert_int_equal(os_job_send(pair[0], &job, in), 0);
    assert_true(os_job_receive(pair[1], &got, out));
    assert_int_equal(got.len, job.len);
    assert_memory_equal(got.bytes, job.bytes, job.len);
    for (int i = 0; i < OS_JOB_FDS; i++) {
        char byte = (char)('a' + i), back = 0;
        assert_int_equal(write(out[i], &byte, 1), 1);
        assert_int_equal(read(pipes[i][0], &back, 1), 1);
        assert_int_equal(back, byte);
        close(out[i]);
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
    assert_int_equal(send(pair[0], "k", 1, 0), 1); /* an order is no job */
    assert_false(os_job_receive(pair[1], &got, out));
    close(pair[0]);
    assert_false(os_job_receive(pair[1], &got, out));
    close(pair[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_out_as_it_went_in),
        cmocka_unit_test(what_is_absent_stays_absent),
        cmocka_unit_test(what_does_not_fit_is_not_written),
        cmocka_unit_test(half_a_job_is_none),
        cmocka_unit_test(descriptors_come_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
