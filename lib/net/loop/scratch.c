#include "lib/net/loop/scratch.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"

#include <assert.h>
#include <string.h>

struct oc_scratch *oc_scratch_ready(struct oc_scratch *s) {
    if (!s->in) {
        /* Not zeroed: pages that are never needed are then never touched. */
        s->in = oc_realloc(NULL, OC_SCRATCH_IN_BYTES);
        s->fragment = oc_realloc(NULL, OC_FRAGMENT_BYTES);
        s->out = oc_realloc(NULL, OC_SCRATCH_OUT_BYTES);
    }
    return s;
}

void oc_scratch_random(struct oc_scratch *s, uint8_t *ret, size_t len) {
    assert(len <= sizeof(s->random));
    if (s->random_left < len) {
        oc_random(s->random, sizeof(s->random));
        s->random_left = sizeof(s->random);
    }
    s->random_left -= len;
    memcpy(ret, s->random + s->random_left, len);
}

void oc_scratch_finish(struct oc_scratch *s) {
    oc_free(s->in);
    oc_free(s->fragment);
    oc_free(s->out);
    if (s->free_frames) {
        s->free_frames(s->frames);
    }
    *s = (struct oc_scratch){ 0 };
}
