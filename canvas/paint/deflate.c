#include "canvas/paint/deflate.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

#define END 256
#define MAX_BITS 15
#define MAX_LENGTH_BITS 7 /* of the code that codes the codes' lengths */
#define HEADER_BYTES 1024 /* more than a block's codes and its end take */
#define TOKEN_BYTES 6     /* two codes of 15 bits, 5 and 13 further ones */

static const unsigned short length_base[29] = { 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27,
    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
static const unsigned char length_extra[29] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3,
    3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };

static unsigned log2_of(unsigned v) {
    return 31u - (unsigned)__builtin_clz(v);
}

unsigned cv_deflate_length_symbol(unsigned length) {
    if (length == 258) {
        return 285;
    }
    unsigned v = length - 3;
    if (v < 8) {
        return 257 + v;
    }
    unsigned log = log2_of(v);
    return 257 + (log - 1) * 4 + ((v >> (log - 2)) & 3);
}

unsigned cv_deflate_distance_symbol(unsigned distance) {
    unsigned v = distance - 1;
    if (v < 4) {
        return v;
    }
    unsigned log = log2_of(v);
    return log * 2 + ((v >> (log - 1)) & 1);
}

void cv_deflate_begin(struct cv_deflate *d, struct oc_buf *out) {
    d->out = out;
    d->bits = 0;
    d->bit_count = 0;
    d->count = 0;
    memset(d->symbols, 0, sizeof(d->symbols));
    memset(d->distances, 0, sizeof(d->distances));
}

/* At most 16 bits; flush made the room. */
static void put_bits(struct cv_deflate *d, uint64_t value, unsigned count) {
    d->bits |= value << d->bit_count;
    d->bit_count += count;
    for (; d->bit_count >= 32; d->bit_count -= 32, d->bits >>= 32) {
        *d->at++ = (unsigned char)d->bits;
        *d->at++ = (unsigned char)(d->bits >> 8);
        *d->at++ = (unsigned char)(d->bits >> 16);
        *d->at++ = (unsigned char)(d->bits >> 24);
    }
}

struct leaf {
    uint32_t often;
    unsigned symbol;
};

static int by_count(const void *a, const void *b) {
    const struct leaf *x = a, *y = b;
    if (x->often != y->often) {
        return x->often < y->often ? -1 : 1;
    }
    return x->symbol < y->symbol ? -1 : 1;
}

/* Lengths of a Huffman code. Leaves and inner nodes both come in order of their counts, so two
 * queues do. When a code gets too long the counts are flattened and it is tried again: rare, and
 * next to nothing is lost. */
static void code_lengths(const uint32_t *often, unsigned n, unsigned max_bits, unsigned char *ret) {
    struct leaf leaves[286];
    uint32_t counts[2 * 286];
    unsigned parent[2 * 286], used = 0;
    memset(ret, 0, n);
    for (unsigned i = 0; i < n; i++) {
        if (often[i]) {
            leaves[used++] = (struct leaf){ often[i], i };
        }
    }
    if (used <= 2) { /* also one code alone needs a bit, and decoders want a second */
        for (unsigned i = 0; i < used; i++) {
            ret[leaves[i].symbol] = 1;
        }
        return;
    }
    qsort(leaves, used, sizeof(leaves[0]), by_count);
    for (unsigned squeeze = 0;; squeeze++) {
        for (unsigned i = 0; i < used; i++) {
            counts[i] = (leaves[i].often >> squeeze) + 1;
        }
        unsigned leaf = 0, inner = used, next = used;
        for (; next < 2 * used - 1; next++) {
            unsigned pair[2];
            for (unsigned k = 0; k < 2; k++) {
                pair[k] = leaf < used && (inner >= next || counts[leaf] <= counts[inner]) ? leaf++
                                                                                          : inner++;
            }
            counts[next] = counts[pair[0]] + counts[pair[1]];
            parent[pair[0]] = parent[pair[1]] = next;
        }
        unsigned char depth[2 * 286];
        unsigned deepest = 0;
        depth[next - 1] = 0;
        for (unsigned i = next - 1; i-- > 0;) {
            depth[i] = (unsigned char)(depth[parent[i]] + 1);
            if (depth[i] > deepest) {
                deepest = depth[i];
            }
        }
        if (deepest > max_bits) {
            continue;
        }
        for (unsigned i = 0; i < used; i++) {
            ret[leaves[i].symbol] = depth[i];
        }
        return;
    }
}

