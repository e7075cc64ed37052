/* Real pictures and hostile ones. Decoders run in this process where a sanitizer is to see what they do, and as in the program, in
 * processes of their own, where that is the point. */
#include "canvas/images/confine.h"
#include "canvas/images/images.h"
#include "canvas/images/images_apart.h"
#include "canvas/model/limits.h"
#include "canvas/paint/paint_image.h"
#include "lib/base/encode.h"
#include "lib/files/file.h"
#include "tests/unit/unit.h"

#include <cairo.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spng.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define RED 0xffff0000u
#define BLUE 0xff0000ffu

static const char *const rasters[] = { "two.png", "two.jpg", "two.gif", "two.webp", "lossy.webp",
    "animated.gif", "animated.webp" };

static struct oc_buf load(const char *name) {
    struct oc_buf out = OC_BUF_INIT(1 << 20);
    struct oc_error err;
    OC_AUTO_FREE char *path = oc_strfmt("%s/canvas/pictures/%s", OC_TEST_DIR, name);
    if (oc_file_read(path, 1 << 20, &out, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return out;
}

#define ROOM ((size_t)64 << 20)

static enum oc_code end_of(struct oc_decoding *d, struct oc_picture *ret, struct oc_error *err) {
    int64_t cpu_ms;
    return d ? oc_decoding_end(d, ret, &cpu_ms, err) : err->code;
}

static enum oc_code decode_apart(
        const void *bytes, size_t len, struct oc_picture *ret, struct oc_error *err) {
    return end_of(oc_decoding_start(bytes, len, ROOM, err), ret, err);
}

/* As the programs wait, until nothing is being decoded any more. */
static void await(struct oc_images *s) {
    for ((void)oc_images_run(s); oc_images_are_decoding(s); (void)oc_images_run(s)) {
        struct pollfd p = { .fd = oc_images_fd(s), .events = POLLIN };
        assert_true(poll(&p, 1, 60000) > 0);
    }
}

/* Lossy formats come near. */
static bool is_near(uint32_t a, uint32_t b) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        if (abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) > 12) {
            return false;
        }
    }
    return true;
}

static void check_halves(const char *name, const struct oc_picture *p) {
    size_t middle = (size_t)p->px_w * (p->px_h / 2);
    uint32_t left = p->argb[middle], right = p->argb[middle + p->px_w - 1];
    if (!is_near(left, RED) || !is_near(right, BLUE)) {
        fail_msg("%s: %08x %08x", name, left, right);
    }
}

static void every_format(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double w, h;
    } cases[] = { { "two.png", 6, 4 }, { "two.jpg", 32, 16 }, { "two.gif", 6, 4 },
        { "two.webp", 6, 4 }, { "lossy.webp", 32, 16 }, { "two.svg", 6, 4 } };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_BUF struct oc_buf file = load(cases[i].name);
        struct oc_error err = { 0 };
        for (int apart = 0; apart < 2; apart++) {
            OC_AUTO_PICTURE struct oc_picture p = { 0 };
            enum oc_code rc = apart ? decode_apart(file.data, file.len, &p, &err)
                                    : oc_picture_decode_here(file.data, file.len, &p, &err);
            if (rc != OC_OK) {
                fail_msg("%s: %s", cases[i].name, err.text);
            }
            assert_true(p.w == cases[i].w && p.h == cases[i].h);
            assert_int_equal(p.bytes, (size_t)p.px_w * p.px_h * 4);
            check_halves(cases[i].name, &p);
        }
    }
}

/* The first picture of moving ones. */
static void moving_ones(void **state) {
    (void)state;
    for (size_t i = 5; i < OC_COUNT(rasters); i++) {
        OC_AUTO_BUF struct oc_buf file = load(rasters[i]);
        OC_AUTO_PICTURE struct oc_picture p = { 0 };
        struct oc_error err = { 0 };
        assert_int_equal(decode_apart(file.data, file.len, &p, &err), OC_OK);
        assert_true(p.w == 8 && p.h == 8);
    }
}

