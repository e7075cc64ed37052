/* A deflate stream of what the caller found: bytes, and repetitions of earlier bytes. For pictures of pages, where the caller knows
 * better than a general compressor what repeats. */
#ifndef CANVAS_PAINT_DEFLATE_H
#define CANVAS_PAINT_DEFLATE_H

#include "lib/base/buf.h"

#include <stdint.h>

#define OC_DEFLATE_TOKENS 32768 /* of one block, which has its own codes */

struct oc_deflate {
    struct oc_buf *out;
    unsigned char *at; /* where the next bytes go, while a block is written */
    uint64_t bits;     /* not written yet */
    unsigned bit_count;
    size_t count;
    uint32_t tokens[OC_DEFLATE_TOKENS];   /* a byte, or 1 << 31 | length - 3 << 16 | distance - 1 */
    uint32_t symbols[286], distances[30]; /* how often */
};

void oc_deflate_begin(struct oc_deflate *d, struct oc_buf *out);
void oc_deflate_flush(
        struct oc_deflate *d, bool is_last); /* a block; the last one ends the stream */
void oc_deflate_end(struct oc_deflate *d);

unsigned oc_deflate_length_symbol(unsigned length);
unsigned oc_deflate_distance_symbol(unsigned distance);

static inline void oc_deflate_byte(struct oc_deflate *d, unsigned char byte) {
    d->tokens[d->count++] = byte;
    d->symbols[byte]++;
    if (d->count == OC_DEFLATE_TOKENS) {
        oc_deflate_flush(d, false);
    }
}

/* length bytes again as they stood distance bytes before: 3 … 258, 1 … 32768. */
static inline void oc_deflate_again(struct oc_deflate *d, unsigned length, unsigned distance) {
    d->tokens[d->count++] = 0x80000000u | (length - 3) << 16 | (distance - 1);
    d->symbols[oc_deflate_length_symbol(length)]++;
    d->distances[oc_deflate_distance_symbol(distance)]++;
    if (d->count == OC_DEFLATE_TOKENS) {
        oc_deflate_flush(d, false);
    }
}

#endif
