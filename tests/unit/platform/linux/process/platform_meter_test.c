/* What a tree uses up: all of its processes together, and what they share once. */
#include "platform/linux/process/meter.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MB = 1 << 20, PATIENCE = 3000 };

static pid_t children[8];
static int child_count;

/* A child that has done `work` by the time we go on, and then waits. */
static void start(void (*work)(void)) {
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work();
        if (write(ready[1], "x", 1) != 1) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    children[child_count++] = pid;
}

static int end_all(void **state) {
    (void)state;
    while (child_count > 0) {
        pid_t pid = children[--child_count];
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return 0;
}

static void have(size_t bytes, int flags) {
    void *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED) {
        _exit(1);
    }
    memset(m, 1, bytes);
}

static void have_data(void) {
    have((size_t)40 * MB, MAP_PRIVATE);
}

static void have_shared(void) {
    have((size_t)40 * MB, MAP_SHARED);
}

static void have_nothing(void) {
}

static void expect_at(int64_t limit_mb, enum os_limit wanted) {
    assert_int_equal(os_meter_read(&(struct os_limits){ .memory_bytes = limit_mb * MB }), wanted);
}

static void processes_add_up(void **state) {
    (void)state;
    start(have_data);
    expect_at(70, OS_LIMIT_NONE);
    start(have_data);
    expect_at(70, OS_LIMIT_MEMORY);
    expect_at(200, OS_LIMIT_NONE);
}

static void shared_memory_counts(void **state) {
    (void)state;
    start(have_shared);
    start(have_shared);
    expect_at(70, OS_LIMIT_MEMORY);
}

/* Each of four says that it has all of it. */
static void what_several_share_counts_once(void **state) {
    (void)state;
    void *inherited =
            mmap(NULL, (size_t)40 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(inherited != MAP_FAILED);
    memset(inherited, 1, (size_t)40 * MB);
    for (int i = 0; i < 4; i++) {
        start(have_nothing);
    }
    expect_at(70, OS_LIMIT_NONE);
    munmap(inherited, (size_t)40 * MB);
}

static void burn(void) {
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile unsigned i = 0;; i = i + 1) {
        }
    }
}

/* Those who are there, at any depth. Waiting is bounded, not measured. */
static void processor_time_adds_up(void **state) {
    (void)state;
    const struct os_limits little = { .cpu_seconds = 1 }, much = { .cpu_seconds = 10000 };
    assert_int_equal(os_meter_read(&little), OS_LIMIT_NONE);
    for (int i = 0; i < 4; i++) {
        start(burn);
    }
    enum os_limit over = OS_LIMIT_NONE;
    for (int i = 0; i < PATIENCE && over == OS_LIMIT_NONE; i++) {
        poll(NULL, 0, 10);
        over = os_meter_read(&little);
    }
    assert_int_equal(over, OS_LIMIT_CPU);
    assert_int_equal(os_meter_read(&much), OS_LIMIT_NONE);
    end_all(state);
}

#define TEST(f) cmocka_unit_test_teardown(f, end_all)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(processes_add_up),
        TEST(shared_memory_counts),
        TEST(what_several_share_counts_once),
        TEST(processor_time_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