static void decode_copy(const void *bytes, size_t len) {
    uint8_t *copy = oc_alloc(len ? len : 1); /* exactly as large: a sanitizer sees too far reads */
    struct oc_error err = { .text = "" };
    OC_AUTO_PICTURE struct oc_picture p = { 0 };
    memcpy(copy, bytes, len);
    if (oc_picture_decode_here(copy, len, &p, &err) != OC_OK) {
        assert_true(err.text[0] != '\0');
        assert_null(p.argb);
    } else {
        assert_true(p.w > 0 && p.h > 0 && p.px_w > 0 && p.px_h > 0 && p.argb);
    }
    oc_free(copy);
}

static void truncated_everywhere(void **state) {
    (void)state;
    for (size_t i = 0; i < OC_COUNT(rasters); i++) {
        OC_AUTO_BUF struct oc_buf file = load(rasters[i]);
        for (size_t len = 0; len < file.len; len++) {
            decode_copy(file.data, len);
        }
    }
}

/* One byte at a time. */
static void damaged_everywhere(void **state) {
    (void)state;
    static const uint8_t values[] = { 0x00, 0xff, 0x80, 0x7f };
    for (size_t i = 0; i < OC_COUNT(rasters); i++) {
        OC_AUTO_BUF struct oc_buf file = load(rasters[i]);
        for (size_t at = 0; at < file.len; at++) {
            char was = file.data[at];
            file.data[at] = (char)values[at % OC_COUNT(values)];
            /* Sizes of tens of megapixels are right and slow; lying_sizes has them. */
            bool is_size = (i == 1 && at > 150 && at < 170) || (i != 1 && at < 32);
            if (!is_size) {
                decode_copy(file.data, file.len);
            }
            file.data[at] = was;
        }
    }
}

static void refused(const char *what, const void *bytes, size_t len, const char *why) {
    struct oc_error err = { .text = "" };
    OC_AUTO_PICTURE struct oc_picture p = { 0 };
    if (decode_apart(bytes, len, &p, &err) == OC_OK) {
        fail_msg("%s: decoded", what);
    }
    if (!strstr(err.text, why)) {
        fail_msg("%s: '%s' and not '%s'", what, err.text, why);
    }
}

/* 100 megapixels and more in the head of a file that has a hundred bytes. */
static void lying_sizes(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf png = load("two.png"), jpg = load("two.jpg"), gif = load("two.gif"),
                              webp = load("two.webp"), lossy = load("lossy.webp");
    memcpy(png.data + 16, "\0\0\x27\x10\0\0\x27\x10", 8); /* 10000 × 10000 */
    refused("png", png.data, png.len, "too large");
    memcpy(png.data + 16, "\x7f\xff\xff\xff\x7f\xff\xff\xff", 8);
    refused("png", png.data, png.len, "PNG");
    memcpy(png.data + 16, "\0\0\0\0\0\0\0\0", 8);
    refused("png", png.data, png.len, "PNG");
    memcpy(png.data + 16, "\0\0\x10\0\0\0\x10\0", 8); /* 4096 × 4096 would be welcome */
    refused("png", png.data, png.len, "damaged PNG");
    char *frame = memmem(jpg.data, jpg.len, "\xff\xc0", 2);
    assert_non_null(frame);
    static const uint8_t sides[] = { 0x4e, 0x20, 0x4e, 0x20 }; /* 20000 × 20000 */
    memcpy(frame + 5, sides, sizeof(sides));
    refused("jpeg", jpg.data, jpg.len, "too large");
    memset(frame + 5, 0, 4);
    refused("jpeg", jpg.data, jpg.len, "JPEG");
    memcpy(gif.data + 6, "\xff\xff\xff\xff", 4);
    refused("gif", gif.data, gif.len, "too large");
    memcpy(gif.data + 6, "\0\0\0\0", 4);
    refused("gif", gif.data, gif.len, "no size");
    memcpy(webp.data + 21, "\xff\xff\xff\x0f", 4); /* 16384 × 16384, lossless */
    refused("webp", webp.data, webp.len, "too large");
    memcpy(lossy.data + 26, "\xff\x3f\xff\x3f", 4);
    refused("webp", lossy.data, lossy.len, "too large");
}

