/* Time comes from here so that tests can set it. */
#ifndef LIB_BASE_CLOCK_H
#define LIB_BASE_CLOCK_H

#include <stdint.h>

struct oc_clock {
    int64_t (*wall_ms)(void *user); /* since the epoch; may jump */
    int64_t (*mono_ms)(void *user); /* never goes back; counts while suspended where the OS can */
    void *user;
};

extern const struct oc_clock oc_clock_system;

/* A clock that stands still until told. */
struct oc_fake_clock {
    struct oc_clock clock;
    int64_t wall, mono;
};
/* For tests. */
void oc_fake_clock_init(struct oc_fake_clock *fc, int64_t wall_ms);
/* For tests. */
void oc_fake_clock_advance(struct oc_fake_clock *fc, int64_t ms);

static inline int64_t oc_wall_ms(const struct oc_clock *c) {
    return c->wall_ms(c->user);
}
static inline int64_t oc_mono_ms(const struct oc_clock *c) {
    return c->mono_ms(c->user);
}

#endif
