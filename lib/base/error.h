/* Errors: one code enum, one struct that carries the text a person or a peer will read.
 *
 * A fallible function returns enum oc_code and fills the caller's struct oc_error (which may be
 * NULL). `wire` optionally carries a specific protocol code such as "SYSTEM_RUN_DENIED"; it always
 * points to a string literal. lib/protocol/errors.c maps plain codes to wire codes.
 * Who has to act on an error looks at code and grounds, never at the text. */
#ifndef LIB_BASE_ERROR_H
#define LIB_BASE_ERROR_H

#include "lib/base/grounds.h"

enum oc_code {
    OC_OK = 0,
    OC_E_INVALID,   /* malformed or out of range input */
    OC_E_TOO_LARGE, /* a ceiling was hit */
    OC_E_IO,        /* the operating system refused */
    OC_E_NOT_FOUND,
    OC_E_EXISTS,
    OC_E_TIMEOUT,
    OC_E_CANCELLED,
    OC_E_UNAVAILABLE, /* try later */
    OC_E_DENIED,      /* a policy or gate refused */
    OC_E_AUTH,        /* credentials missing or wrong */
    OC_E_CLOSED,      /* the connection went away */
    OC_E_CORRUPT,     /* a file or database of ours does not make sense */
    OC_E_UNSUPPORTED,
    OC_E_INTERNAL,
};

struct oc_error {
    enum oc_code code;
    const char *wire; /* literal or NULL */
    struct oc_grounds grounds;
    unsigned why_at; /* where the text goes on behind the setting that it begins with; else 0 */
    char text[400];
};

#define OC_MUST_USE __attribute__((warn_unused_result))
#define OC_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Sets *err (if not NULL) and returns code, so that failing is one statement. It has no grounds but
 * those of the third. */
enum oc_code oc_fail(struct oc_error *err, enum oc_code code, const char *fmt, ...) OC_PRINTF(3, 4);
enum oc_code oc_fail_wire(struct oc_error *err, enum oc_code code, const char *wire,
        const char *fmt, ...) OC_PRINTF(4, 5);
enum oc_code oc_fail_cause(struct oc_error *err, enum oc_code code, enum oc_cause cause,
        const char *fmt, ...) OC_PRINTF(4, 5);
/* OC_E_UNAVAILABLE for want of room, and what makes some. */
enum oc_code oc_fail_busy(struct oc_error *err, enum oc_remedy remedy, const char *fmt, ...)
        OC_PRINTF(3, 4);
/* OC_E_UNAVAILABLE for want of a program, and the package that has it. */
enum oc_code oc_fail_not_installed(struct oc_error *err, const char *package, const char *fmt, ...)
        OC_PRINTF(3, 4);
/* "gateway.port: …": the setting is the subject, too. */
enum oc_code oc_fail_setting(struct oc_error *err, enum oc_code code, const char *setting,
        const char *fmt, ...) OC_PRINTF(4, 5);
/* The text without that setting, for who shows it elsewhere. */
const char *oc_error_why(const struct oc_error *err);
/* Puts "prefix: " in front of the text; all else stays. */
void oc_error_prefix(struct oc_error *err, const char *fmt, ...) OC_PRINTF(2, 3);
const char *oc_code_name(enum oc_code code);

#endif