static void names_and_garbage(void **state) {
    (void)state;
    refused("nothing", "", 0, "empty");
    refused("html", "<html><body>404</body></html>", 29, "not a PNG");
    refused("text", "\x89PNX", 4, "not a PNG");
    static const char *const beginnings[] = { "\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF89a",
        "RIFFxxxxWEBP" };
    for (size_t i = 0; i < OC_COUNT(beginnings); i++) {
        char bytes[600] = { 0 };
        size_t n = strlen(beginnings[i]);
        memcpy(bytes, beginnings[i], n);
        uint32_t x = 12345;
        for (size_t k = n; k < sizeof(bytes); k++) {
            x = x * 1664525u + 1013904223u;
            bytes[k] = (char)(x >> 24);
        }
        refused(beginnings[i] + (i < 2), bytes, sizeof(bytes), "damaged");
    }
}

/* A progressive JPEG whose last scan comes again and again. */
static void many_scans(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf jpg = load("two.jpg"), out = OC_BUF_INIT(1 << 20);
    char *frame = memmem(jpg.data, jpg.len, "\xff\xc0", 2), *scan;
    frame[1] = (char)0xc2;
    scan = memmem(jpg.data, jpg.len, "\xff\xda", 2);
    assert_non_null(scan);
    assert_int_equal(oc_buf_append(&out, jpg.data, (size_t)(scan - jpg.data)), OC_OK);
    for (int i = 0; i < 5000; i++) {
        /* One component, its first coefficient, one bit more exactly. */
        assert_int_equal(oc_buf_append(&out, "\xff\xda\0\x08\x01\x01\0\0\0\0\0\0", 12), OC_OK);
    }
    refused("jpeg", out.data, out.len, "scans");
}

static void drawings(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf bomb = load("bomb.svg"), uses = load("uses.svg"),
                              entity = load("entity.svg"), text = load("text.svg");
    refused("billion laughs", bomb.data, bomb.len, "SVG");
    refused("ten thousand million circles", uses.data, uses.len, "SVG");
    refused("external entity", entity.data, entity.len, "SVG");
    refused("half a drawing", text.data, text.len / 2, "SVG");
    static const char huge[] = "<svg xmlns='http://www.w3.org/2000/svg' width='1e9' height='1e9'/>";
    refused("huge", huge, strlen(huge), "SVG");
    struct oc_error err = { 0 };
    OC_AUTO_PICTURE struct oc_picture p = { 0 };
    assert_int_equal(decode_apart(text.data, text.len, &p, &err), OC_OK);
    size_t inked = 0; /* fonts are there in spite of the confinement */
    for (size_t i = 0; i < p.bytes / 4; i++) {
        inked += p.argb[i] >> 24 > 128;
    }
    assert_true(inked > 100);
}

static void drawings_stay_inside(void **state) {
    static const char *const before[] = { "file://", "", "", "http://127.0.0.1:9" };
    OC_AUTO_BUF struct oc_buf png = load("two.png");
    OC_AUTO_FREE char *path = oc_strfmt("%s/two.png", (char *)*state);
    struct oc_error err = { 0 };
    assert_int_equal(oc_file_write_private(path, png.data, png.len, &err), OC_OK);
    assert_int_equal(chdir(*state), 0);
    for (size_t i = 0; i < OC_COUNT(before); i++) {
        OC_AUTO_FREE char *href = oc_strfmt("%s%s", before[i], i == 2 ? "two.png" : path);
        OC_AUTO_FREE char *svg =
                oc_strfmt("<svg xmlns='http://www.w3.org/2000/svg' width='6' height='4'>"
                          "<style>@import url('%s');</style>"
                          "<image width='6' height='4' href='%s'/></svg>",
                        href, href);
        OC_AUTO_PICTURE struct oc_picture p = { 0 };
        assert_int_equal(decode_apart(svg, strlen(svg), &p, &err), OC_OK);
        for (size_t k = 0; k < p.bytes / 4; k++) {
            assert_int_equal(p.argb[k], 0);
        }
    }
    assert_int_equal(chdir("/"), 0);
}

