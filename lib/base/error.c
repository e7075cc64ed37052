#include "lib/base/error.h"

#include "lib/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The arguments may point into err->text (a text that is wrapped in another), so we format beside
 * it first. */
OC_PRINTF(2, 0)
static void set_text(struct oc_error *err, const char *fmt, va_list ap) {
    char text[sizeof(err->text) + 4]; /* room for a whole character beyond the cut */
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    size_t len = n < 0 ? 0 : strlen(text);
    len = oc_utf8_cut(text, len, sizeof(err->text) - 1);
    memcpy(err->text, text, len);
    err->text[len] = '\0';
}

OC_PRINTF(4, 0)
static void error_fill(
        struct oc_error *err, enum oc_code code, const char *wire, const char *fmt, va_list ap) {
    set_text(err, fmt, ap); /* first: its arguments may point into the rest */
    err->code = code;
    err->wire = wire;
    err->grounds = (struct oc_grounds){ 0 };
    err->why_at = 0;
}

enum oc_code oc_fail(struct oc_error *err, enum oc_code code, const char *fmt, ...) {
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        error_fill(err, code, NULL, fmt, ap);
        va_end(ap);
    }
    return code;
}

enum oc_code oc_fail_wire(
        struct oc_error *err, enum oc_code code, const char *wire, const char *fmt, ...) {
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        error_fill(err, code, wire, fmt, ap);
        va_end(ap);
    }
    return code;
}

enum oc_code oc_fail_cause(
        struct oc_error *err, enum oc_code code, enum oc_cause cause, const char *fmt, ...) {
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        error_fill(err, code, NULL, fmt, ap);
        va_end(ap);
        err->grounds.cause = cause;
    }
    return code;
}

enum oc_code oc_fail_busy(struct oc_error *err, enum oc_remedy remedy, const char *fmt, ...) {
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        error_fill(err, OC_E_UNAVAILABLE, NULL, fmt, ap);
        va_end(ap);
        err->grounds.cause = OC_CAUSE_BUSY;
        err->grounds.remedy = remedy;
    }
    return OC_E_UNAVAILABLE;
}

enum oc_code oc_fail_not_installed(
        struct oc_error *err, const char *package, const char *fmt, ...) {
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        error_fill(err, OC_E_UNAVAILABLE, NULL, fmt, ap);
        va_end(ap);
        err->grounds.cause = OC_CAUSE_NOT_INSTALLED;
        err->grounds.remedy = OC_REMEDY_INSTALL_PACKAGE;
        oc_grounds_set_subject(&err->grounds, package);
    }
    return OC_E_UNAVAILABLE;
}

enum oc_code oc_fail_setting(
        struct oc_error *err, enum oc_code code, const char *setting, const char *fmt, ...) {
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        error_fill(err, code, NULL, fmt, ap);
        va_end(ap);
        oc_error_prefix(err, "%s", setting);
        err->why_at = (unsigned)strlen(setting) + 2;
        err->grounds.cause = OC_CAUSE_BAD_SETTING;
        oc_grounds_set_subject(&err->grounds, setting);
    }
    return code;
}

const char *oc_error_why(const struct oc_error *err) {
    size_t len = strlen(err->text);
    return err->text + (err->why_at < len ? err->why_at : len);
}

void oc_error_prefix(struct oc_error *err, const char *fmt, ...) {
    if (!err) {
        return;
    }
    struct oc_error prefix = { 0 }, old = *err;
    va_list ap;
    va_start(ap, fmt);
    set_text(&prefix, fmt, ap);
    va_end(ap);
    oc_fail(err, old.code, "%s: %s", prefix.text, old.text);
    err->wire = old.wire;
    err->grounds = old.grounds;
    err->why_at = old.why_at ? old.why_at + (unsigned)strlen(prefix.text) + 2 : 0;
}

const char *oc_code_name(enum oc_code code) {
    switch (code) {
    case OC_OK:
        return "ok";
    case OC_E_INVALID:
        return "invalid";
    case OC_E_TOO_LARGE:
        return "too large";
    case OC_E_IO:
        return "i/o";
    case OC_E_NOT_FOUND:
        return "not found";
    case OC_E_EXISTS:
        return "exists";
    case OC_E_TIMEOUT:
        return "timeout";
    case OC_E_CANCELLED:
        return "cancelled";
    case OC_E_UNAVAILABLE:
        return "unavailable";
    case OC_E_DENIED:
        return "denied";
    case OC_E_AUTH:
        return "auth";
    case OC_E_CLOSED:
        return "closed";
    case OC_E_CORRUPT:
        return "corrupt";
    case OC_E_UNSUPPORTED:
        return "unsupported";
    case OC_E_INTERNAL:
        return "internal";
    }
    return "unknown";
}
