#include "canvas/input/when_locale.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <time.h>

static struct oc_slice slice(const char *s) {
    return (struct oc_slice){ s, strlen(s) };
}

static void shows(const char *zone, const char *text, const char *date, const char *time) {
    setenv("LC_ALL", "C", 1);
    setenv("TZ", zone, 1);
    tzset();
    struct cv_when w = { 0 };
    char out[24];
    assert_true(cv_when_parse(slice(text), &w));
    assert_int_equal(w.has_date, date != NULL);
    assert_int_equal(w.has_time, time != NULL);
    if (date) {
        cv_when_format(&w, true, false, out);
        assert_string_equal(out, date);
    }
    if (time) {
        cv_when_format(&w, false, true, out);
        assert_string_equal(out, time);
    }
}

static void texts_with_a_zone_are_shown_in_local_time(void **state) {
    (void)state;
    shows("UTC", "2026-03-15T10:30:00Z", "2026-03-15", "10:30");
    shows("CET-1", "2026-03-15T23:30:00.250Z", "2026-03-16", "00:30");
    shows("EST5", "2026-01-01T02:00Z", "2025-12-31", "21:00");
    shows("UTC", "2026-03-15T10:30+02:00", "2026-03-15", "08:30");
    shows("UTC", "2026-03-15T23:30-0130", "2026-03-16", "01:00");
    shows("UTC", "2026-03-15T10:30+02", "2026-03-15", "08:30");
}

/* JavaScript reads a date alone as UTC and shows the day before west of it. */
static void texts_without_a_zone_are_local(void **state) {
    (void)state;
    shows("EST5", "2026-03-15", "2026-03-15", NULL);
    shows("EST5", "2026-03-15T10:30", "2026-03-15", "10:30");
    shows("EST5", "2026-03-15 10:30:59", "2026-03-15", "10:30");
    shows("EST5", "07:05", NULL, "07:05");
    shows("EST5", "23:59:59.999", NULL, "23:59");
}

static void what_is_no_date_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = { "", "x", "2026", "2026-13-01", "2026-02-29", "2026-00-10",
        "0000-01-01", "2026-1-1", "2026-03-15T", "2026-03-15T25:00", "2026-03-15T10:60",
        "2026-03-15T10:30+", "2026-03-15T10:30+25:00", "2026-03-15T10:30Zx", "10:3", "24:00",
        "10:30x", "2026-03-15x", "10:30:99", "10:30:00." };
    for (size_t i = 0; i < OC_COUNT(bad); i++) {
        struct cv_when w;
        if (cv_when_parse(slice(bad[i]), &w)) {
            fail_msg("'%s' was taken", bad[i]);
        }
    }
    struct cv_when w;
    assert_false(cv_when_parse((struct oc_slice){ 0 }, &w));
    assert_true(cv_when_parse(slice("2024-02-29"), &w));
}

static void it_is_stored_and_shown(void **state) {
    (void)state;
    struct cv_when w = { true, true, 2026, 3, 5, 7, 4 };
    char stored[24], shown[CV_WHEN_SHOWN];
    cv_when_format(&w, true, true, stored);
    assert_string_equal(stored, "2026-03-05T07:04");
    cv_when_show(&w, true, true, shown);
    assert_string_equal(shown, "5 Mar 2026, 07:04");
    cv_when_show(&w, true, false, shown);
    assert_string_equal(shown, "5 Mar 2026");
    cv_when_show(&w, false, true, shown);
    assert_string_equal(shown, "07:04");
}

static void days_have_numbers(void **state) {
    (void)state;
    assert_int_equal(cv_day_number(1970, 1, 1), 0);
    assert_int_equal(cv_day_number(2000, 3, 1), 11017);
    assert_int_equal(cv_day_weekday(0), 3);                           /* a Thursday */
    assert_int_equal(cv_day_weekday(cv_day_number(2026, 11, 16)), 0); /* a Monday */
    assert_int_equal(cv_days_of_month(1900, 2), 28);
    assert_int_equal(cv_days_of_month(2000, 2), 29);
    for (int day = cv_day_number(1, 1, 1); day <= cv_day_number(9999, 12, 31); day += 97) {
        struct cv_when w;
        cv_day_date(day, &w);
        assert_int_equal(cv_day_number(w.year, w.month, w.day), day);
    }
    struct cv_when w;
    cv_day_date(2000000000, &w);
    assert_int_equal(w.year, 9999);
    cv_day_date(-2000000000, &w);
    assert_int_equal(w.year, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_with_a_zone_are_shown_in_local_time),
        cmocka_unit_test(texts_without_a_zone_are_local),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(it_is_stored_and_shown),
        cmocka_unit_test(days_have_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
