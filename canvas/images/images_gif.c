/* GIF: the first picture of it. */
#include "canvas/images/images_decode.h"
#include "lib/base/mem.h"

#include <gif_lib.h>
#include <string.h>

struct gif_reader {
    const uint8_t *bytes;
    size_t len, at;
};

static int read_bytes(GifFileType *g, GifByteType *ret, int want) {
    struct gif_reader *r = g->UserData;
    size_t n = want < 0 ? 0 : (size_t)want;
    if (n > r->len - r->at) {
        n = r->len - r->at;
    }
    memcpy(ret, r->bytes + r->at, n);
    r->at += n;
    return (int)n;
}

static void auto_gif(GifFileType **g) {
    if (*g) {
        DGifCloseFile(*g, NULL);
    }
}

/* Reads up to the first picture; its transparent colour comes before it. */
static bool find_first(GifFileType *g, int *ret_transparent) {
    GifRecordType type;
    while (DGifGetRecordType(g, &type) == GIF_OK) {
        if (type == IMAGE_DESC_RECORD_TYPE) {
            return DGifGetImageDesc(g) == GIF_OK;
        }
        if (type != EXTENSION_RECORD_TYPE) {
            return false;
        }
        int code;
        GifByteType *block;
        if (DGifGetExtension(g, &code, &block) != GIF_OK) {
            return false;
        }
        if (code == GRAPHICS_EXT_FUNC_CODE && block && block[0] >= 4 && block[1] & 1) {
            *ret_transparent = block[4];
        }
        while (block) {
            if (DGifGetExtensionNext(g, &block) != GIF_OK) {
                return false;
            }
        }
    }
    return false;
}

static bool paint_line(
        GifFileType *g, struct cv_picture *p, int y, int transparent, GifPixelType *line) {
    const GifImageDesc *d = &g->Image;
    const ColorMapObject *map = d->ColorMap ? d->ColorMap : g->SColorMap;
    if (DGifGetLine(g, line, d->Width) != GIF_OK) {
        return false;
    }
    for (int x = 0; map && x < d->Width; x++) {
        size_t px = (size_t)d->Left + (size_t)x, py = (size_t)d->Top + (size_t)y;
        if (px >= p->px_w || py >= p->px_h || line[x] == transparent ||
                line[x] >= map->ColorCount) {
            continue;
        }
        const GifColorType *c = &map->Colors[line[x]];
        p->argb[py * p->px_w + px] = cv_premultiply(255, c->Red, c->Green, c->Blue);
    }
    return true;
}

static bool paint_all(GifFileType *g, struct cv_picture *p, int transparent) {
    static const int starts[] = { 0, 4, 2, 1 }, steps[] = { 8, 8, 4, 2 };
    const GifImageDesc *d = &g->Image;
    if (d->Left < 0 || d->Top < 0) {
        return false;
    }
    OC_AUTO_FREE GifPixelType *line = oc_alloc((size_t)d->Width);
    for (int pass = 0; pass < (d->Interlace ? 4 : 1); pass++) {
        int step = d->Interlace ? steps[pass] : 1;
        for (int y = d->Interlace ? starts[pass] : 0; y < d->Height; y += step) {
            if (!paint_line(g, p, y, transparent, line)) {
                return false;
            }
        }
    }
    return true;
}

enum oc_code cv_decode_gif(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    struct gif_reader r = { .bytes = bytes, .len = len };
    int code = 0, transparent = -1;
    CV_AUTO_PICTURE struct cv_picture p = { 0 };
    __attribute__((cleanup(auto_gif))) GifFileType *g = DGifOpen(&r, read_bytes, &code);
    if (!g || !find_first(g, &transparent)) {
        return oc_fail(err, OC_E_INVALID, "damaged GIF");
    }
    unsigned w = (unsigned)g->SWidth, h = (unsigned)g->SHeight;
    enum oc_code rc = cv_picture_begin(&p, w, h, w, h, err);
    if (rc == OC_OK) { /* the first picture may be larger than what it stands on */
        rc = cv_picture_may_decode(g->Image.Width, g->Image.Height, CV_PICTURE_WHOLE, err);
    }
    if (rc == OC_OK && !paint_all(g, &p, transparent)) {
        rc = oc_fail(err, OC_E_INVALID, "damaged GIF");
    }
    if (rc != OC_OK) {
        return rc;
    }
    *ret = p;
    p.argb = NULL;
    return OC_OK;
}
