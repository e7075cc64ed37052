#include "lib/base/clock.h"

#include "lib/base/mem.h"

#include <time.h>

#ifdef __linux__
#define MONO_CLOCK \
    CLOCK_BOOTTIME /* goes on while the machine sleeps, so deadlines are met after a resume */
#else
#define MONO_CLOCK CLOCK_MONOTONIC
#endif

static int64_t read_ms(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t system_wall_ms(void *user OC_UNUSED) {
    return read_ms(CLOCK_REALTIME);
}

static int64_t system_mono_ms(void *user OC_UNUSED) {
    return read_ms(MONO_CLOCK);
}

const struct oc_clock oc_clock_system = { .wall_ms = system_wall_ms, .mono_ms = system_mono_ms };

static int64_t fake_wall_ms(void *user) {
    return ((const struct oc_fake_clock *)user)->wall;
}

static int64_t fake_mono_ms(void *user) {
    return ((const struct oc_fake_clock *)user)->mono;
}

void oc_fake_clock_init(struct oc_fake_clock *fc, int64_t wall_ms) {
    *fc = (struct oc_fake_clock){
        .clock = { .wall_ms = fake_wall_ms, .mono_ms = fake_mono_ms, .user = fc },
        .wall = wall_ms,
        .mono = 1,
    };
}

void oc_fake_clock_advance(struct oc_fake_clock *fc, int64_t ms) {
    fc->wall += ms;
    fc->mono += ms;
}
