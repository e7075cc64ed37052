#include "tests/unit/unit.h"

#include "lib/base/clock.h"
#include "lib/protocol/limits.h"
#include "node/call/answers.h"
#include "node/call/call.h"

struct fixture {
    struct oc_fake_clock clock;
    struct oc_answers *answers;
};

static int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 1000);
    f->answers = oc_answers_create(&f->clock.clock, NULL);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    oc_answers_destroy(f->answers);
    oc_free(f);
    return 0;
}

static struct oc_answer_query query(const char *key) {
    return (struct oc_answer_query){ .command = "system.run", .key = key, .params = SLICE("{}") };
}

static enum oc_answer_state find(struct fixture *f, const char *key, const struct oc_answer **ret) {
    struct oc_answer_query q = query(key);
    void *running = NULL;
    const struct oc_answer *answer = NULL;
    enum oc_answer_state s = oc_answers_find(f->answers, &q, &running, ret ? ret : &answer);
    if (s == OC_ANSWER_RUNNING) {
        assert_non_null(running);
    }
    return s;
}

static void add(struct fixture *f, const char *key, size_t bytes) {
    struct oc_answer_query q = query(key);
    struct oc_answer_slot *slot = oc_answers_begin(f->answers, &q, f);
    char *text = oc_alloc(bytes + 1);
    memset(text, 'x', bytes);
    struct oc_blob *payload = oc_blob_take(text, bytes);
    oc_answers_end(f->answers, slot, &(struct oc_answer){ .ok = true, .payload = payload });
    oc_blob_unref(payload);
}

static void life_of_a_key(void **state) {
    struct fixture *f = *state;
    assert_int_equal(find(f, "k", NULL), OC_ANSWER_NEW);
    assert_int_equal(find(f, "k", NULL), OC_ANSWER_NEW); /* looking is not taking */
    struct oc_answer_query q = query("k");
    struct oc_answer_slot *slot = oc_answers_begin(f->answers, &q, f);
    assert_int_equal(find(f, "k", NULL), OC_ANSWER_RUNNING);
    /* However long it runs. */
    oc_fake_clock_advance(&f->clock, 10 * OC_IDEMPOTENCY_TTL_MS);
    assert_int_equal(find(f, "k", NULL), OC_ANSWER_RUNNING);
    char code[] = "CODE", message[] = "text";
    oc_answers_end(f->answers, slot, &(struct oc_answer){ .code = code, .message = message });
    const struct oc_answer *answer = NULL;
    assert_int_equal(find(f, "k", &answer), OC_ANSWER_KNOWN);
    assert_false(answer->ok);
    assert_string_equal(answer->code, "CODE");
    assert_string_equal(answer->message, "text");
    oc_fake_clock_advance(&f->clock, OC_IDEMPOTENCY_TTL_MS - 1);
    assert_int_equal(find(f, "k", NULL), OC_ANSWER_KNOWN);
    oc_fake_clock_advance(&f->clock, 1);
    assert_int_equal(find(f, "k", NULL), OC_ANSWER_NEW);
}

static void a_key_belongs_to_one_request(void **state) {
    struct fixture *f = *state;
    add(f, "k", 1);
    void *running;
    const struct oc_answer *answer;
    struct oc_answer_query other_params = {
        .command = "system.run", .key = "k", .params = SLICE("{\"a\":1}")
    };
    assert_int_equal(
            oc_answers_find(f->answers, &other_params, &running, &answer), OC_ANSWER_OTHER_USE);
    struct oc_answer_query no_params = { .command = "system.run", .key = "k" };
    assert_int_equal(
            oc_answers_find(f->answers, &no_params, &running, &answer), OC_ANSWER_OTHER_USE);
    struct oc_answer_query other_command = {
        .command = "system.which", .key = "k", .params = SLICE("{}")
    };
    assert_int_equal(oc_answers_find(f->answers, &other_command, &running, &answer), OC_ANSWER_NEW);
}

static void large_answers_leave_only_the_fact(void **state) {
    struct fixture *f = *state;
    add(f, "fits", OC_MAX_REMEMBERED_BYTES);
    add(f, "large", OC_MAX_REMEMBERED_BYTES + 1);
    assert_int_equal(find(f, "fits", NULL), OC_ANSWER_KNOWN);
    assert_int_equal(find(f, "large", NULL), OC_ANSWER_NOT_KEPT);
}

static void all_answers_together_have_a_ceiling(void **state) {
    struct fixture *f = *state;
    size_t fit = OC_MAX_REMEMBERED_TOTAL / OC_MAX_REMEMBERED_BYTES;
    char key[16];
    for (size_t i = 0; i <= fit; i++) {
        snprintf(key, sizeof(key), "%zu", i);
        add(f, key, OC_MAX_REMEMBERED_BYTES);
    }
    assert_int_equal(find(f, "0", NULL), OC_ANSWER_NOT_KEPT);
    assert_int_equal(find(f, "1", NULL), OC_ANSWER_KNOWN);
    assert_int_equal(find(f, key, NULL), OC_ANSWER_KNOWN);
}

static void keys_have_a_ceiling(void **state) {
    struct fixture *f = *state;
    char key[16];
    for (int i = 0; i < OC_IDEMPOTENCY_MAX; i++) {
        assert_int_equal(find(f, "new", NULL), OC_ANSWER_NEW);
        snprintf(key, sizeof(key), "%d", i);
        add(f, key, 0);
    }
    assert_int_equal(find(f, "new", NULL), OC_ANSWER_FULL);
    assert_int_equal(find(f, "0", NULL), OC_ANSWER_KNOWN);
    assert_int_equal(find(f, key, NULL), OC_ANSWER_KNOWN);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(life_of_a_key),
        TEST(a_key_belongs_to_one_request),
        TEST(large_answers_leave_only_the_fact),
        TEST(all_answers_together_have_a_ceiling),
        TEST(keys_have_a_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