/* --- the walls ------------------------------------------------------------------------------------------------------------ */

static bool can_open(const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC);
    return fd >= 0;
}

/* A bit for everything that should not work, and does. */
static int escapes(bool in_memory) {
    int found = 0;
    bool has_landlock = syscall(444, NULL, 0, 1) > 0;
    in_memory ? oc_confine_to_memory() : oc_confine_to_fonts();
    found |= (in_memory || has_landlock) && can_open("/etc/passwd", O_RDONLY) ? 1 : 0;
    found |= (in_memory || has_landlock) && can_open("/dev/null", O_WRONLY) ? 2 : 0;
    found |= socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ? 4 : 0;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(0);
    }
    found |= pid >= 0 ? 8 : 0;
    found |= kill(getppid(), 0) == 0 ? 16 : 0;
    char *argv[] = { (char *)"true", NULL };
    execv("/bin/true", argv);
    found |= errno != EPERM ? 32 : 0;
    return found;
}

static int status_of(bool in_memory) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(escapes(in_memory));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void no_way_out(void **state) {
    (void)state;
    assert_int_equal(status_of(true), 0);
    assert_int_equal(status_of(false), 0);
}

static enum oc_code crash(
        const uint8_t *bytes, size_t len, struct oc_picture *ret, struct oc_error *err) {
    (void)bytes;
    (void)len;
    (void)ret;
    (void)err;
    _exit(77);
}

/* Refuses with how many files it finds open, but the one for its pixels. */
static enum oc_code looks_around(
        const uint8_t *bytes, size_t len, struct oc_picture *ret, struct oc_error *err) {
    (void)bytes;
    (void)len;
    (void)ret;
    int count = 0;
    for (int fd = 1; fd < 1024; fd++) {
        count += write(fd, "", 0) == 0 || errno != EBADF;
    }
    return oc_fail(err, OC_E_TOO_LARGE, "%d files", count);
}

static enum oc_code never_ends(
        const uint8_t *bytes, size_t len, struct oc_picture *ret, struct oc_error *err) {
    (void)len;
    (void)ret;
    (void)err;
    const volatile uint8_t *p = bytes;
    while (*p) {
    }
    return OC_OK;
}

static enum oc_code run_apart(oc_picture_decoder *decode, const char *bytes, struct oc_picture *ret,
        struct oc_error *err) {
    size_t len = strlen(bytes);
    return end_of(oc_apart_start(decode, (const uint8_t *)bytes, len, ROOM, err), ret, err);
}

static void broken_decoders(void **state) {
    (void)state;
    struct oc_error err = { 0 };
    struct oc_picture p = { 0 };
    assert_int_equal(run_apart(crash, "", &p, &err), OC_E_INVALID);
    assert_int_equal(run_apart(never_ends, "x", &p, &err), OC_E_INVALID);
    assert_string_equal(err.text, "the picture takes too long, or breaks its decoder");
    assert_int_equal(run_apart(looks_around, "x", &p, &err), OC_E_TOO_LARGE);
    assert_string_equal(err.text, "0 files");
    assert_null(p.argb);
}

#if !OC_IS_SANITIZED /* whose shadow memory counts */
/* Refuses when it is not given a gigabyte. */
static enum oc_code hoards(
        const uint8_t *bytes, size_t len, struct oc_picture *ret, struct oc_error *err) {
    (void)bytes;
    (void)len;
    (void)ret;
    void *volatile p = malloc((size_t)1 << 30);
    return oc_fail(err, OC_E_TOO_LARGE, p ? "has it" : "has it not");
}

/* What a decoder of a program as large as this may still use is counted from there. */
static enum oc_code modest(
        const uint8_t *bytes, size_t len, struct oc_picture *ret, struct oc_error *err) {
    (void)bytes;
    (void)len;
    (void)ret;
    void *volatile p = malloc((size_t)300 << 20);
    return oc_fail(err, OC_E_TOO_LARGE, p ? "has it" : "has it not");
}

