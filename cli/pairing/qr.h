/* QR codes for the terminal, two modules per character cell. */
#ifndef CLI_PAIRING_QR_H
#define CLI_PAIRING_QR_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

/* Draws `size` × `size` modules (row by row, the lowest bit is "dark") with a quiet zone around
 * them. Dark on light, whatever the terminal's colours are, because most cameras want it that
 * way. */
void cli_qr_draw(const unsigned char *modules, size_t size, struct oc_buf *out);
/* Encodes with libqrencode, which is loaded when it is needed. OC_E_UNAVAILABLE names the package
 * when it is not there, OC_E_TOO_LARGE when the text does not fit. */
enum oc_code cli_qr_encode(const char *text, struct oc_buf *out, struct oc_error *err) OC_MUST_USE;

#endif
