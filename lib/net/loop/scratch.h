/* Working memory that all connections of a loop share, so that an idle connection holds none.
 *
 * Only valid inside one callback: whoever uses it copies out what must stay. */
#ifndef LIB_NET_LOOP_SCRATCH_H
#define LIB_NET_LOOP_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OC_FRAGMENT_BYTES 65536u /* largest payload of an outgoing frame */
#define OC_SCRATCH_IN_BYTES 65536u
/* Frames are added while less than one fragment is waiting, so two and their headers always fit. */
#define OC_SCRATCH_OUT_BYTES (OC_FRAGMENT_BYTES + OC_FRAGMENT_BYTES + 64)

struct oc_loop;

struct oc_scratch {
    char *in;       /* bytes just read */
    char *fragment; /* payload of the frame being made */
    char *out;      /* frames for one write */
    size_t out_len;
    /* What the WebSockets of the loop share for their frames: lib/net/frames/frames.h knows what it
     * is. */
    void *frames;
    void (*free_frames)(void *frames);
    uint8_t random[256];
    size_t random_left;
};

/* Allocates the buffers on first use. */
struct oc_scratch *oc_scratch_ready(struct oc_scratch *s);
/* A few unpredictable bytes without a system call each. */
void oc_scratch_random(struct oc_scratch *s, uint8_t *ret, size_t len);
void oc_scratch_finish(struct oc_scratch *s);

struct oc_scratch *oc_loop_scratch(struct oc_loop *loop);

#endif
