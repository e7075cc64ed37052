#include "tests/unit/unit.h"

#include "lib/base/clock.h"
#include "lib/protocol/limits.h"
#include "node/call/answers.h"
#include "node/call/call.h"

struct fixture {
    struct oc_fake_clock clock;
    struct nd_answers *answers;
};

static int setup(void **state) {
    struct fixture *f = oc_new(struct fixture);
    oc_fake_clock_init(&f->clock, 1000);
    f->answers = nd_answers_create(&f->clock.clock, NULL);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    nd_answers_destroy(f->answers);
    oc_free(f);
    return 0;
}

static struct nd_answer_query query(const char *key) {
    return (struct nd_answer_query){ .command = "system.run", .key = key, .params = SLICE("{}") };
}

static enum nd_answer_state find(struct fixture *f, const char *key, const struct nd_answer **ret) {
    struct nd_answer_query q = query(key);
    void *running = NULL;
    const struct nd_answer *answer = NULL;
    enum nd_answer_state s = nd_answers_find(f->answers, &q, &running, ret ? ret : &answer);
    if (s == ND_ANSWER_RUNNING) {
        assert_non_null(running);
    }
    return s;
}

static void add(struct fixture *f, const char *key, size_t bytes) {
    struct nd_answer_query q = query(key);
    struct nd_answer_slot *slot = nd_answers_begin(f->answers, &q, f);
    char *text = oc_alloc(bytes + 1);
    memset(text, 'x', bytes);
    struct oc_blob *payload = oc_blob_take(text, bytes);
    nd_answers_end(f->answers, slot, &(struct nd_answer){ .ok = true, .payload = payload });
    oc_blob_unref(payload);
}

static void life_of_a_key(void **state) {
    struct fixture *f = *state;
    assert_int_equal(find(f, "k", NULL), ND_ANSWER_NEW);
    assert_int_equal(find(f, "k", NULL), ND_ANSWER_NEW); /* looking is not taking */
    struct nd_answer_query q = query("k");
    struct nd_answer_slot *slot = nd_answers_begin(f->answers, &q, f);
    assert_int_equal(find(f, "k", NULL), ND_ANSWER_RUNNING);
    /* However long it runs. */
    oc_fake_clock_advance(&f->clock, 10 * OC_IDEMPOTENCY_TTL_MS);
    assert_int_equal(find(f, "k", NULL), ND_ANSWER_RUNNING);
    char code[] = "CODE", message[] = "text";
    nd_answers_end(f->answers, slot, &(struct nd_answer){ .code = code, .message = message });
    const struct nd_answer *answer = NULL;
    assert_int_equal(find(f, "k", &answer), ND_ANSWER_KNOWN);
    assert_false(answer->ok);
    assert_string_equal(answer->code, "CODE");
    assert_string_equal(answer->message, "text");
    oc_fake_clock_advance(&f->clock, OC_IDEMPOTENCY_TTL_MS - 1);
    assert_int_equal(find(f, "k", NULL), ND_ANSWER_KNOWN);
    oc_fake_clock_advance(&f->clock, 1);
    assert_int_equal(find(f, "k", NULL), ND_ANSWER_NEW);
}

static void a_key_belongs_to_one_request(void **state) {
    struct fixture *f = *state;
    add(f, "k", 1);
    void *running;
    const struct nd_answer *answer;
    struct nd_answer_query other_params = {
        .command = "system.run", .key = "k", .params = SLICE("{\"a\":1}")
    };
    assert_int_equal(
            nd_answers_find(f->answers, &other_params, &running, &answer), ND_ANSWER_OTHER_USE);
    struct nd_answer_query no_params = { .command = "system.run", .key = "k" };
    assert_int_equal(
            nd_answers_find(f->answers, &no_params, &running, &answer), ND_ANSWER_OTHER_USE);
    struct nd_answer_query other_command = {
        .command = "system.which", .key = "k", .params = SLICE("{}")
    };
    assert_int_equal(nd_answers_find(f->answers, &other_command, &running, &answer), ND_ANSWER_NEW);
}

static void large_answers_leave_only_the_fact(void **state) {
    struct fixture *f = *state;
    add(f, "fits", ND_MAX_REMEMBERED_BYTES);
    add(f, "large", ND_MAX_REMEMBERED_BYTES + 1);
    assert_int_equal(find(f, "fits", NULL), ND_ANSWER_KNOWN);
    assert_int_equal(find(f, "large", NULL), ND_ANSWER_NOT_KEPT);
}

static void all_answers_together_have_a_ceiling(void **state) {
    struct fixture *f = *state;
    size_t fit = ND_MAX_REMEMBERED_TOTAL / ND_MAX_REMEMBERED_BYTES;
    char key[16];
    for (size_t i = 0; i <= fit; i++) {
        snprintf(key, sizeof(key), "%zu", i);
        add(f, key, ND_MAX_REMEMBERED_BYTES);
    }
    assert_int_equal(find(f, "0", NULL), ND_ANSWER_NOT_KEPT);
    assert_int_equal(find(f, "1", NULL), ND_ANSWER_KNOWN);
    assert_int_equal(find(f, key, NULL), ND_ANSWER_KNOWN);
}

static void keys_have_a_ceiling(void **state) {
    struct fixture *f = *state;
    char key[16];
    for (int i = 0; i < OC_IDEMPOTENCY_MAX; i++) {
        assert_int_equal(find(f, "new", NULL), ND_ANSWER_NEW);
        snprintf(key, sizeof(key), "%d", i);
        add(f, key, 0);
    }
    assert_int_equal(find(f, "new", NULL), ND_ANSWER_FULL);
    assert_int_equal(find(f, "0", NULL), ND_ANSWER_KNOWN);
    assert_int_equal(find(f, key, NULL), ND_ANSWER_KNOWN);
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
