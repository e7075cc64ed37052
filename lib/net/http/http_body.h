/* The body of an HTTP answer as it comes: of known length, in chunks, or up to the end of the
 * connection. */
#ifndef LIB_NET_HTTP_HTTP_BODY_H
#define LIB_NET_HTTP_HTTP_BODY_H

#include "lib/base/buf.h"
#include "lib/net/http/http.h"

enum oc_body_kind { OC_BODY_LENGTH, OC_BODY_CHUNKED, OC_BODY_UNTIL_END };

struct oc_http_body {
    enum oc_body_kind kind;
    uint64_t left; /* of the body, or of the chunk */
    int state;     /* private: of chunks */
    size_t digits;
    bool is_done;
};

enum oc_code oc_http_body_begin(
        struct oc_http_body *b, const struct oc_http_head *head, struct oc_error *err) OC_MUST_USE;
/* OC_E_TOO_LARGE past out's ceiling. Look at is_done afterwards; what comes after the end is
 * ignored. */
enum oc_code oc_http_body_take(struct oc_http_body *b, const char *data, size_t len,
        struct oc_buf *out, struct oc_error *err) OC_MUST_USE;
/* The connection has ended: was that the end of the body? */
bool oc_http_body_may_end(const struct oc_http_body *b);

#endif
