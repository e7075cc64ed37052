/* PNG, fast: what is on a page is flat colours and text, so rows differ little from the row above. Every row is stored as its
 * difference to that one, which the compressor's fastest level turns into very little. */
#include "base/mem.h"
#include "canvas/pixels.h"

#include <libdeflate.h>
#include <string.h>

#define LEVEL 1
#define FILTER_UP 2
#define LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define MAX_KEPT ((size_t)8 * 1024 * 1024)

static void put_u32(unsigned char *to, uint32_t v) {
    to[0] = (unsigned char)(v >> 24);
    to[1] = (unsigned char)(v >> 16);
    to[2] = (unsigned char)(v >> 8);
    to[3] = (unsigned char)v;
}

static void put_chunk(struct oc_buf *out, const char type[4], const void *data, size_t len) {
    unsigned char word[4];
    put_u32(word, (uint32_t)len);
    (void)oc_buf_append(out, word, 4);
    size_t start = out->len;
    (void)oc_buf_append(out, type, 4);
    (void)oc_buf_append(out, data, len);
    if (out->failed)
        return;
    put_u32(word, libdeflate_crc32(0, out->data + start, 4 + len));
    (void)oc_buf_append(out, word, 4);
}

/* Bytes are subtracted without borrowing from their neighbours, four at a time. */
static uint32_t minus(uint32_t a, uint32_t b) {
    uint32_t low = (a | 0x80808080u) - (b & 0x7f7f7f7fu);
    return low ^ ((a ^ ~b) & 0x80808080u);
}

/* Four pixels become three words at a time; 0xXXRRGGBB turned round is the bytes R, G, B. */
static void filter_row(unsigned char *to, const uint32_t *row, const uint32_t *above, unsigned w) {
    *to++ = FILTER_UP;
    unsigned x = 0;
    if (above && memcmp(row, above, (size_t)w * 4) == 0) {
        memset(to, 0, (size_t)w * 3);
        return;
    }
    for (; LITTLE && above && x + 4 <= w; x += 4, to += 12) {
        uint32_t v[4], words[3];
        for (unsigned i = 0; i < 4; i++)
            v[i] = __builtin_bswap32(minus(row[x + i], above[x + i])) >> 8;
        words[0] = v[0] | v[1] << 24;
        words[1] = v[1] >> 8 | v[2] << 16;
        words[2] = v[2] >> 16 | v[3] << 8;
        memcpy(to, words, sizeof(words));
    }
    for (; x < w; x++, to += 3) {
        uint32_t d = minus(row[x], above ? above[x] : 0);
        to[0] = (unsigned char)(d >> 16);
        to[1] = (unsigned char)(d >> 8);
        to[2] = (unsigned char)d;
    }
}

static void grow(unsigned char **bytes, size_t *size, size_t wanted) {
    if (*size >= wanted)
        return;
    oc_free(*bytes);
    *bytes = oc_realloc(NULL, wanted);
    *size = wanted;
}

void oc_png_room_finish(struct oc_png_room *room) {
    if (room->compressor)
        libdeflate_free_compressor(room->compressor);
    oc_free(room->raw);
    oc_free(room->packed);
    *room = (struct oc_png_room){ 0 };
}

enum oc_code oc_png_encode(struct oc_png_room *room, const struct oc_raster *r, struct oc_buf *out,
        struct oc_error *err) {
    size_t row_len = 1 + (size_t)r->w * 3, raw_len = row_len * r->h;
    if (!room->compressor)
        room->compressor = libdeflate_alloc_compressor(LEVEL);
    if (!room->compressor)
        return oc_fail(err, OC_E_INTERNAL, "no memory to make a PNG");
    grow(&room->raw, &room->raw_size, raw_len);
    grow(&room->packed, &room->packed_size,
            libdeflate_zlib_compress_bound(room->compressor, raw_len));
    for (unsigned y = 0; y < r->h; y++)
        filter_row(room->raw + y * row_len, r->px + y * r->stride,
                y ? r->px + (y - 1) * r->stride : NULL, r->w);
    size_t len = libdeflate_zlib_compress(
            room->compressor, room->raw, raw_len, room->packed, room->packed_size);
    unsigned char head[13] = { [8] = 8, [9] = 2 }; /* 8 bits, RGB */
    put_u32(head, r->w);
    put_u32(head + 4, r->h);
    (void)oc_buf_append(out, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(out, "IHDR", head, sizeof(head));
    put_chunk(out, "IDAT", room->packed, len);
    put_chunk(out, "IEND", NULL, 0);
    if (room->raw_size > MAX_KEPT)
        oc_png_room_finish(room);
    return out->failed ? oc_fail(err, OC_E_TOO_LARGE, "the picture is too large") : OC_OK;
}
