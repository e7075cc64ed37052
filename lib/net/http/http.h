/* HTTP/1.1 heads, strictly: what two readers could understand differently is refused.
 *
 * No folded lines, no bare line feeds, no white space before a colon, no Transfer-Encoding, no
 * second Host or Content-Length, only targets that start with '/'. */
#ifndef LIB_NET_HTTP_HTTP_H
#define LIB_NET_HTTP_HTTP_H

#include "lib/base/error.h"
#include "lib/net/http/http_head.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OC_MAX_HTTP_HEADERS 64

struct oc_http_field {
    const char *name, *value;
};

/* Strings point into the text that was parsed. */
struct oc_http_head {
    const char *method, *path, *query; /* requests */
    int status;                        /* responses */
    int minor_version;                 /* HTTP/1.x */
    uint64_t content_length;
    struct oc_http_field fields[OC_MAX_HTTP_HEADERS];
    size_t field_count;
};

/* Whether a request can begin like this. */
bool oc_http_may_start_with(char c);
/* Bytes up to and including the empty line, or 0 when it has not come yet. *from remembers how far
 * was looked; start with 0. */
size_t oc_http_head_end(const char *text, size_t len, size_t *from);
/* text is one head with its empty line; it is cut up in place. Returns 0, or the HTTP status to
 * refuse it with and *ret_why. */
int oc_http_parse_request(char *text, size_t len, struct oc_http_head *ret, const char **ret_why);
enum oc_code oc_http_parse_response(
        char *text, size_t len, struct oc_http_head *ret, struct oc_error *err) OC_MUST_USE;
/* True when a comma-separated header of this name has the token, in any case. */
bool oc_http_has_token(const struct oc_http_head *h, const char *name, const char *token);
const char *oc_http_reason(int status);

#endif
