#include "canvas/images/images_decode.h"
#include "lib/base/mem.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#define MAX_SCANS 100 /* encoders make about ten */

struct failure {
    struct jpeg_error_mgr mgr; /* first */
    jmp_buf jump;
    char text[JMSG_LENGTH_MAX];
};

static void on_error(j_common_ptr c) {
    struct failure *f = (struct failure *)c->err;
    c->err->format_message(c, f->text);
    longjmp(f->jump, 1);
}

static void on_message(j_common_ptr c) {
    (void)c; /* a picture with small damage is shown as far as it goes */
}

/* A progressive one of a few kilobytes can ask for its picture to be gone over thousands of
 * times. */
static void on_progress(j_common_ptr c) {
    if (c->is_decompressor && ((j_decompress_ptr)c)->input_scan_number > MAX_SCANS) {
        struct failure *f = (struct failure *)c->err;
        (void)snprintf(f->text, sizeof(f->text), "more than %d scans", MAX_SCANS);
        longjmp(f->jump, 1);
    }
}

/* Larger ones are decoded at half, a quarter or an eighth of their size. */
static unsigned images_jpeg_eighths(unsigned w, unsigned h) {
    unsigned side = w > h ? w : h, n = 8;
    while (n > 1 && side / 8 * n > CV_PICTURE_COMFORTABLE_SIDE) {
        n /= 2;
    }
    return n;
}

/* Everything that longjmp may skip is in here and survives it. */
static enum oc_code images_jpeg_decode(struct jpeg_decompress_struct *d, struct failure *f,
        struct cv_picture *p, struct oc_error *err) {
    if (setjmp(f->jump)) {
        return oc_fail(err, OC_E_INVALID, "damaged JPEG: %s", f->text);
    }
    jpeg_read_header(d, TRUE);
    double w = d->image_width, h = d->image_height;
    enum oc_code rc = cv_picture_may_decode(w, h, CV_PICTURE_SCALED, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (d->jpeg_color_space == JCS_CMYK || d->jpeg_color_space == JCS_YCCK) {
        return oc_fail(err, OC_E_INVALID, "JPEG in CMYK colours, which screens do not have");
    }
    d->out_color_space = JCS_EXT_BGRX;
    d->scale_num = images_jpeg_eighths(d->image_width, d->image_height);
    d->scale_denom = 8;
    d->dct_method = JDCT_IFAST;
    jpeg_start_decompress(d);
    rc = cv_picture_begin(p, w, h, d->output_width, d->output_height, err);
    while (rc == OC_OK && d->output_scanline < d->output_height) {
        JSAMPROW row = (JSAMPROW)(p->argb + (size_t)d->output_scanline * p->px_w);
        jpeg_read_scanlines(d, &row, 1);
    }
    return rc;
}

enum oc_code cv_decode_jpeg(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    struct jpeg_decompress_struct d;
    struct failure f;
    CV_AUTO_PICTURE struct cv_picture p = { 0 };
    d.err = jpeg_std_error(&f.mgr);
    f.mgr.error_exit = on_error;
    f.mgr.output_message = on_message;
    jpeg_create_decompress(&d);
    d.mem->max_memory_to_use = 64 << 20; /* progressive ones keep all their coefficients */
    struct jpeg_progress_mgr progress = { .progress_monitor = on_progress };
    d.progress = &progress;
    jpeg_mem_src(&d, bytes, len);
    enum oc_code rc = images_jpeg_decode(&d, &f, &p, err);
    jpeg_destroy_decompress(&d);
    if (rc != OC_OK) {
        return rc;
    }
    for (size_t i = 0; i < p.bytes / 4; i++) {
        p.argb[i] |= 0xff000000u;
    }
    *ret = p;
    p.argb = NULL;
    return OC_OK;
}
