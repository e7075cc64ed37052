#include "tests/unit/unit.h"

#include "lib/protocol/shape.h"

static void complaints_are_joined(void **state) {
    (void)state;
    struct oc_json_pick m[] = { { "gone" }, { "text" }, { "flag" }, { "count" }, { "empty" },
        { "long" } };
    assert_null(oc_json_pick_all(
            SLICE("{\"text\":5,\"flag\":\"x\",\"count\":-1,\"empty\":\"\",\"long\":\"12345\"}"), m,
            6));
    struct oc_shape s = OC_SHAPE_INIT;
    oc_shape_require(&s, &m[0]);
    assert_null(oc_shape_string(&s, &m[1], 10));
    assert_false(oc_shape_bool(&s, &m[2]));
    assert_true(oc_shape_count(&s, &m[3]) == -1);
    assert_null(oc_shape_string(&s, &m[4], 10));
    assert_null(oc_shape_string(&s, &m[5], 4));
    struct oc_error err;
    assert_int_equal(oc_shape_finish(&s, &err), OC_E_INVALID);
    assert_string_equal(err.text,
            "must have required property 'gone'; at /text: must be string; at /flag: must be "
            "boolean; "
            "at /count: must be >= 0; at /empty: must NOT have fewer than 1 characters; "
            "at /long: must NOT have more than 4 characters, nor a NUL");
    assert_int_equal(err.grounds.cause, OC_CAUSE_NONE);
}

static void null_is_absent_where_asked(void **state) {
    (void)state;
    struct oc_json_pick m[] = { { "a" }, { "b" }, { "c" } };
    assert_null(oc_json_pick_all(SLICE("{\"a\":null,\"b\":null,\"c\":3}"), m, 3));
    struct oc_shape s = OC_SHAPE_INIT;
    assert_null(oc_shape_string_or_null(&s, &m[0], 10));
    assert_true(oc_shape_count(&s, &m[1]) == -1);
    assert_true(oc_shape_count(&s, &m[2]) == 3);
    assert_int_equal(oc_shape_finish(&s, NULL), OC_OK);
}

static enum oc_code names(const char *object, const char *allowed, struct oc_error *err) {
    struct oc_shape s = OC_SHAPE_INIT;
    oc_shape_names(&s, (struct oc_slice){ object, strlen(object) }, allowed);
    return oc_shape_finish(&s, err);
}

static void names_that_are_not_expected(void **state) {
    (void)state;
    struct oc_error err;
    assert_int_equal(names("{}", "", NULL), OC_OK);
    assert_int_equal(names("{\"a\":1,\"bc\":{\"d\":2}}", "a bc", NULL), OC_OK);
    assert_int_equal(names("{\"\\u0061\":1}", "a bc", NULL), OC_OK);
    /* A part of a name, two names, and none at all are no names. */
    assert_int_equal(names("{\"b\":1,\"a bc\":1,\"\":1}", "a bc", &err), OC_E_INVALID);
    assert_string_equal(err.text,
            "at root: unexpected property 'b'; at root: unexpected property 'a bc'; at root: "
            "unexpected property ''");
    assert_int_equal(err.grounds.cause, OC_CAUSE_UNKNOWN_PROPERTY);
    assert_int_equal(names("{\"a\":1}", "", &err), OC_E_INVALID);
    assert_string_equal(err.text, "at root: unexpected property 'a'");
}

/* What a peer wrote there is shown fit for a terminal, and cut. */
static void unexpected_names_are_tamed(void **state) {
    (void)state;
    struct oc_error err;
    assert_int_equal(names("{\"x\\u001b[1m\":1}", "a", &err), OC_E_INVALID);
    assert_null(strchr(err.text, '\x1b'));
    assert_int_equal(names("{\"x\\u0000y\":1}", "x", &err), OC_E_INVALID);
    OC_AUTO_BUF struct oc_buf many = OC_BUF_INIT(1 << 20);
    oc_buf_putc(&many, '{');
    for (int i = 0; i < 1000; i++) {
        oc_buf_printf(&many, "%s\"%0300d\":1", i ? "," : "", i);
    }
    oc_buf_puts(&many, "}");
    assert_int_equal(names(many.data, "a", &err), OC_E_INVALID);
    assert_true(strlen(err.text) < 400);
}

/* However many complaints there are, the verdict stands and the text is bounded. */
static void too_many_complaints(void **state) {
    (void)state;
    struct oc_shape s = OC_SHAPE_INIT;
    for (int i = 0; i < 100; i++) {
        oc_shape_complain(&s, "complaint number %d about something", i);
    }
    struct oc_error err;
    assert_int_equal(oc_shape_finish(&s, &err), OC_E_INVALID);
    assert_true(
            strncmp(err.text, "complaint number 0 about something; complaint number 1", 50) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complaints_are_joined),
        cmocka_unit_test(null_is_absent_where_asked),
        cmocka_unit_test(names_that_are_not_expected),
        cmocka_unit_test(unexpected_names_are_tamed),
        cmocka_unit_test(too_many_complaints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
