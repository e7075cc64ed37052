/* What our PNG encoder buys: bench_png PICTURE.png… encodes each picture with it, with libdeflate
 * behind the same filter, and with libspng, and prints the processor's time and the size. Pictures
 * of pages: openclaw-canvas render … --width 800 --height 600. */
#include "canvas/paint/encode.h"
#include "lib/base/mem.h"

#include <libdeflate.h>
#include <spng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 7
#define MAX_PICTURES 500
#define MAX_BYTES ((size_t)1 << 28)
#define FILTER_UP 2

struct bench {
    struct cv_png *png;
    struct libdeflate_compressor *compressor;
};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static size_t with_ours(struct bench *b, const struct cv_raster *r) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_BYTES);
    cv_png_begin(b->png, r->w, r->h, &out);
    cv_png_add(b->png, r);
    return cv_png_end(b->png, NULL) == OC_OK ? out.len : 0;
}

static void put_rgb(unsigned char **to, uint32_t px, uint32_t above) {
    for (int shift = 16; shift >= 0; shift -= 8) {
        *(*to)++ = (unsigned char)((px >> shift) - (above >> shift));
    }
}

static size_t with_libdeflate(struct bench *b, const struct cv_raster *r) {
    size_t len = ((size_t)r->w * 3 + 1) * r->h;
    size_t most = libdeflate_zlib_compress_bound(b->compressor, len);
    OC_AUTO_FREE unsigned char *rows = oc_alloc(len), *out = oc_alloc(most);
    unsigned char *to = rows;
    for (unsigned y = 0; y < r->h; y++) {
        const uint32_t *row = r->px + y * r->stride, *above = y ? row - r->stride : NULL;
        *to++ = FILTER_UP;
        if (above && memcmp(row, above, (size_t)r->w * 4) == 0) {
            memset(to, 0, (size_t)r->w * 3);
            to += (size_t)r->w * 3;
            continue;
        }
        for (unsigned x = 0; x < r->w; x++) {
            put_rgb(&to, row[x], above ? above[x] : 0);
        }
    }
    return libdeflate_zlib_compress(b->compressor, rows, len, out, most);
}

static size_t with_spng(struct bench *b, const struct cv_raster *r) {
    (void)b;
    size_t bytes = (size_t)r->w * r->h * 3, len = 0;
    OC_AUTO_FREE unsigned char *rgb = oc_alloc(bytes);
    unsigned char *to = rgb;
    for (size_t i = 0; i < (size_t)r->w * r->h; i++) {
        put_rgb(&to, r->px[i], 0);
    }
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    struct spng_ihdr head = { r->w, r->h, 8, SPNG_COLOR_TYPE_TRUECOLOR, 0, 0, 0 };
    int rc = 0;
    spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1);
    spng_set_option(ctx, SPNG_IMG_COMPRESSION_LEVEL, 1);
    spng_set_option(ctx, SPNG_FILTER_CHOICE, SPNG_FILTER_CHOICE_UP);
    spng_set_ihdr(ctx, &head);
    spng_encode_image(ctx, rgb, bytes, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
    free(spng_get_png_buffer(ctx, &len, &rc));
    spng_ctx_free(ctx);
    return len;
}

/* Rows of 0xFFRRGGBB; NULL: no PNG. */
static uint32_t *load(const char *path, struct cv_raster *ret) {
    FILE *file = fopen(path, "rb");
    spng_ctx *ctx = spng_ctx_new(0);
    struct spng_ihdr head;
    uint32_t *px = NULL;
    if (file && !spng_set_png_file(ctx, file) && !spng_get_ihdr(ctx, &head)) {
        size_t count = (size_t)head.width * head.height;
        px = oc_new_array(uint32_t, count);
        if (spng_decode_image(ctx, px, count * 4, SPNG_FMT_RGBA8, 0)) {
            oc_free(px);
            px = NULL;
        }
        for (size_t i = 0; px && i < count; i++) {
            const unsigned char *in = (const unsigned char *)&px[i];
            px[i] = 0xff000000u | (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
        }
        *ret = (struct cv_raster){ px, head.width, head.height, head.width };
    }
    spng_ctx_free(ctx);
    if (file) {
        fclose(file);
    }
    return px;
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        size_t (*encode)(struct bench *b, const struct cv_raster *r);
    } ways[] = { { "ours", with_ours }, { "libdeflate, level 1", with_libdeflate },
        { "libspng, level 1", with_spng } };
    static double times[OC_COUNT(ways)][MAX_PICTURES];
    size_t bytes[OC_COUNT(ways)] = { 0 }, count = 0;
    struct bench b = { cv_png_create(), libdeflate_alloc_compressor(1) };
    for (int i = 1; i < argc && count < MAX_PICTURES; i++) {
        struct cv_raster r;
        OC_AUTO_FREE uint32_t *px = load(argv[i], &r);
        if (!px) {
            fprintf(stderr, "%s is no PNG\n", argv[i]);
            return 1;
        }
        for (size_t way = 0; way < OC_COUNT(ways); way++) {
            double best = -1;
            size_t len = 0;
            for (int round = 0; round < ROUNDS; round++) {
                double begin = now_ms();
                len = ways[way].encode(&b, &r);
                double took = now_ms() - begin;
                best = best < 0 || took < best ? took : best;
            }
            times[way][count] = best;
            bytes[way] += len;
        }
        count++;
    }
    for (size_t way = 0; way < OC_COUNT(ways) && count > 0; way++) {
        qsort(times[way], count, sizeof(times[way][0]), by_time);
        printf("%-20s median %.2f ms, largest %.2f ms, %zu kB in all\n", ways[way].name,
                times[way][count / 2], times[way][count - 1], bytes[way] / 1000);
    }
    cv_png_destroy(b.png);
    libdeflate_free_compressor(b.compressor);
    return count > 0 ? 0 : 1;
}
