/* The path a reverse proxy has us under, such as "/openclaw". */
#ifndef LIB_NET_HTTP_CONTEXT_PATH_H
#define LIB_NET_HTTP_CONTEXT_PATH_H

#include "lib/net/http/http.h"

#define OC_MAX_CONTEXT_PATH_BYTES 200

/* "openclaw", "/openclaw/" and "/openclaw" are one prefix; "" and "/" are none, which is "". NULL
 * when it is no plain path. Caller frees. */
char *oc_context_path(const char *text);
/* Takes the prefix off the head's path, which is then what it would be without a proxy. False when
 * the path is not below the prefix. */
bool oc_context_path_strip(const char *prefix, struct oc_http_head *head);

#endif
