#include "tests/unit/unit.h"

#include "canvas/scene/flex.h"

#include <math.h>

#define NEAR(a, b) assert_float_equal((float)(a), (float)(b), 0.006f)

/* basis, min; no maximum, shrinks */
static struct cv_flex soft(double basis, double min) {
    return (struct cv_flex){ .basis = basis, .min = min, .max = -1, .shrink = 1 };
}

static struct cv_flex weighted(double weight, double min) {
    return (struct cv_flex){ .min = min, .max = -1, .grow = weight, .shrink = 1 };
}

static void weights_share_the_room(void **state) {
    (void)state;
    struct cv_flex f[] = { weighted(1, 20), weighted(2, 20), weighted(3, 20) };
    cv_flex_share(f, 3, 16, 448);
    NEAR(f[0].size, 69.33);
    NEAR(f[1].size, 138.67);
    NEAR(f[2].size, 208);
    cv_flex_place(f, 3, 16, 448, CV_DISTRIBUTE_EVENLY); /* nothing is left to distribute */
    NEAR(f[0].at, 0);
    NEAR(f[1].at, 85.33);
    NEAR(f[2].at, 240);
}

static void a_minimum_takes_from_the_others(void **state) {
    (void)state;
    struct cv_flex f[] = { weighted(1, 200), weighted(1, 0), weighted(1, 0) };
    cv_flex_share(f, 3, 0, 300);
    NEAR(f[0].size, 200);
    NEAR(f[1].size, 50);
    NEAR(f[2].size, 50);
}

static void weight_beside_content(void **state) {
    (void)state;
    struct cv_flex f[] = { soft(100, 30), weighted(1, 10), weighted(0, 0), weighted(0, 12) };
    cv_flex_share(f, 4, 10, 330);
    NEAR(f[0].size, 100);
    NEAR(f[1].size, 330 - 30 - 100 - 12);
    NEAR(f[2].size, 0);
    NEAR(f[3].size, 12);
}

static void small_weights_leave_space(void **state) {
    (void)state;
    struct cv_flex f[] = { weighted(0.25, 0), weighted(0.25, 0) };
    cv_flex_share(f, 2, 0, 400);
    NEAR(f[0].size, 100);
    NEAR(f[1].size, 100);
}

static void shrinks_by_size_down_to_the_minimum(void **state) {
    (void)state;
    struct cv_flex f[] = { soft(300, 50), soft(100, 50) };
    cv_flex_share(f, 2, 0, 200);
    NEAR(f[0].size, 150);
    NEAR(f[1].size, 50);
    struct cv_flex g[] = { soft(300, 50), soft(100, 90), soft(10, 0) };
    cv_flex_share(g, 3, 0, 200);
    NEAR(g[1].size, 90);
    NEAR(g[0].size, 300 - 200 * (300.0 / 310));
    NEAR(g[0].size + g[1].size + g[2].size, 200);
    struct cv_flex h[] = { soft(300, 250), soft(100, 90) }; /* overflows */
    cv_flex_share(h, 2, 0, 200);
    NEAR(h[0].size, 250);
    NEAR(h[1].size, 90);
}

static void a_maximum_gives_to_the_others(void **state) {
    (void)state;
    struct cv_flex f[] = { { .basis = 50, .max = 80, .grow = 1 },
        { .basis = 50, .max = -1, .grow = 1 } };
    cv_flex_share(f, 2, 0, 300);
    NEAR(f[0].size, 80);
    NEAR(f[1].size, 220);
    struct cv_flex g[] = { { .basis = 500, .max = 80 }, { .basis = 50, .max = -1 } };
    cv_flex_share(g, 2, 0, 100); /* neither shrinks */
    NEAR(g[0].size, 80);
    NEAR(g[1].size, 50);
}

static void three(double x[3], enum cv_distribution how, double room) {
    struct cv_flex f[] = { { .size = 15.58 }, { .size = 31.16 }, { .size = 7 } };
    cv_flex_place(f, 3, 16, room, how);
    for (int i = 0; i < 3; i++) {
        x[i] = 16 + f[i].at;
    }
}