static void greedy_decoders(void **state) {
    (void)state;
    struct oc_error err = { 0 };
    struct oc_picture p = { 0 };
    OC_AUTO_FREE char *large = oc_alloc((size_t)512 << 20);
    *(volatile char *)large = 1;
    assert_int_equal(run_apart(hoards, "x", &p, &err), OC_E_TOO_LARGE);
    assert_string_equal(err.text, "has it not");
    assert_int_equal(run_apart(modest, "x", &p, &err), OC_E_TOO_LARGE);
    assert_string_equal(err.text, "has it");
}
#endif

/* --- the store ------------------------------------------------------------------------------------------------------------ */

struct wanted {
    unsigned count;
    char last[64];
};

static void on_wanted(void *user, const char *url) {
    struct wanted *w = user;
    w->count++;
    (void)snprintf(w->last, sizeof(w->last), "%s", url);
}

static const struct oc_image *get(struct oc_images *s, const char *url) {
    return oc_images_get(s, (struct oc_slice){ url, strlen(url) });
}

static void brought(void **state) {
    (void)state;
    struct wanted w = { 0 };
    struct oc_images *s = oc_images_create(on_wanted, &w);
    OC_AUTO_BUF struct oc_buf png = load("two.png");
    const struct oc_image *a = get(s, "https://x/a.jpg"), *b = get(s, "b");
    assert_int_equal(w.count, 2);
    assert_string_equal(w.last, "b");
    assert_int_equal(a->state, OC_IMAGE_LOADING);
    assert_ptr_equal(get(s, "https://x/a.jpg"), a);
    assert_int_equal(w.count, 2);
    unsigned serial = a->serial;
    oc_images_bring(s, "https://x/a.jpg", png.data, png.len, NULL); /* whatever it is called */
    assert_int_equal(a->state, OC_IMAGE_LOADING);
    assert_true(oc_images_are_decoding(s));
    oc_images_bring(s, "https://x/a.jpg", NULL, 0, "twice");
    await(s);
    assert_int_equal(a->state, OC_IMAGE_READY);
    assert_true(a->w == 6 && a->h == 4 && a->pixels && a->serial != serial);
    assert_true(oc_images_are_loading(s));
    oc_images_bring(s, "b", NULL, 0, "404 Not Found");
    assert_int_equal(b->state, OC_IMAGE_FAILED);
    assert_string_equal(b->error, "404 Not Found");
    assert_false(oc_images_are_loading(s));
    oc_images_bring(s, "b", png.data, png.len, NULL); /* too late */
    assert_int_equal(b->state, OC_IMAGE_FAILED);
    oc_images_bring(s, "never asked for", png.data, png.len, NULL);
    assert_int_equal(get(s, "")->state, OC_IMAGE_FAILED);
    assert_int_equal(oc_images_get(s, (struct oc_slice){ "a\0b", 3 })->state, OC_IMAGE_FAILED);
    assert_int_equal(w.count, 2);
    oc_images_destroy(s);
}

static void data_urls(void **state) {
    (void)state;
    struct oc_images *s = oc_images_create(NULL, NULL);
    OC_AUTO_BUF struct oc_buf png = load("two.png");
    OC_AUTO_FREE char *base64 = oc_base64(png.data, png.len);
    OC_AUTO_FREE char *good = oc_strfmt("data:image/jpeg;base64,%s", base64),
                      *spaced = oc_strfmt("DATA:;BASE64,%.20s\n %%0a%s", base64, base64 + 20),
                      *cut = oc_strfmt("data:image/png;base64,%.*s", 60, base64),
                      *plain = oc_strfmt("data:image/png,%s", base64);
    static const char svg[] = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' "
                              "width='8' height='%38'/%3e";
    static const char half[] = "data:image/svg+xml,%3Csvg%";
    const char *const all[] = { good, spaced, cut, plain, svg, half };
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        (void)get(s, all[i]);
    }
    await(s);
    assert_int_equal(get(s, good)->state, OC_IMAGE_READY);
    assert_int_equal(get(s, spaced)->state, OC_IMAGE_READY);
    assert_int_equal(get(s, cut)->state, OC_IMAGE_FAILED);
    assert_int_equal(get(s, plain)->state, OC_IMAGE_FAILED);
    assert_string_equal(get(s, "data:image/png;base64,a$b=")->error, "its base64 is damaged");
    assert_string_equal(get(s, "data:image/png;base64")->error, "a data: address without a comma");
    assert_string_equal(get(s, "data:,")->error, "the file is empty");
    assert_int_equal(get(s, svg)->state, OC_IMAGE_READY);
    assert_int_equal(get(s, half)->state, OC_IMAGE_FAILED);
    assert_false(oc_images_are_loading(s));
    oc_images_destroy(s);
}

