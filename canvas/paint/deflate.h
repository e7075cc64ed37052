/* A deflate stream of what the caller found: bytes, and repetitions of earlier bytes. For pictures
 * of pages, where the caller knows better than a general compressor what repeats. */
#ifndef CANVAS_PAINT_DEFLATE_H
#define CANVAS_PAINT_DEFLATE_H

#include "lib/base/buf.h"

#include <stdint.h>

#define CV_DEFLATE_TOKENS 32768 /* of one block, which has its own codes */

struct cv_deflate {
    struct oc_buf *out;
    unsigned char *at; /* where the next bytes go, while a block is written */
    uint64_t bits;     /* not written yet */
    unsigned bit_count;
    size_t count;
    uint32_t tokens[CV_DEFLATE_TOKENS];   /* a byte, or 1 << 31 | length - 3 << 16 | distance - 1 */
    uint32_t symbols[286], distances[30]; /* how often */
};

void cv_deflate_begin(struct cv_deflate *d, struct oc_buf *out);
void cv_deflate_flush(
        struct cv_deflate *d, bool is_last); /* a block; the last one ends the stream */
void cv_deflate_end(struct cv_deflate *d);

unsigned cv_deflate_length_symbol(unsigned length);
unsigned cv_deflate_distance_symbol(unsigned distance);

static inline void cv_deflate_byte(struct cv_deflate *d, unsigned char byte) {
    d->tokens[d->count++] = byte;
    d->symbols[byte]++;
    if (d->count == CV_DEFLATE_TOKENS) {
        cv_deflate_flush(d, false);
    }
}

/* length bytes again as they stood distance bytes before: 3 … 258, 1 … 32768. */
static inline void cv_deflate_again(struct cv_deflate *d, unsigned length, unsigned distance) {
    d->tokens[d->count++] = 0x80000000u | (length - 3) << 16 | (distance - 1);
    d->symbols[cv_deflate_length_symbol(length)]++;
    d->distances[cv_deflate_distance_symbol(distance)]++;
    if (d->count == CV_DEFLATE_TOKENS) {
        cv_deflate_flush(d, false);
    }
}

#endif
