#include "node/policy/exec_glob.h"

#include "lib/base/utf8.h"

#include <string.h>

unsigned long nd_exec_glob_literal(const char *pattern) {
    return strcspn(pattern, "*?");
}

/* Marks every place of the pattern that can be reached from a marked one without reading: stars may
 * stand for nothing. */
static void skip_stars(const char *pattern, size_t len, bool *at) {
    for (size_t i = 0; i < len; i++) {
        if (at[i] && pattern[i] == '*') {
            at[i + 1] = true;
        }
    }
}

/* Which places are reached after one more character of the path. */
static void exec_glob_step(const char *pattern, size_t len, bool *at, const char *c, size_t c_len) {
    bool next[ND_MAX_PATTERN + 1];
    memset(next, 0, len + 1);
    for (size_t i = 0; i < len; i++) {
        if (!at[i]) {
            continue;
        }
        if (pattern[i] == '*') {
            /* either star of "**" stays for a slash, a lone one does not */
            bool is_double = pattern[i + 1] == '*' || (i > 0 && pattern[i - 1] == '*');
            next[i] = next[i] || is_double || *c != '/';
        } else if (pattern[i] == '?') {
            next[i + 1] = next[i + 1] || *c != '/';
        } else if (i + c_len <= len && memcmp(pattern + i, c, c_len) == 0) {
            next[i + c_len] = true;
        }
    }
    memcpy(at, next, len + 1);
}

bool nd_exec_glob(const char *pattern, const char *path) {
    size_t len = strlen(pattern), literal = nd_exec_glob_literal(pattern);
    if (len > ND_MAX_PATTERN || strncmp(pattern, path, literal) != 0 ||
            !oc_utf8_valid(pattern, len)) {
        return false;
    }
    if (literal == len) {
        return path[len] == '\0';
    }
    bool at[ND_MAX_PATTERN + 1];
    memset(at, 0, len + 1);
    at[literal] = true;
    skip_stars(pattern, len, at);
    for (const char *c = path + literal; *c;) {
        size_t c_len = oc_utf8_char(c, strnlen(c, 4));
        c_len = c_len ? c_len : 1; /* file names need not be UTF-8 */
        exec_glob_step(pattern, len, at, c, c_len);
        skip_stars(pattern, len, at);
        c += c_len;
    }
    return at[len];
}
