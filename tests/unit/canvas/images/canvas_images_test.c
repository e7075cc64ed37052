/* Real pictures and hostile ones. Decoders run in this process where a sanitizer is to see what
 * they do, and as in the program, in processes of their own, where that is the point. */
#include "tests/unit/canvas/images/canvas_images_testing.h"

#include <errno.h>
#include <fcntl.h>

static const char *const rasters[] = { "two.png", "two.jpg", "two.gif", "two.webp", "lossy.webp",
    "animated.gif", "animated.webp" };

#define ROOM ((size_t)64 << 20)

static enum oc_code end_of(struct cv_decoding *d, struct cv_picture *ret, struct oc_error *err) {
    int64_t cpu_ms;
    return d ? cv_decoding_end(d, ret, &cpu_ms, err) : err->code;
}

static enum oc_code decode_apart(
        const void *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    return end_of(cv_decoding_start(bytes, len, ROOM, err), ret, err);
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
            CV_AUTO_PICTURE struct cv_picture p = { 0 };
            enum oc_code rc = apart ? decode_apart(file.data, file.len, &p, &err)
                                    : cv_picture_decode_here(file.data, file.len, &p, &err);
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
        CV_AUTO_PICTURE struct cv_picture p = { 0 };
        struct oc_error err = { 0 };
        assert_int_equal(decode_apart(file.data, file.len, &p, &err), OC_OK);
        assert_true(p.w == 8 && p.h == 8);
    }
}

static void decode_copy(const void *bytes, size_t len) {
    uint8_t *copy = oc_alloc(len ? len : 1); /* exactly as large: a sanitizer sees too far reads */
    struct oc_error err = { .text = "" };
    CV_AUTO_PICTURE struct cv_picture p = { 0 };
    memcpy(copy, bytes, len);
    if (cv_picture_decode_here(copy, len, &p, &err) != OC_OK) {
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
    CV_AUTO_PICTURE struct cv_picture p = { 0 };
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
    refused("png", png.data, png.len, "too large");
    memcpy(png.data + 16, "\0\0\x42\x68\0\0\0\1", 8); /* 17000 × 1: one side alone */
    refused("png", png.data, png.len, "too large");
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
    OC_AUTO_BUF struct oc_buf small = load("two.gif"); /* what stands on it is larger than it */
    size_t at = 13 + 3 * 256;                          /* behind its colours */
    char *first = memchr(small.data + at, ',', small.len - at);
    assert_non_null(first);
    memcpy(first + 5, "\xff\xff\xff\xff", 4);
    refused("gif", small.data, small.len, "too large");
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
    CV_AUTO_PICTURE struct cv_picture p = { 0 };
    assert_int_equal(decode_apart(text.data, text.len, &p, &err), OC_OK);
    size_t inked = 0; /* fonts are there in spite of the sandbox */
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
        CV_AUTO_PICTURE struct cv_picture p = { 0 };
        assert_int_equal(decode_apart(svg, strlen(svg), &p, &err), OC_OK);
        for (size_t k = 0; k < p.bytes / 4; k++) {
            assert_int_equal(p.argb[k], 0);
        }
    }
    assert_int_equal(chdir("/"), 0);
}

/* --- the sandbox ---------------------------------------------------------------------------- */

static bool can_open(const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC);
    return fd >= 0;
}

/* A bit for everything that should not work, and does. */
static int escapes(bool in_memory) {
    int found = 0;
    bool has_landlock = syscall(444, NULL, 0, 1) > 0;
    in_memory ? cv_sandbox_to_memory() : cv_sandbox_to_fonts();
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
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    (void)bytes;
    (void)len;
    (void)ret;
    (void)err;
    _exit(77);
}

/* Refuses with how many files it finds open, but the one for its pixels. */
static enum oc_code looks_around(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
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
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    (void)len;
    (void)ret;
    (void)err;
    const volatile uint8_t *p = bytes;
    while (*p) {
    }
    return OC_OK;
}

static enum oc_code run_apart(cv_picture_decoder *decode, const char *bytes, struct cv_picture *ret,
        struct oc_error *err) {
    size_t len = strlen(bytes);
    return end_of(cv_apart_start(decode, (const uint8_t *)bytes, len, ROOM, err), ret, err);
}

static void broken_decoders(void **state) {
    (void)state;
    struct oc_error err = { 0 };
    struct cv_picture p = { 0 };
    assert_int_equal(run_apart(crash, "", &p, &err), OC_E_INVALID);
    assert_int_equal(run_apart(never_ends, "x", &p, &err), OC_E_INVALID);
    assert_string_equal(err.text, "the picture takes too long, or breaks its decoder");
    assert_int_equal(run_apart(looks_around, "x", &p, &err), OC_E_TOO_LARGE);
    assert_string_equal(err.text, "0 files");
    assert_null(p.argb);
}

#if !CV_IS_SANITIZED /* whose shadow memory counts */
/* Refuses when it is not given a gigabyte. */
static enum oc_code hoards(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    (void)bytes;
    (void)len;
    (void)ret;
    void *volatile p = malloc((size_t)1 << 30);
    return oc_fail(err, OC_E_TOO_LARGE, p ? "has it" : "has it not");
}

/* What a decoder of a program as large as this may still use is counted from there. */
static enum oc_code modest(
        const uint8_t *bytes, size_t len, struct cv_picture *ret, struct oc_error *err) {
    (void)bytes;
    (void)len;
    (void)ret;
    void *volatile p = malloc((size_t)300 << 20);
    return oc_fail(err, OC_E_TOO_LARGE, p ? "has it" : "has it not");
}

static void greedy_decoders(void **state) {
    (void)state;
    struct oc_error err = { 0 };
    struct cv_picture p = { 0 };
    OC_AUTO_FREE char *large = oc_alloc((size_t)512 << 20);
    *(volatile char *)large = 1;
    assert_int_equal(run_apart(hoards, "x", &p, &err), OC_E_TOO_LARGE);
    assert_string_equal(err.text, "has it not");
    assert_int_equal(run_apart(modest, "x", &p, &err), OC_E_TOO_LARGE);
    assert_string_equal(err.text, "has it");
}
#endif

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
#if !CV_IS_SANITIZED
        cmocka_unit_test(greedy_decoders),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