static void distributions(void **state) {
    (void)state;
    double x[3];
    three(x, CV_DISTRIBUTE_EVENLY, 448);
    NEAR(x[0], 106.565);
    NEAR(x[1], 228.71);
    NEAR(x[2], 366.435);
    three(x, CV_DISTRIBUTE_START, 448);
    NEAR(x[2], 16 + 15.58 + 31.16 + 32);
    three(x, CV_DISTRIBUTE_BETWEEN, 448);
    NEAR(x[0], 16);
    NEAR(x[2], 16 + 448 - 7);
    three(x, CV_DISTRIBUTE_END, 448);
    NEAR(x[2], 16 + 448 - 7);
    three(x, CV_DISTRIBUTE_AROUND, 448);
    NEAR(x[0] - 16, (448 - 85.74) / 6);
    three(x, CV_DISTRIBUTE_CENTER, 448);
    NEAR(x[0] - 16, (448 - 85.74) / 2);
}

static void overflow_is_that_of_css(void **state) {
    (void)state;
    double x[3];
    three(x, CV_DISTRIBUTE_EVENLY, 45.74);
    NEAR(x[0], 16);
    three(x, CV_DISTRIBUTE_BETWEEN, 45.74);
    NEAR(x[0], 16);
    three(x, CV_DISTRIBUTE_AROUND, 45.74);
    NEAR(x[0], 16);
    three(x, CV_DISTRIBUTE_CENTER, 45.74);
    NEAR(x[0], 16 - 20);
    three(x, CV_DISTRIBUTE_END, 45.74);
    NEAR(x[0], 16 - 40);
    struct cv_flex one = { .size = 10 };
    cv_flex_place(&one, 1, 16, 100, CV_DISTRIBUTE_BETWEEN);
    NEAR(one.at, 0);
    cv_flex_place(NULL, 0, 16, 100, CV_DISTRIBUTE_EVENLY);
    NEAR(cv_flex_align(20, 10, CV_ALIGNED_CENTER), -5);
    NEAR(cv_flex_align(20, 100, CV_ALIGNED_END), 80);
    NEAR(cv_flex_align(20, 100, CV_ALIGNED_STRETCH), 0);
}

static void bad_numbers_stay_inside(void **state) {
    (void)state;
    const double odd[] = { NAN, INFINITY, -INFINITY, -1, 1e300, 0, 5 };
    enum { N = OC_COUNT(odd) };
    for (size_t a = 0; a < N; a++) {
        for (size_t b = 0; b < N; b++) {
            struct cv_flex f[] = { soft(odd[a], odd[b]), weighted(odd[b], odd[a]), soft(10, 0) };
            cv_flex_share(f, 3, 16, odd[a]);
            for (int i = 0; i < 3; i++) {
                assert_true(f[i].size >= 0 && f[i].size <= CV_MAX_PX);
            }
        }
    }
}

/* Growing fills the room, shrinking fits it unless the minima do not; nobody is below the
 * minimum. */
static void random_lines(void **state) {
    (void)state;
    uint32_t x = 7;
    for (int run = 0; run < 5000; run++) {
        struct cv_flex f[12];
        size_t n = 1 + (size_t)run % 12;
        double minima = 0, grows = 0, sum = 0;
        for (size_t i = 0; i < n; i++) {
            x = x * 1664525u + 1013904223u;
            double min = (x >> 8) % 100, basis = min + (x >> 16) % 100;
            f[i] = (x >> 24) % 3 ? soft(basis, min) : weighted((x >> 25) % 4, min);
            minima += min;
            grows += f[i].grow;
        }
        double room = (x >> 4) % 1500;
        cv_flex_share(f, n, 8, room);
        room -= 8.0 * (double)(n - 1);
        for (size_t i = 0; i < n; i++) {
            assert_true(f[i].size >= f[i].min - 1e-6);
            sum += f[i].size;
        }
        if (grows >= 1 || sum > room) {
            NEAR(sum, room > minima ? room : minima);
        } else {
            assert_true(sum <= room + 1e-6);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_share_the_room),
        cmocka_unit_test(a_minimum_takes_from_the_others),
        cmocka_unit_test(weight_beside_content),
        cmocka_unit_test(small_weights_leave_space),
        cmocka_unit_test(shrinks_by_size_down_to_the_minimum),
        cmocka_unit_test(a_maximum_gives_to_the_others),
        cmocka_unit_test(distributions),
        cmocka_unit_test(overflow_is_that_of_css),
        cmocka_unit_test(bad_numbers_stay_inside),
        cmocka_unit_test(random_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