/* Drawings have more pixels than their size says, photographs fewer; both fill their place. */
static void drawn(void **state) {
    (void)state;
    struct oc_images *s = oc_images_create(on_wanted, &(struct wanted){ 0 });
    static const char *const names[] = { "two.svg", "two.png", "two.jpg" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        OC_AUTO_BUF struct oc_buf file = load(names[i]);
        const struct oc_image *image = get(s, names[i]);
        oc_images_bring(s, names[i], file.data, file.len, NULL);
        await(s);
        cairo_surface_t *page = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 60, 30);
        cairo_t *cr = cairo_create(page);
        oc_image_draw(image, cr, (struct oc_rect){ 10, 5, 40, 20 });
        cairo_destroy(cr);
        cairo_surface_flush(page);
        const uint32_t *row = (const void *)(cairo_image_surface_get_data(page) +
                                             (ptrdiff_t)24 * cairo_image_surface_get_stride(page));
        assert_true(row[9] == 0 && row[50] == 0);
        assert_true(is_near(row[10], RED) && is_near(row[24], RED));
        assert_true(is_near(row[36], BLUE) && is_near(row[49], BLUE));
        cairo_surface_destroy(page);
    }
    oc_images_destroy(s);
}

static void ageing(void **state) {
    (void)state;
    struct wanted w = { 0 };
    struct oc_images *s = oc_images_create(on_wanted, &w);
    (void)get(s, "kept");
    (void)get(s, "old");
    (void)get(s, "slow");
    oc_images_bring(s, "kept", NULL, 0, "x");
    oc_images_bring(s, "old", NULL, 0, "x");
    for (int i = 0; i < 4; i++) {
        oc_images_age(s);
        (void)get(s, "kept");
    }
    assert_int_equal(w.count, 3);
    (void)get(s, "old");
    assert_int_equal(w.count, 4); /* asked for again */
    (void)get(s, "slow");
    assert_int_equal(w.count, 4); /* what is under way is not asked for twice */
    oc_images_destroy(s);
}

static void ceilings(void **state) {
    (void)state;
    struct wanted w = { 0 };
    struct oc_images *s = oc_images_create(on_wanted, &w);
    for (unsigned i = 0; i < OC_CANVAS_MAX_IMAGES; i++) {
        OC_AUTO_FREE char *url = oc_strfmt("u%u", i);
        (void)get(s, url);
    }
    assert_string_equal(get(s, "one more")->error, "too many pictures");
    assert_int_equal(w.count, OC_CANVAS_MAX_IMAGES);
    OC_AUTO_FREE char *large = oc_alloc(OC_CANVAS_MAX_IMAGE_BYTES + 1);
    memset(large, 0, OC_CANVAS_MAX_IMAGE_BYTES + 1);
    oc_images_bring(s, "u0", large, OC_CANVAS_MAX_IMAGE_BYTES + 1, NULL);
    assert_string_equal(get(s, "u0")->error, "the file is larger than 20 MB");
    /* Drawings of 2048 × 2048 are 16 MB each; the fifth is too much. */
    static const char svg[] =
            "<svg xmlns='http://www.w3.org/2000/svg' width='2048' height='2048'/>";
    for (unsigned i = 1; i <= 5; i++) {
        OC_AUTO_FREE char *url = oc_strfmt("u%u", i);
        oc_images_bring(s, url, svg, strlen(svg), NULL);
    }
    await(s);
    for (unsigned i = 1; i <= 5; i++) {
        OC_AUTO_FREE char *url = oc_strfmt("u%u", i);
        assert_int_equal(get(s, url)->state, i < 5 ? OC_IMAGE_READY : OC_IMAGE_FAILED);
    }
    assert_string_equal(get(s, "u5")->error, "all pictures together are too large");
    oc_images_destroy(s);
}

