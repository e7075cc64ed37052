/* PNG, fast. What is on a page is flat colours and text: every row is stored as its difference to
 * the row above, which is nothing for most pixels; and where it is something, the same letter a
 * little to the left often has it too. Looking for just these two takes less than half the time of
 * libdeflate at its fastest, for pictures of about the same size, and needs no copy of all rows
 * (tests/bench/bench_png.c; figures in docs/BENCHMARKS.md). */
#include "canvas/paint/deflate.h"
#include "canvas/paint/encode.h"
#include "lib/base/mem.h"

#include <libdeflate.h> /* for its check sums */
#include <string.h>

#define FILTER_UP 2
#define HASH_BITS 11
#define MAX_AGAIN 258u
#define MAX_BACK (32768 / 3) /* pixels */

struct cv_png {
    struct cv_deflate deflate;
    struct oc_buf *out;
    unsigned w;
    size_t chunk;                   /* where the data's chunk begins in out */
    uint32_t adler;                 /* of all rows */
    uint32_t *above, *diff;         /* the row before; this one minus that */
    unsigned char *bytes;           /* diff as the file has it */
    uint32_t seen[1u << HASH_BITS]; /* where in this row three pixels like these stood: row << 16 |
                                       x + 1 */
    uint32_t row;
};

struct cv_png *cv_png_create(void) {
    return oc_new(struct cv_png);
}

static void drop_rows(struct cv_png *p) {
    oc_free(p->above);
    oc_free(p->diff);
    oc_free(p->bytes);
    p->above = p->diff = NULL;
    p->bytes = NULL;
}

void cv_png_destroy(struct cv_png *p) {
    if (!p) {
        return;
    }
    drop_rows(p);
    oc_free(p);
}

static void put_u32(unsigned char *to, uint32_t v) {
    to[0] = (unsigned char)(v >> 24);
    to[1] = (unsigned char)(v >> 16);
    to[2] = (unsigned char)(v >> 8);
    to[3] = (unsigned char)v;
}

/* Its length is not known yet. */
static size_t begin_chunk(struct oc_buf *out, const char type[4]) {
    size_t at = out->len;
    (void)oc_buf_append(out, "\0\0\0\0", 4);
    (void)oc_buf_append(out, type, 4);
    return at;
}

static void end_chunk(struct oc_buf *out, size_t at) {
    unsigned char sum[4];
    if (out->failed) {
        return;
    }
    put_u32((unsigned char *)out->data + at, (uint32_t)(out->len - at - 8));
    put_u32(sum, libdeflate_crc32(0, out->data + at + 4, out->len - at - 4));
    (void)oc_buf_append(out, sum, 4);
}

void cv_png_begin(struct cv_png *p, unsigned w, unsigned h, struct oc_buf *out) {
    if (p->w != w || !p->above) {
        drop_rows(p);
        p->above = oc_new_array(uint32_t, w);
        p->diff = oc_new_array(uint32_t, (size_t)w + 4); /* zeros behind it end every comparison */
        p->bytes = oc_new_array(unsigned char, (size_t)w * 3 + 1);
    }
    p->w = w;
    p->out = out;
    p->adler = 1;
    p->row = 0;
    memset(p->above, 0, (size_t)w * 4);
    memset(p->seen, 0, sizeof(p->seen));
    unsigned char head[13] = { [8] = 8, [9] = 2 }; /* 8 bits, RGB */
    put_u32(head, w);
    put_u32(head + 4, h);
    (void)oc_buf_append(out, "\x89PNG\r\n\x1a\n", 8);
    size_t at = begin_chunk(out, "IHDR");
    (void)oc_buf_append(out, head, sizeof(head));
    end_chunk(out, at);
    p->chunk = begin_chunk(out, "IDAT");
    (void)oc_buf_append(out, "\x78\x01", 2);
    cv_deflate_begin(&p->deflate, out);
}

/* Bytes are subtracted without borrowing from their neighbours, four at a time. */
static uint32_t encode_png_minus(uint32_t a, uint32_t b) {
    uint32_t low = (a | 0x80808080u) - (b & 0x7f7f7f7fu);
    return low ^ ((a ^ ~b) & 0x80808080u);
}

