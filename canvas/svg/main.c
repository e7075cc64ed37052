/* openclaw-canvas-svg: one SVG drawing from stdin as pixels to stdout (canvas/images/images_svg.h).
 * References to files and hosts are not followed: the drawing has no address. Once it has begun it
 * reads fonts and libraries, and no other files; there are no sockets and no processes. */
#include "canvas/images/images_sandbox.h"
#include "canvas/images/images_svg.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <librsvg/rsvg.h>

static void main_limit(__rlimit_resource_t what, rlim_t most) {
    setrlimit(what, &(struct rlimit){ most, most });
}

static int main_fail(const char *why) {
    fprintf(stderr, "openclaw-canvas-svg: %s\n", why);
    return 1;
}

static unsigned clamp_side(double v) {
    return v < 1 ? 1 : v > CV_SVG_MAX_SIDE ? CV_SVG_MAX_SIDE : (unsigned)(v + 0.5);
}

static void natural_size(RsvgHandle *svg, double *ret_w, double *ret_h) {
    gboolean has_w, has_h, has_box;
    RsvgLength w, h;
    RsvgRectangle box;
    if (rsvg_handle_get_intrinsic_size_in_pixels(svg, ret_w, ret_h) && *ret_w > 0 && *ret_h > 0) {
        return;
    }
    rsvg_handle_get_intrinsic_dimensions(svg, &has_w, &w, &has_h, &h, &has_box, &box);
    *ret_w = has_box && box.width > 0 ? box.width : 300; /* as browsers do */
    *ret_h = has_box && box.height > 0 ? box.height : 150;
}

static int main_draw(RsvgHandle *svg) {
    double w, h;
    natural_size(svg, &w, &h);
    if (!isfinite(w) || !isfinite(h) || w < 0.01 || h < 0.01 || w > 1e6 || h > 1e6) {
        return main_fail("the drawing has no size");
    }
    double side = fmax(w, h);
    double scale = side < CV_SVG_MIN_SIDE   ? CV_SVG_MIN_SIDE / side
                   : side > CV_SVG_MAX_SIDE ? CV_SVG_MAX_SIDE / side
                                            : 1;
    unsigned px_w = clamp_side(w * scale), px_h = clamp_side(h * scale);
    size_t bytes = (size_t)px_w * px_h * 4, all = sizeof(struct cv_decoded_head) + bytes;
    if (ftruncate(1, (off_t)all) != 0) {
        return main_fail("no room");
    }
    char *map = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, 1, 0);
    if (map == MAP_FAILED) {
        return main_fail("no room");
    }
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
            (unsigned char *)map + sizeof(struct cv_decoded_head), CAIRO_FORMAT_ARGB32, (int)px_w,
            (int)px_h, (int)px_w * 4);
    cairo_t *cr = cairo_create(surface);
    RsvgRectangle view = { 0, 0, w, h };
    cairo_scale(cr, px_w / w, px_h / h); /* whole pixels: none at the edge is half covered */
    GError *error = NULL;
    if (!rsvg_handle_render_document(svg, cr, &view, &error)) {
        return main_fail(error->message);
    }
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    *(struct cv_decoded_head *)(void *)map =
            (struct cv_decoded_head){ CV_DECODED_MAGIC, px_w, px_h, 0, w, h };
    return 0;
}

static int run_main(int argc) {
    struct stat st;
    if (argc > 1 || fstat(0, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0) {
        return main_fail(
                "draws an SVG file from stdin onto a file as stdout; started by openclaw-canvas");
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    main_limit(RLIMIT_CPU, CV_SVG_SECONDS);
    if (!CV_IS_SANITIZED) { /* whose shadow memory counts */
        main_limit(RLIMIT_DATA, (rlim_t)384 << 20);
    }
    main_limit(RLIMIT_NPROC, 0);
    cv_sandbox_to_fonts();
    const guint8 *text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, 0, 0);
    if (text == MAP_FAILED) {
        return main_fail(strerror(errno));
    }
    GError *error = NULL;
    RsvgHandle *svg = rsvg_handle_new_from_data(text, (gsize)st.st_size, &error);
    return svg ? main_draw(svg) : main_fail(error->message);
}

int main(int argc, char **argv) {
    (void)argv;
    _exit(run_main(argc)); /* what libraries would do at the end, they may not do any more */
}
