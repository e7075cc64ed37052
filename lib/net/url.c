#include "lib/net/url.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "lib/net/addr.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void oc_url_finish(struct oc_url *u) {
    oc_free(u->host);
    oc_free(u->target);
    *u = (struct oc_url){ 0 };
}

char *oc_url_authority(const struct oc_url *u) {
    return oc_strfmt(strchr(u->host, ':') ? "[%s]:%u" : "%s:%u", u->host, (unsigned)u->port);
}

static enum oc_code url_fail(struct oc_error *err, const char *text, const char *why) {
    OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), 120);
    return oc_fail(err, OC_E_INVALID, "'%s': %s", shown, why);
}

/* A name whose last label is a number would be read as an address, in base 8, 10 or 16, by some. */
static bool looks_like_number(const char *host) {
    const char *last = strrchr(host, '.');
    last = last ? last + 1 : host;
    size_t digits = strspn(last, "0123456789");
    return last[digits] == '\0' || (last[0] == '0' && (last[1] == 'x' || last[1] == 'X'));
}

static bool is_name(const char *host) {
    size_t len = strlen(host);
    return len > 0 && len <= 253 && host[0] != '.' && host[0] != '-' && !strstr(host, "..") &&
           strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == len;
}

static const char *check_host(const char *host, bool in_brackets) {
    struct oc_addr a;
    if (in_brackets) {
        return strchr(host, ':') && !strchr(host, '%') && oc_addr_parse(host, 0, &a)
                       ? NULL
                       : "not an IPv6 address";
    }
    if (!is_name(host)) {
        return "not a host name (write other scripts in their xn-- form)";
    }
    if (looks_like_number(host) && !oc_addr_parse(host, 0, &a)) {
        return "a host that is a number must be four decimal numbers";
    }
    return NULL;
}

static bool parse_port(const char *text, size_t len, uint16_t *ret) {
    char digits[6];
    int64_t port;
    if (len == 0) { /* "host:" */
        return true;
    }
    if (len >= sizeof(digits)) {
        return false;
    }
    memcpy(digits, text, len);
    digits[len] = '\0';
    if (!oc_parse_int(digits, 1, 65535, &port)) {
        return false;
    }
    *ret = (uint16_t)port;
    return true;
}

/* Spaces and bytes above ASCII are escaped; control characters were refused before. */
static char *url_escaped(const char *text, size_t len) {
    struct oc_buf b = OC_BUF_INIT((size_t)4 * OC_MAX_URL);
    if (len == 0 || text[0] != '/') {
        (void)oc_buf_putc(&b, '/');
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c <= ' ' || c >= 0x7f || oc_is_one_of(c, "\"<>`{}|^")) {
            (void)oc_buf_printf(&b, "%%%02X", c);
        } else {
            (void)oc_buf_putc(&b, (char)c);
        }
    }
    return oc_buf_take(&b);
}

/* authority and what follows, behind "//". */
static enum oc_code parse_rest(
        const char *whole, const char *rest, bool tls, struct oc_url *ret, struct oc_error *err) {
    size_t len = strcspn(rest, "/?#"), host_len;
    const char *host = rest, *port = NULL, *target = rest + len;
    bool in_brackets = len > 0 && rest[0] == '[';
    if (memchr(rest, '@', len)) {
        return url_fail(err, whole, "names and passwords do not belong into an address");
    }
    if (in_brackets) {
        const char *close = memchr(rest, ']', len);
        if (!close || (close + 1 < rest + len && close[1] != ':')) {
            return url_fail(err, whole, "not an IPv6 address");
        }
        host = rest + 1;
        host_len = (size_t)(close - host);
        port = close + 1 < rest + len ? close + 2 : NULL;
    } else {
        const char *colon = memchr(rest, ':', len);
        host_len = colon ? (size_t)(colon - rest) : len;
        port = colon ? colon + 1 : NULL;
    }
    struct oc_url u = { .tls = tls, .port = tls ? 443 : 80, .host = oc_strndup(host, host_len) };
    oc_ascii_lower(u.host);
    if (host_len > 1 && u.host[host_len - 1] == '.') { /* the same name, said in full */
        u.host[host_len - 1] = '\0';
    }
    const char *why = check_host(u.host, in_brackets);
    if (!why && port && !parse_port(port, (size_t)(rest + len - port), &u.port)) {
        why = "not a port";
    }
    if (why) {
        oc_url_finish(&u);
        return url_fail(err, whole, why);
    }
    u.target = url_escaped(target, strcspn(target, "#"));
    *ret = u;
    return OC_OK;
}

static enum oc_code check_text(const char *text, struct oc_error *err) {
    if (strlen(text) > OC_MAX_URL) {
        return oc_fail(err, OC_E_TOO_LARGE, "the address is too long");
    }
    for (const char *p = text; *p; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f || *p == '\\') {
            return url_fail(err, text, "control characters and backslashes do not belong there");
        }
    }
    return OC_OK;
}

enum oc_code oc_url_parse(const char *text, struct oc_url *ret, struct oc_error *err) {
    enum oc_code rc = check_text(text, err);
    if (rc != OC_OK) {
        return rc;
    }
    bool tls = strncasecmp(text, "https://", 8) == 0;
    if (!tls && strncasecmp(text, "http://", 7) != 0) {
        return url_fail(err, text, "only http:// and https:// addresses are fetched");
    }
    return parse_rest(text, text + (tls ? 8 : 7), tls, ret, err);
}

static bool has_scheme(const char *text) {
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    return n > 0 && text[n] == ':';
}

/* "a/./b/../c" without its dots, in place. */
static void remove_dots(char *path) {
    size_t end = strcspn(path, "?"), out = 0;
    for (size_t i = 0; i < end;) {
        size_t n = 1 + strcspn(path + i + 1, "/?");
        bool is_dot = n == 2 && path[i + 1] == '.',
             is_up = n == 3 && path[i + 1] == '.' && path[i + 2] == '.';
        if (is_dot || is_up) {
            while (is_up && out > 0 && path[--out] != '/') {
            }
            if (i + n == end) { /* what is left is a folder */
                path[out++] = '/';
            }
        } else {
            memmove(path + out, path + i, n);
            out += n;
        }
        i += n;
    }
    if (out == 0) {
        path[out++] = '/';
    }
    memmove(path + out, path + end, strlen(path + end) + 1);
}

enum oc_code oc_url_resolve(
        const struct oc_url *base, const char *text, struct oc_url *ret, struct oc_error *err) {
    enum oc_code rc = check_text(text, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (has_scheme(text)) {
        return oc_url_parse(text, ret, err);
    }
    if (strncmp(text, "//", 2) == 0) {
        return parse_rest(text, text + 2, base->tls, ret, err);
    }
    size_t dir = strcspn(base->target, "?");
    while (text[0] != '/' && text[0] != '?' && dir > 1 && base->target[dir - 1] != '/') {
        dir--;
    }
    OC_AUTO_FREE char *joined =
            text[0] == '/' ? oc_strdup(text) : oc_strfmt("%.*s%s", (int)dir, base->target, text);
    *ret = (struct oc_url){ .tls = base->tls,
        .host = oc_strdup(base->host),
        .port = base->port,
        .target = url_escaped(joined, strcspn(joined, "#")) };
    remove_dots(ret->target);
    return OC_OK;
}