static void put_nothing(struct cv_deflate *d, unsigned bytes) {
    cv_deflate_byte(d, 0);
    for (bytes--; bytes >= 3;) {
        unsigned n = bytes < MAX_AGAIN ? bytes : MAX_AGAIN;
        if (bytes > n && bytes - n < 3) { /* the rest must be long enough, too */
            n -= 3;
        }
        cv_deflate_again(d, n, 1);
        bytes -= n;
    }
    for (; bytes; bytes--) {
        cv_deflate_byte(d, 0);
    }
}

static unsigned encode_png_hash(const uint32_t *px) {
    uint64_t h = (uint64_t)px[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)px[1] * 0xc2b2ae3d27d4eb4fu ^
                 (uint64_t)px[2] * 0x165667b19e3779f9u;
    return (unsigned)((h ^ h >> 29) * 0xbf58476d1ce4e5b9u >> (64 - HASH_BITS));
}

/* How many pixels from x on are as they are from `from` on. */
static unsigned encode_png_common(const struct cv_png *p, unsigned from, unsigned x) {
    unsigned n = 0, max = p->w - x < MAX_AGAIN / 3 ? p->w - x : MAX_AGAIN / 3;
    while (n < max && p->diff[from + n] == p->diff[x + n]) {
        n++;
    }
    return n;
}

static void put_row(struct cv_png *p) {
    struct cv_deflate *d = &p->deflate;
    cv_deflate_byte(d, FILTER_UP);
    for (unsigned x = 0; x < p->w;) {
        unsigned start = x;
        while (x < p->w && !p->diff[x]) {
            x++;
        }
        if (x > start) {
            put_nothing(d, (x - start) * 3);
            continue;
        }
        uint32_t *seen = &p->seen[encode_png_hash(p->diff + x)];
        unsigned from = *seen >> 16 == (p->row & 0xffff) ? *seen & 0xffff : 0, n = 0;
        if (from && x - (from - 1) <= MAX_BACK) {
            n = encode_png_common(p, from - 1, x);
        }
        *seen = (p->row & 0xffff) << 16 | (x + 1);
        if (n >= 2) {
            cv_deflate_again(d, n * 3, (x - (from - 1)) * 3);
            x += n;
            continue;
        }
        const unsigned char *b = p->bytes + 1 + (size_t)x * 3;
        cv_deflate_byte(d, b[0]);
        cv_deflate_byte(d, b[1]);
        cv_deflate_byte(d, b[2]);
        x++;
    }
}

static void take_row(struct cv_png *p, const uint32_t *row) {
    size_t len = (size_t)p->w * 3 + 1;
    unsigned char *b = p->bytes;
    p->row++;
    *b++ = FILTER_UP;
    if (p->row > 1 && memcmp(row, p->above, (size_t)p->w * 4) == 0) {
        memset(b, 0, len - 1);
        p->adler = libdeflate_adler32(p->adler, p->bytes, len);
        cv_deflate_byte(&p->deflate, FILTER_UP);
        put_nothing(&p->deflate, (unsigned)len - 1);
        return;
    }
    for (unsigned x = 0; x < p->w; x++, b += 3) {
        uint32_t v = encode_png_minus(row[x], p->above[x]) & 0xffffff;
        p->diff[x] = v;
        b[0] = (unsigned char)(v >> 16);
        b[1] = (unsigned char)(v >> 8);
        b[2] = (unsigned char)v;
    }
    p->adler = libdeflate_adler32(p->adler, p->bytes, len);
    put_row(p);
    memcpy(p->above, row, (size_t)p->w * 4);
}

void cv_png_add(struct cv_png *p, const struct cv_raster *rows) {
    for (unsigned y = 0; y < rows->h && !p->out->failed; y++) {
        take_row(p, rows->px + y * rows->stride);
    }
}

enum oc_code cv_png_end(struct cv_png *p, struct oc_error *err) {
    struct oc_buf *out = p->out;
    unsigned char sum[4];
    cv_deflate_end(&p->deflate);
    put_u32(sum, p->adler);
    (void)oc_buf_append(out, sum, 4);
    end_chunk(out, p->chunk);
    end_chunk(out, begin_chunk(out, "IEND"));
    return out->failed ? oc_fail(err, OC_E_TOO_LARGE, "the picture is too large") : OC_OK;
}
