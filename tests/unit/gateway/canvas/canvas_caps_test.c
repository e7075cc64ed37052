/* Addresses where browsers watch canvases, without a gateway. */
#include "gateway/canvas/canvas_caps.h"

#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

struct fixture {
    struct gw_canvas_caps *caps;
    unsigned ended;
    char last[GW_CANVAS_CAP_LEN + 1];
};

static void on_ended(void *user, struct gw_canvas_cap *cap) {
    struct fixture *f = user;
    f->ended++;
    snprintf(f->last, sizeof(f->last), "%s", cap->token);
}

static int setup(void **state) {
    static struct fixture f;
    f = (struct fixture){ 0 };
    f.caps = gw_canvas_caps_create(on_ended, &f);
    *state = &f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    gw_canvas_caps_destroy(f->caps);
    return 0;
}

static struct gw_canvas_cap *open_one(struct fixture *f, int64_t now, char *actor) {
    struct gw_canvas_cap like = { .node_id = (char[]){ "box" },
        .actor = actor,
        .device_id = actor },
                         *cap = NULL;
    struct oc_error err;
    return gw_canvas_cap_open(f->caps, now, &like, &cap, &err) == OC_OK ? cap : NULL;
}

static struct gw_canvas_cap *must_open(struct fixture *f, int64_t now, char *actor) {
    struct gw_canvas_cap *cap = open_one(f, now, actor);
    if (!cap) {
        abort();
    }
    return cap;
}

static void use_prolongs(void **state) {
    struct fixture *f = *state;
    char actor[] = "a", token[GW_CANVAS_CAP_LEN + 1];
    struct gw_canvas_cap *cap = must_open(f, 1000, actor);
    assert_int_equal(strlen(cap->token), GW_CANVAS_CAP_LEN);
    assert_string_equal(cap->node_id, "box");
    memcpy(token, cap->token, sizeof(token));
    assert_ptr_equal(gw_canvas_cap_find(f->caps, 999 + GW_CANVAS_WATCH_MS, token), cap);
    assert_ptr_equal(gw_canvas_cap_find(f->caps, 998 + 2 * GW_CANVAS_WATCH_MS, token), cap);
    assert_null(gw_canvas_cap_find(f->caps, 998 + 3 * GW_CANVAS_WATCH_MS, token));
    assert_int_equal(f->ended, 1);
    assert_string_equal(f->last, token);
}

static void tokens_differ_and_are_compared_whole(void **state) {
    struct fixture *f = *state;
    char actor[] = "a", wrong[GW_CANVAS_CAP_LEN + 1];
    struct gw_canvas_cap *one = must_open(f, 0, actor), *two = must_open(f, 0, actor);
    assert_string_not_equal(one->token, two->token);
    memcpy(wrong, one->token, sizeof(wrong));
    wrong[GW_CANVAS_CAP_LEN - 1] = wrong[GW_CANVAS_CAP_LEN - 1] == 'x' ? 'y' : 'x';
    assert_null(gw_canvas_cap_find(f->caps, 1, wrong));
    wrong[GW_CANVAS_CAP_LEN - 1] = '\0';
    assert_null(gw_canvas_cap_find(f->caps, 1, wrong));
    assert_null(gw_canvas_cap_find(f->caps, 1, ""));
    assert_ptr_equal(gw_canvas_cap_find(f->caps, 1, two->token), two);
}

static void a_maker_has_so_many(void **state) {
    struct fixture *f = *state;
    char actor[] = "a", other[] = "b";
    struct gw_canvas_cap *all[GW_MAX_WATCH_CAPS_PER_ACTOR];
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        all[i] = must_open(f, 0, actor);
    }
    char second[GW_CANVAS_CAP_LEN + 1];
    memcpy(second, all[1]->token, sizeof(second));
    all[0]->sockets = 1; /* somebody looks at it */
    assert_non_null(open_one(f, 0, actor));
    assert_int_equal(f->ended, 1);
    assert_string_equal(f->last, second);
    for (size_t i = 2; i < OC_COUNT(all); i++) {
        all[i]->sockets = 1;
    }
    struct gw_canvas_cap *newest = must_open(f, 0, actor);
    newest->sockets = 1;
    assert_null(open_one(f, 0, actor));
    assert_non_null(open_one(f, 0, other));
}

static void all_makers_together_have_so_many(void **state) {
    struct fixture *f = *state;
    char name[] = "actor 00";
    unsigned count = 0;
    for (unsigned i = 0; i < 2 * GW_MAX_WATCH_CAPS; i++) {
        snprintf(name, sizeof(name), "actor%02u", i / GW_MAX_WATCH_CAPS_PER_ACTOR);
        count += open_one(f, 0, name) != NULL;
    }
    assert_int_equal(count, GW_MAX_WATCH_CAPS);
    assert_non_null(open_one(f, GW_CANVAS_WATCH_MS, name)); /* the others' time is over */
    assert_int_equal(f->ended, GW_MAX_WATCH_CAPS);
}

static void they_end_with_their_maker(void **state) {
    struct fixture *f = *state;
    char actor[] = "a", other[] = "b";
    struct gw_canvas_cap *kept = must_open(f, 0, other);
    struct gw_canvas_cap nobodys = { .node_id = actor, .actor = actor }, *secret = NULL;
    struct oc_error err;
    assert_int_equal(gw_canvas_cap_open(f->caps, 0, &nobodys, &secret, &err), OC_OK);
    assert_non_null(open_one(f, 0, actor));
    assert_non_null(open_one(f, 0, actor));
    gw_canvas_caps_end_device(f->caps, "a");
    assert_int_equal(f->ended, 2);
    assert_ptr_equal(gw_canvas_cap_find(f->caps, 0, kept->token), kept);
    assert_ptr_equal(gw_canvas_cap_find(f->caps, 0, secret->token), secret);
}

static void they_end_with_their_node_and_after_all(void **state) {
    struct fixture *f = *state;
    char actor[] = "a", token[GW_CANVAS_CAP_LEN + 1];
    struct gw_canvas_cap elsewhere = { .node_id = actor, .actor = actor }, *other = NULL;
    struct oc_error err;
    assert_int_equal(gw_canvas_cap_open(f->caps, 0, &elsewhere, &other, &err), OC_OK);
    memcpy(token, other->token, sizeof(token));
    (void)must_open(f, 0, actor);
    (void)must_open(f, 0, actor);
    assert_int_equal(gw_canvas_caps_end_node(f->caps, "box"), 2);
    assert_int_equal(gw_canvas_caps_end_node(f->caps, "box"), 0);
    assert_int_equal(f->ended, 2);
    int64_t now = 0;
    for (; now < GW_CANVAS_WATCH_MAX_MS; now += GW_CANVAS_WATCH_MS / 2) { /* used all the time */
        assert_ptr_equal(gw_canvas_cap_find(f->caps, now, token), other);
    }
    assert_null(gw_canvas_cap_find(f->caps, now, token));
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(use_prolongs),
        T(tokens_differ_and_are_compared_whole),
        T(a_maker_has_so_many),
        T(all_makers_together_have_so_many),
        T(they_end_with_their_maker),
        T(they_end_with_their_node_and_after_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
