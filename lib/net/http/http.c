#include "lib/net/http/http.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <string.h>
#include <strings.h>

const char *oc_http_method(const struct oc_http_head *h) {
    return h->method;
}

const char *oc_http_path(const struct oc_http_head *h) {
    return h->path;
}

const char *oc_http_query(const struct oc_http_head *h) {
    return h->query;
}

const char *oc_http_header_nth(const struct oc_http_head *h, const char *name, size_t n) {
    for (size_t i = 0; i < h->field_count; i++) {
        if (strcasecmp(h->fields[i].name, name) == 0 && n-- == 0) {
            return h->fields[i].value;
        }
    }
    return NULL;
}

const char *oc_http_header(const struct oc_http_head *h, const char *name) {
    return oc_http_header_nth(h, name, 0);
}

bool oc_http_has_prefix(const struct oc_http_head *h, const char *prefix) {
    for (size_t i = 0; i < h->field_count; i++) {
        if (strncasecmp(h->fields[i].name, prefix, strlen(prefix)) == 0) {
            return true;
        }
    }
    return false;
}

size_t oc_http_header_count(const struct oc_http_head *h, const char *name) {
    size_t n = 0;
    for (size_t i = 0; i < h->field_count; i++) {
        n += strcasecmp(h->fields[i].name, name) == 0;
    }
    return n;
}

static bool list_has(const char *list, const char *token) {
    size_t want = strlen(token);
    while (*list) {
        list += strspn(list, " \t,");
        size_t len = strcspn(list, ",");
        size_t trimmed = len;
        while (trimmed > 0 && (list[trimmed - 1] == ' ' || list[trimmed - 1] == '\t')) {
            trimmed--;
        }
        if (trimmed == want && strncasecmp(list, token, want) == 0) {
            return true;
        }
        list += len;
    }
    return false;
}

bool oc_http_has_token(const struct oc_http_head *h, const char *name, const char *token) {
    for (size_t i = 0; i < h->field_count; i++) {
        if (strcasecmp(h->fields[i].name, name) == 0 && list_has(h->fields[i].value, token)) {
            return true;
        }
    }
    return false;
}

size_t oc_http_head_end(const char *text, size_t len, size_t *from) {
    size_t at = *from > 3 ? *from - 3 : 0; /* the mark may have come in two pieces */
    const char *end = memmem(text + at, len - at, "\r\n\r\n", 4);
    *from = len;
    return end ? (size_t)(end - text) + 4 : 0;
}

static bool is_token_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           oc_is_one_of(c, "!#$%&'*+-.^_`|~");
}

bool oc_http_may_start_with(char c) {
    return is_token_char(c);
}

static bool is_value_char(char c) {
    unsigned char u = (unsigned char)c;
    return c == '\t' || (u >= 0x20 && u != 0x7f);
}

/* Cuts the next line out of *text, which ends in CRLF; NULL if it holds a lone CR or LF or a NUL.
 */
static char *next_line(char **text, char *end) {
    char *line = *text;
    char *lf = memchr(line, '\n', (size_t)(end - line));
    if (!lf || lf == line || lf[-1] != '\r' || memchr(line, '\r', (size_t)(lf - 1 - line)) ||
            memchr(line, '\0', (size_t)(lf - 1 - line))) {
        return NULL;
    }
    lf[-1] = '\0';
    *text = lf + 1;
    return line;
}

static bool parse_field(char *line, struct oc_http_field *ret) {
    char *p = line;
    while (is_token_char(*p)) {
        p++;
    }
    if (p == line || *p != ':') {
        return false;
    }
    *p++ = '\0';
    p += strspn(p, " \t");
    char *last = p;
    for (char *q = p; *q; q++) {
        if (!is_value_char(*q)) {
            return false;
        }
        if (*q != ' ' && *q != '\t') {
            last = q + 1;
        }
    }
    *last = '\0';
    *ret = (struct oc_http_field){ .name = line, .value = p };
    return true;
}

/* 0 or a status. */
static int parse_fields(char *text, char *end, struct oc_http_head *ret, const char **ret_why) {
    for (;;) {
        char *line = next_line(&text, end);
        if (!line) {
            *ret_why = "malformed header line";
            return 400;
        }
        if (!*line) {
            return 0;
        }
        if (ret->field_count == OC_MAX_HTTP_HEADERS) {
            *ret_why = "too many header fields";
            return 431;
        }
        if (!parse_field(line, &ret->fields[ret->field_count])) {
            *ret_why = "malformed header field";
            return 400;
        }
        ret->field_count++;
    }
}

