#include "canvas/model/regexp.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <ctype.h>
#include <string.h>

#ifdef OC_HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Every scene asks again for every field, so one question must be cheap whatever the agent sent. */
#define MAX_PATTERN 2000
#define MAX_TEXT 10000
#define MATCH_LIMIT 20000
#define HEAP_LIMIT_KIB 1024
#define NEST_LIMIT 50

/* A backslash with a letter or digit that means the same in both. What JavaScript has not (\A, \Q,
 * \h …) is not taken. */
static bool is_known_escape(const char *p, size_t left) {
    unsigned char c = (unsigned char)p[0];
    if (!isalnum(c)) {
        return true;
    }
    if (c == 'c') {
        return left > 1 && isalpha((unsigned char)p[1]);
    }
    if (c == 'k') {
        return left > 1 && p[1] == '<';
    }
    return oc_is_one_of(c, "dDsSwWbBfnrtvxupP0123456789");
}

static bool is_known_group(const char *p, size_t left) { /* after "(?" */
    if (left == 0) {
        return false;
    }
    if (p[0] == ':' || p[0] == '=' || p[0] == '!') {
        return true;
    }
    return p[0] == '<' && left > 1 &&
           (p[1] == '=' || p[1] == '!' || isalpha((unsigned char)p[1]) || p[1] == '_');
}

/* PCRE2 takes more than JavaScript: verbs, recursion, atomic groups, possessive quantifiers, POSIX
 * classes. */
static bool is_javascript(struct oc_slice s) {
    bool in_class = false;
    for (size_t i = 0; i < s.len; i++) {
        const char *p = s.ptr + i;
        size_t left = s.len - i;
        if (*p == '\\') {
            if (left < 2 || !is_known_escape(p + 1, left - 1)) {
                return false;
            }
            i++;
        } else if (in_class) {
            if (*p == '[' && left > 1 && oc_is_one_of(p[1], ":.=")) {
                return false;
            }
            in_class = *p != ']';
        } else if (*p == '[') {
            in_class = true;
        } else if (*p == '(' && left > 1) {
            if (p[1] == '*' || (p[1] == '?' && !is_known_group(p + 2, left - 2))) {
                return false;
            }
        } else if (*p == '+' && i > 0 && oc_is_one_of(p[-1], "+*?}") && (i < 2 || p[-2] != '\\')) {
            return false;
        }
    }
    return true;
}

static pcre2_code *regexp_compile(struct oc_slice pattern) {
    static pcre2_compile_context *context;
    if (!context) {
        context = pcre2_compile_context_create(NULL);
        pcre2_set_parens_nest_limit(context, NEST_LIMIT);
        pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALT_BSUX); /* \u{1f600} */
    }
    if (!context) {
        return NULL;
    }
    uint32_t options = PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_MATCH_UNSET_BACKREF |
                       PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_ANCHORED |
                       PCRE2_ENDANCHORED | PCRE2_NEVER_BACKSLASH_C;
    int error;
    PCRE2_SIZE at;
    return pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len, options, &error, &at, context);
}

bool cv_regexp_is_known(struct oc_slice pattern) {
    if (pattern.len > MAX_PATTERN || !is_javascript(pattern)) {
        return false;
    }
    pcre2_code *code = regexp_compile(pattern);
    pcre2_code_free(code);
    return code != NULL;
}

bool cv_regexp_matches(struct oc_slice pattern, struct oc_slice text) {
    if (text.len == 0 || text.len > MAX_TEXT || pattern.len > MAX_PATTERN ||
            !is_javascript(pattern)) {
        return true;
    }
    pcre2_code *code = regexp_compile(pattern);
    if (!code) {
        return true;
    }
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(limits, MATCH_LIMIT);
    pcre2_set_depth_limit(limits, MATCH_LIMIT);
    pcre2_set_heap_limit(limits, HEAP_LIMIT_KIB);
    int rc = pcre2_match(code, (PCRE2_SPTR)text.ptr, text.len, 0, 0, data, limits);
    pcre2_match_context_free(limits);
    pcre2_match_data_free(data);
    pcre2_code_free(code);
    return rc != PCRE2_ERROR_NOMATCH;
}

#else

bool cv_regexp_is_known(struct oc_slice pattern) {
    (void)pattern;
    return true; /* nobody can tell */
}

bool cv_regexp_matches(struct oc_slice pattern, struct oc_slice text) {
    (void)pattern;
    (void)text;
    return true;
}

#endif
