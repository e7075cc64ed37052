/* What may be asked of a request head without knowing how it is kept (lib/net/http/http.h). */
#ifndef LIB_NET_HTTP_HTTP_HEAD_H
#define LIB_NET_HTTP_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>

/* A request head, borrowed for the call. */
struct oc_http_head;
const char *oc_http_method(const struct oc_http_head *h);
const char *oc_http_path(const struct oc_http_head *h);  /* without query */
const char *oc_http_query(const struct oc_http_head *h); /* without '?', "" when absent */
/* Case-insensitive; NULL when absent; the first when repeated. */
const char *oc_http_header(const struct oc_http_head *h, const char *name);
/* For headers that may be repeated; NULL beyond the last. */
const char *oc_http_header_nth(const struct oc_http_head *h, const char *name, size_t n);
size_t oc_http_header_count(const struct oc_http_head *h, const char *name);
/* Whether any header's name begins like this. */
bool oc_http_has_prefix(const struct oc_http_head *h, const char *prefix);

#endif