static bool parse_length(const char *text, uint64_t *ret) {
    uint64_t v = 0;
    size_t n = 0;
    for (; text[n] >= '0' && text[n] <= '9'; n++) {
        if (n == 15) {
            return false;
        }
        v = v * 10 + (uint64_t)(text[n] - '0');
    }
    *ret = v;
    return n > 0 && !text[n];
}

static int check_body_fields(struct oc_http_head *h, const char **ret_why) {
    if (oc_http_header(h, "Transfer-Encoding")) {
        *ret_why = "Transfer-Encoding is not supported";
        return 501;
    }
    const char *length = oc_http_header(h, "Content-Length");
    if (length && (oc_http_header_count(h, "Content-Length") != 1 ||
                          !parse_length(length, &h->content_length))) {
        *ret_why = "bad Content-Length";
        return 400;
    }
    return 0;
}

/* Cuts "METHOD /target HTTP/1.x". */
static int parse_request_line(char *line, struct oc_http_head *ret, const char **ret_why) {
    char *p = line;
    while (is_token_char(*p)) {
        p++;
    }
    *ret_why = "malformed request line";
    if (p == line || *p != ' ') {
        return 400;
    }
    *p++ = '\0';
    char *target = p;
    while (*p > ' ' && *p < 0x7f && *p != '#') {
        p++;
    }
    if (*target != '/' || *p != ' ') {
        *ret_why = "the request target must be a path";
        return 400;
    }
    *p++ = '\0';
    if (strcmp(p, "HTTP/1.1") != 0 && strcmp(p, "HTTP/1.0") != 0) {
        if (strncmp(p, "HTTP/", 5) == 0) {
            *ret_why = "only HTTP/1.1 is supported";
            return 505;
        }
        return 400;
    }
    ret->minor_version = p[7] - '0';
    ret->method = line;
    ret->path = target;
    char *mark = strchr(target, '?');
    if (mark) {
        *mark = '\0';
    }
    ret->query = mark ? mark + 1 : "";
    return 0;
}

int oc_http_parse_request(char *text, size_t len, struct oc_http_head *ret, const char **ret_why) {
    *ret = (struct oc_http_head){ 0 };
    char *end = text + len;
    char *line = next_line(&text, end);
    if (!line) {
        *ret_why = "malformed request line";
        return 400;
    }
    int status = parse_request_line(line, ret, ret_why);
    if (status == 0) {
        status = parse_fields(text, end, ret, ret_why);
    }
    if (status == 0) {
        status = check_body_fields(ret, ret_why);
    }
    size_t hosts = oc_http_header_count(ret, "Host");
    if (status == 0 && (hosts > 1 || (hosts == 0 && ret->minor_version == 1))) {
        *ret_why = "exactly one Host header is required";
        return 400;
    }
    return status;
}

enum oc_code oc_http_parse_response(
        char *text, size_t len, struct oc_http_head *ret, struct oc_error *err) {
    *ret = (struct oc_http_head){ .method = "", .path = "", .query = "" };
    char *end = text + len;
    char *line = next_line(&text, end);
    if (!line || strncmp(line, "HTTP/1.", 7) != 0 || (line[7] != '0' && line[7] != '1') ||
            line[8] != ' ') {
        return oc_fail(err, OC_E_INVALID, "the answer is not HTTP/1.1");
    }
    ret->minor_version = line[7] - '0';
    const char *p = line + 9;
    for (int i = 0; i < 3; i++, p++) {
        if (*p < '0' || *p > '9') {
            return oc_fail(err, OC_E_INVALID, "malformed HTTP status line");
        }
        ret->status = ret->status * 10 + (*p - '0');
    }
    if (ret->status < 100 || (*p != ' ' && *p != '\0')) {
        return oc_fail(err, OC_E_INVALID, "malformed HTTP status line");
    }
    const char *why = NULL;
    if (parse_fields(text, end, ret, &why) != 0) {
        return oc_fail(err, OC_E_INVALID, "HTTP answer: %s", why);
    }
    return OC_OK;
}

const char *oc_http_reason(int status) {
    static const struct {
        int status;
        const char *reason;
    } table[] = {
        { 200, "OK" },
        { 202, "Accepted" },
        { 204, "No Content" },
        { 301, "Moved Permanently" },
        { 302, "Found" },
        { 303, "See Other" },
        { 304, "Not Modified" },
        { 307, "Temporary Redirect" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 408, "Request Timeout" },
        { 413, "Content Too Large" },
        { 415, "Unsupported Media Type" },
        { 426, "Upgrade Required" },
        { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 502, "Bad Gateway" },
        { 503, "Service Unavailable" },
        { 505, "HTTP Version Not Supported" },
    };
    for (size_t i = 0; i < OC_COUNT(table); i++) {
        if (table[i].status == status) {
            return table[i].reason;
        }
    }
    return "Unknown";
}
