#include "cli/pairing/qr.h"

#include "lib/base/mem.h"

#include <dlfcn.h>
#include <qrencode.h>
#include <stdbool.h>

#define QUIET 4

static bool is_dark(const unsigned char *modules, size_t size, size_t row, size_t column) {
    if (row < QUIET || column < QUIET || row >= size + QUIET || column >= size + QUIET) {
        return false;
    }
    return modules[(row - QUIET) * size + column - QUIET] & 1;
}

void cli_qr_draw(const unsigned char *modules, size_t size, struct oc_buf *out) {
    static const char *const cells[2][2] = { { " ", "▄" }, { "▀", "█" } }; /* [upper][lower] */
    size_t width = size + 2 * (size_t)QUIET;
    for (size_t row = 0; row < width; row += 2) {
        oc_buf_puts(out, "\x1b[30;107m"); /* black on white */
        for (size_t column = 0; column < width; column++) {
            oc_buf_puts(out, cells[is_dark(modules, size, row, column)]
                                  [is_dark(modules, size, row + 1, column)]);
        }
        oc_buf_puts(out, "\x1b[0m\n");
    }
}

/* Loaded and not linked: a gateway on a server draws no codes and does without the library. */
static void *open_library(void) {
    static const char *const names[] = { "libqrencode.so.4", "libqrencode.4.dylib" };
    void *library = NULL;
    for (size_t i = 0; i < OC_COUNT(names) && !library; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

enum oc_code cli_qr_encode(const char *text, struct oc_buf *out, struct oc_error *err) {
    void *library = open_library();
    if (!library) {
        return oc_fail(err, OC_E_UNAVAILABLE,
                "drawing a QR code needs libqrencode: install the package libqrencode4 (Debian, "
                "Ubuntu) or qrencode (Homebrew); the setup code works as text, too");
    }
    /* POSIX lets dlsym's result be a function; ISO C has no cast for it. */
    union {
        void *symbol;
        typeof(QRcode_encodeString8bit) *encode;
        typeof(QRcode_free) *release;
    } encode = { dlsym(library, "QRcode_encodeString8bit") },
      release = { dlsym(library, "QRcode_free") };
    enum oc_code rc = OC_OK;
    QRcode *code = encode.symbol && release.symbol ? encode.encode(text, 0, QR_ECLEVEL_L) : NULL;
    if (code) {
        cli_qr_draw(code->data, (size_t)code->width, out);
        release.release(code);
    } else {
        rc = oc_fail(err, OC_E_TOO_LARGE, "libqrencode could not encode the setup code");
    }
    dlclose(library);
    return rc;
}