/* --- beside everything else ---------------------------------------------------------------------------------------------- */

static void bring_file(struct oc_images *s, const char *url, const struct oc_buf *file) {
    (void)get(s, url);
    oc_images_bring(s, url, file->data, file->len, NULL);
}

static unsigned count_children(void) {
    unsigned count = 0;
    OC_AUTO_FREE char *path = oc_strfmt("/proc/self/task/%d/children", (int)getpid());
    OC_AUTO_BUF struct oc_buf list = OC_BUF_INIT(1 << 16);
    struct oc_error err;
    if (oc_file_read(path, 1 << 16, &list, &err) != OC_OK) {
        return 0; /* a kernel that does not tell */
    }
    for (size_t i = 0; i < list.len; i++) {
        count += list.data[i] == ' ';
    }
    return count;
}

/* Whoever asks goes on at once; two work, and the others wait for them. */
static void slow_ones(void **state) {
    (void)state;
    struct oc_images *s = oc_images_create(on_wanted, &(struct wanted){ 0 });
    OC_AUTO_BUF struct oc_buf uses = load("uses.svg"), png = load("two.png");
    for (unsigned i = 0; i < 6; i++) {
        OC_AUTO_FREE char *url = oc_strfmt("slow%u", i);
        bring_file(s, url, &uses);
        assert_int_equal(get(s, url)->state, OC_IMAGE_LOADING);
    }
    bring_file(s, "quick", &png);
    assert_true(count_children() <= 2);
    oc_images_age(s);
    for (unsigned i = 0; i < 2; i++) { /* and those that nobody looks at any more are let go */
        OC_AUTO_FREE char *url = oc_strfmt("slow%u", i);
        (void)get(s, url);
    }
    (void)get(s, "quick");
    (void)oc_images_begin(s);
    await(s);
    assert_int_equal(get(s, "slow0")->state, OC_IMAGE_FAILED);
    assert_int_equal(get(s, "slow1")->state, OC_IMAGE_FAILED);
    assert_int_equal(get(s, "slow2")->state, OC_IMAGE_LOADING); /* asked for anew */
    assert_int_equal(get(s, "quick")->state, OC_IMAGE_READY);
    bring_file(s, "slow3", &uses);
    oc_images_destroy(s);
    assert_int_equal(count_children(), 0);
}

static void processor_time(void **state) {
    (void)state;
    struct oc_images *s = oc_images_create(on_wanted, &(struct wanted){ 0 });
    OC_AUTO_BUF struct oc_buf uses = load("uses.svg"), png = load("two.png");
    oc_images_budget(s, 100);
    bring_file(s, "a", &uses);
    bring_file(s, "b", &uses);
    bring_file(s, "c", &uses);
    bring_file(s, "d", &png);
    await(s);
    assert_string_equal(
            get(s, "a")->error, "the SVG picture is damaged, too large or takes too long");
    assert_string_equal(get(s, "c")->error, "the pictures take too long to decode, all together");
    assert_string_equal(get(s, "d")->error, "the pictures take too long to decode, all together");
    oc_images_budget(s, 60000);
    bring_file(s, "e", &png);
    await(s);
    assert_int_equal(get(s, "e")->state, OC_IMAGE_READY);
    oc_images_destroy(s);
}

