#include "lib/net/http/http_body.h"

#include "lib/base/encode.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"

#include <string.h>
#include <strings.h>

#define MAX_CHUNK_DIGITS 8
#define MAX_TRAILER 16384

/* size ─▶ extension ─▶ data ─▶ CR LF ─▶ size … ; size 0 ─▶ trailer lines ─▶ done */
enum { SIZE, EXTENSION, DATA, DATA_END, TRAILER_START, TRAILER };

enum oc_code oc_http_body_begin(
        struct oc_http_body *b, const struct oc_http_head *head, struct oc_error *err) {
    const char *coding = oc_http_header(head, "Transfer-Encoding"),
               *length = oc_http_header(head, "Content-Length");
    *b = (struct oc_http_body){ .kind = OC_BODY_UNTIL_END, .state = SIZE };
    if (coding) {
        if (strcasecmp(coding, "chunked") != 0 || length) {
            return oc_fail(err, OC_E_UNSUPPORTED, "the answer's length is said in an odd way");
        }
        b->kind = OC_BODY_CHUNKED;
    } else if (length) {
        int64_t n;
        if (oc_http_header_count(head, "Content-Length") != 1 ||
                !oc_parse_int(length, 0, INT64_MAX / 2, &n)) {
            return oc_fail(err, OC_E_INVALID, "the answer has a bad Content-Length");
        }
        b->kind = OC_BODY_LENGTH;
        b->left = (uint64_t)n;
        b->is_done = n == 0;
    }
    return OC_OK;
}

static enum oc_code http_body_put(
        struct oc_buf *out, const char *data, size_t len, struct oc_error *err) {
    return oc_buf_append(out, data, len) == OC_OK
                   ? OC_OK
                   : oc_fail(err, OC_E_TOO_LARGE, "the answer has more than %zu bytes",
                             out->max_bytes);
}

/* One character outside of data; false: it does not belong there. */
static bool http_body_step(struct oc_http_body *b, char c) {
    int digit = oc_hex_value(c);
    switch (b->state) {
    case SIZE:
        if (digit >= 0) {
            b->left = b->left * 16 + (uint64_t)digit;
            return ++b->digits <= MAX_CHUNK_DIGITS;
        }
        if (b->digits == 0 || !oc_is_one_of(c, "\r; \t")) {
            return false;
        }
        b->state = EXTENSION;
        b->digits = 0;
        return true;
    case EXTENSION:
        if (c == '\n') {
            b->state = b->left > 0 ? DATA : TRAILER_START;
            b->digits = 0;
        }
        return ++b->digits <= MAX_TRAILER;
    case DATA_END:
        if (c == '\n') {
            b->state = SIZE;
            b->digits = 0;
            return true;
        }
        return c == '\r';
    case TRAILER_START:
        if (c == '\r') {
            return true;
        }
        if (c == '\n') {
            b->is_done = true;
            return true;
        }
        b->state = TRAILER;
        return true;
    default:
        if (c == '\n') {
            b->state = TRAILER_START;
        }
        return ++b->digits <= MAX_TRAILER;
    }
}

static enum oc_code take_chunks(struct oc_http_body *b, const char *data, size_t len,
        struct oc_buf *out, struct oc_error *err) {
    while (len > 0 && !b->is_done) {
        if (b->state != DATA) {
            if (!http_body_step(b, *data)) {
                return oc_fail(err, OC_E_INVALID, "the answer's chunks make no sense");
            }
            data++;
            len--;
            continue;
        }
        size_t n = len < b->left ? len : (size_t)b->left;
        enum oc_code rc = http_body_put(out, data, n, err);
        if (rc != OC_OK) {
            return rc;
        }
        data += n;
        len -= n;
        b->left -= n;
        b->state = b->left == 0 ? DATA_END : DATA;
    }
    return OC_OK;
}

enum oc_code oc_http_body_take(struct oc_http_body *b, const char *data, size_t len,
        struct oc_buf *out, struct oc_error *err) {
    if (b->is_done) {
        return OC_OK;
    }
    if (b->kind == OC_BODY_CHUNKED) {
        return take_chunks(b, data, len, out, err);
    }
    if (b->kind == OC_BODY_LENGTH) {
        len = len < b->left ? len : (size_t)b->left;
        b->left -= len;
        b->is_done = b->left == 0;
    }
    return http_body_put(out, data, len, err);
}

bool oc_http_body_may_end(const struct oc_http_body *b) {
    return b->is_done || b->kind == OC_BODY_UNTIL_END;
}
