#include "lib/net/loop/scratch.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"

#include <assert.h>
#include <string.h>
#include <wslay/wslay.h>

static ssize_t on_send(const uint8_t *data, size_t len, int flags, void *user) {
    (void)flags;
    struct oc_scratch *s = user;
    assert(len <= OC_SCRATCH_OUT_BYTES - s->out_len);
    memcpy(s->out + s->out_len, data, len);
    s->out_len += len;
    return (ssize_t)len;
}

static int on_mask(uint8_t *ret, size_t len, void *user) {
    oc_scratch_random(user, ret, len);
    return 0;
}

struct oc_scratch *oc_scratch_ready(struct oc_scratch *s) {
    if (!s->in) {
        /* Not zeroed: pages that are never needed are then never touched. */
        s->in = oc_realloc(NULL, OC_SCRATCH_IN_BYTES);
        s->fragment = oc_realloc(NULL, OC_FRAGMENT_BYTES);
        s->out = oc_realloc(NULL, OC_SCRATCH_OUT_BYTES);
    }
    return s;
}

static struct wslay_frame_context *writer(struct oc_scratch *s, bool is_client) {
    if (!s->writers[is_client]) {
        const struct wslay_frame_callbacks callbacks = { .send_callback = on_send,
            .genmask_callback = on_mask };
        if (wslay_frame_context_init(&s->writers[is_client], &callbacks, s) != 0) {
            abort(); /* out of memory */
        }
    }
    return s->writers[is_client];
}

void oc_scratch_put_frame(struct oc_scratch *s, bool is_client, uint8_t opcode, bool is_final,
        const void *payload, size_t len) {
    struct wslay_frame_iocb frame = { .fin = is_final,
        .opcode = opcode,
        .mask = is_client,
        .payload_length = len,
        .data = payload,
        .data_length = len };
    ssize_t n = wslay_frame_send(writer(s, is_client), &frame);
    assert(n == (ssize_t)len); /* on_send takes everything */
    (void)n;
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
    wslay_frame_context_free(s->writers[0]);
    wslay_frame_context_free(s->writers[1]);
    *s = (struct oc_scratch){ 0 };
}