/* Grey, of one shade. */
static struct oc_buf make_png(uint32_t w, uint32_t h, int shade) {
    struct oc_buf ret = OC_BUF_INIT(1 << 20);
    struct spng_ihdr head = { .width = w, .height = h, .bit_depth = 8 };
    OC_AUTO_FREE uint8_t *pixels = oc_alloc((size_t)w * h);
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    int rc = 0;
    size_t len = 0;
    memset(pixels, shade, (size_t)w * h);
    spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1);
    spng_set_option(ctx, SPNG_IMG_COMPRESSION_LEVEL, 1);
    assert_int_equal(spng_set_ihdr(ctx, &head), 0);
    assert_int_equal(
            spng_encode_image(ctx, pixels, (size_t)w * h, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE), 0);
    char *made = spng_get_png_buffer(ctx, &len, &rc);
    assert_int_equal(oc_buf_append(&ret, made, len), OC_OK);
    free(made);
    spng_ctx_free(ctx);
    return ret;
}

static int side_of(const struct oc_image *image) {
    assert_int_equal(image->state, OC_IMAGE_READY);
    return cairo_image_surface_get_width(image->pixels);
}

/* A picture with more pixels than there is room for is shown with fewer, and who comes first has the first choice, however long
 * it takes. */
static void large_ones(void **state) {
    (void)state;
    struct oc_images *s = oc_images_create(on_wanted, &(struct wanted){ 0 });
    OC_AUTO_BUF struct oc_buf photo = make_png(4200, 4200, 0x40), wide = make_png(3000, 2000, 0x80),
                              text = load("text.svg");
    bring_file(s, "photo", &photo); /* 4200² × 4 bytes are more than 64 MiB */
    await(s);
    assert_int_equal(side_of(get(s, "photo")), 2100);
    assert_true(get(s, "photo")->w == 4200 && get(s, "photo")->h == 4200);
    const uint32_t *first = (const void *)cairo_image_surface_get_data(get(s, "photo")->pixels);
    assert_int_equal(first[0], 0xff404040u);
    bring_file(s, "text", &text);
    bring_file(s, "wide", &wide);
    bring_file(s, "too", &photo);
    await(s);
    assert_int_equal(side_of(get(s, "wide")), 3000);
    assert_true(get(s, "text")->state == OC_IMAGE_READY);
    assert_int_equal(side_of(get(s, "too")), 2100);
    bring_file(s, "last", &wide); /* of the 64 MiB little is left */
    await(s);
    assert_true(side_of(get(s, "last")) < 3000);
    oc_images_destroy(s);
}

/* What is no longer shown makes room for what is. */
static void next_page(void **state) {
    (void)state;
    struct oc_images *s = oc_images_create(on_wanted, &(struct wanted){ 0 });
    OC_AUTO_BUF struct oc_buf full = make_png(4096, 4096, 0x40), other = make_png(4000, 4000, 0);
    bring_file(s, "full", &full);
    await(s);
    assert_int_equal(side_of(get(s, "full")), 4096);
    bring_file(s, "no room", &other);
    await(s);
    assert_string_equal(get(s, "no room")->error, "all pictures together are too large");
    oc_images_age(s);
    bring_file(s, "other", &other);
    await(s);
    assert_int_equal(side_of(get(s, "other")), 4000);
    oc_images_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format),
        cmocka_unit_test(moving_ones),
        cmocka_unit_test(truncated_everywhere),
        cmocka_unit_test(damaged_everywhere),
        cmocka_unit_test(lying_sizes),
        cmocka_unit_test(names_and_garbage),
        cmocka_unit_test(many_scans),
        cmocka_unit_test(drawings),
        cmocka_unit_test_setup_teardown(drawings_stay_inside, oc_temp_setup, oc_temp_teardown),
        cmocka_unit_test(no_way_out),
        cmocka_unit_test(broken_decoders),
#if !OC_IS_SANITIZED
        cmocka_unit_test(greedy_decoders),
#endif
        cmocka_unit_test(brought),
        cmocka_unit_test(data_urls),
        cmocka_unit_test(drawn),
        cmocka_unit_test(ageing),
        cmocka_unit_test(ceilings),
        cmocka_unit_test(slow_ones),
        cmocka_unit_test(processor_time),
        cmocka_unit_test(large_ones),
        cmocka_unit_test(next_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