/* The codes that belong to lengths, mirrored because deflate writes them from their first bit. */
static void codes_of(const unsigned char *lengths, unsigned n, unsigned short *ret) {
    unsigned count[MAX_BITS + 1] = { 0 }, next[MAX_BITS + 1] = { 0 }, code = 0;
    for (unsigned i = 0; i < n; i++) {
        count[lengths[i]]++;
    }
    count[0] = 0;
    for (unsigned bits = 1; bits <= MAX_BITS; bits++) {
        next[bits] = code = (code + count[bits - 1]) << 1;
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned c = next[lengths[i]]++, mirrored = 0;
        for (unsigned b = 0; b < lengths[i]; b++) {
            mirrored |= ((c >> b) & 1u) << (lengths[i] - 1 - b);
        }
        ret[i] = (unsigned short)mirrored;
    }
}

struct code {
    unsigned char lengths[286 + 30]; /* symbols, then distances, as the header has them */
    unsigned short symbols[286], distances[30];
};

static void put_header(struct cv_deflate *d, struct code *c) {
    static const unsigned char order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2,
        14, 1, 15 };
    uint32_t often[19] = { 0 };
    unsigned char lengths[19];
    unsigned short codes[19];
    for (unsigned i = 0; i < 286 + 30; i++) {
        often[c->lengths[i]]++;
    }
    code_lengths(often, 19, MAX_LENGTH_BITS, lengths);
    codes_of(lengths, 19, codes);
    put_bits(d, 286 - 257, 5);
    put_bits(d, 30 - 1, 5);
    put_bits(d, 19 - 4, 4);
    for (unsigned i = 0; i < 19; i++) {
        put_bits(d, lengths[order[i]], 3);
    }
    for (unsigned i = 0; i < 286 + 30; i++) {
        put_bits(d, codes[c->lengths[i]], lengths[c->lengths[i]]);
    }
}

static void put_again(struct cv_deflate *d, const struct code *c, uint32_t token) {
    unsigned length = ((token >> 16) & 0xff) + 3, distance = (token & 0x7fff) + 1;
    unsigned symbol = cv_deflate_length_symbol(length), far = cv_deflate_distance_symbol(distance);
    put_bits(d, c->symbols[symbol], c->lengths[symbol]);
    put_bits(d, length - length_base[symbol - 257], length_extra[symbol - 257]);
    put_bits(d, c->distances[far], c->lengths[286 + far]);
    if (far >= 4) {
        unsigned extra = far / 2 - 1, base = (2 + (far & 1)) << extra;
        put_bits(d, distance - 1 - base, extra);
    }
}

static void put_block(struct cv_deflate *d, bool is_last) {
    struct code c;
    d->symbols[END] = 1;
    code_lengths(d->symbols, 286, MAX_BITS, c.lengths);
    code_lengths(d->distances, 30, MAX_BITS, c.lengths + 286);
    codes_of(c.lengths, 286, c.symbols);
    codes_of(c.lengths + 286, 30, c.distances);
    put_bits(d, is_last, 1);
    put_bits(d, 2, 2);
    put_header(d, &c);
    for (size_t i = 0; i < d->count; i++) {
        uint32_t token = d->tokens[i];
        if (token & 0x80000000u) {
            put_again(d, &c, token);
        } else {
            put_bits(d, c.symbols[token], c.lengths[token]);
        }
    }
    put_bits(d, c.symbols[END], c.lengths[END]);
    while (is_last && d->bit_count > 0) {
        *d->at++ = (unsigned char)d->bits;
        d->bits >>= 8;
        d->bit_count = d->bit_count > 8 ? d->bit_count - 8 : 0;
    }
}

void cv_deflate_flush(struct cv_deflate *d, bool is_last) {
    unsigned char *start =
            (unsigned char *)oc_buf_reserve(d->out, d->count * TOKEN_BYTES + HEADER_BYTES);
    if (start) { /* else the buffer knows that it failed */
        d->at = start;
        put_block(d, is_last);
        d->out->len += (size_t)(d->at - start);
    }
    d->count = 0;
    memset(d->symbols, 0, sizeof(d->symbols));
    memset(d->distances, 0, sizeof(d->distances));
}
void cv_deflate_end(struct cv_deflate *d) {
    cv_deflate_flush(d, true);
}
