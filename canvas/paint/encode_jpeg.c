#include "canvas/paint/encode.h"
#include "lib/base/mem.h"

#include <stdio.h> /* jpeglib.h needs FILE */

#include <jpeglib.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

#define SHARP \
    88 /* from this quality on colours keep their full resolution: coloured text stays legible */

struct jpeg_trouble {
    struct jpeg_error_mgr base;
    jmp_buf back;
    char text[JMSG_LENGTH_MAX];
};

static void on_error(j_common_ptr c) {
    struct jpeg_trouble *t = OC_CONTAINER(c->err, struct jpeg_trouble, base);
    c->err->format_message(c, t->text);
    longjmp(t->back, 1);
}

enum oc_code cv_jpeg_encode(
        const struct cv_raster *r, double quality, struct oc_buf *out, struct oc_error *err) {
    int q = quality >= 0 && quality <= 1 ? (int)lround(quality * 100) : 90;
    struct jpeg_compress_struct c;
    struct jpeg_trouble trouble;
    unsigned char *volatile bytes = NULL;
    unsigned long len = 0;
    c.err = jpeg_std_error(&trouble.base);
    trouble.base.error_exit = on_error;
    if (setjmp(trouble.back)) {
        jpeg_destroy_compress(&c);
        free(bytes);
        return oc_fail(err, OC_E_INTERNAL, "JPEG: %s", trouble.text);
    }
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, (unsigned char **)&bytes, &len);
    c.image_width = r->w;
    c.image_height = r->h;
    c.input_components = 4;
    c.in_color_space = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? JCS_EXT_BGRX : JCS_EXT_XRGB;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, q < 1 ? 1 : q, TRUE);
    if (q >= SHARP) {
        c.comp_info[0].h_samp_factor = c.comp_info[0].v_samp_factor = 1;
    }
    jpeg_start_compress(&c, TRUE);
    while (c.next_scanline < c.image_height) {
        JSAMPROW row = (JSAMPROW)(void *)(r->px + c.next_scanline * r->stride);
        (void)jpeg_write_scanlines(&c, &row, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    enum oc_code rc = oc_buf_append(out, bytes, len);
    free(bytes);
    return rc == OC_OK ? OC_OK : oc_fail(err, rc, "the picture is too large");
}
