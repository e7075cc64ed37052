/* Patterns of the allowlist against paths, compared with the plainest matcher that can be written.
 * Both are in the input, apart by a NUL. */
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "node/policy/exec_glob.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static bool slow(const char *p, const char *s, int *budget) {
    if (--*budget < 0) {
        return false;
    }
    if (p[0] == '\0') {
        return s[0] == '\0';
    }
    size_t n = oc_utf8_char(s, strnlen(s, 4));
    n = n ? n : 1;
    if (p[0] == '*' && p[1] == '*') {
        const char *rest = p + strspn(p, "*");
        for (;; s += n) {
            if (slow(rest, s, budget)) {
                return true;
            }
            if (!*s) {
                return false;
            }
            n = oc_utf8_char(s, strnlen(s, 4));
            n = n ? n : 1;
        }
    }
    if (p[0] == '*') {
        return slow(p + 1, s, budget) || (*s && *s != '/' && slow(p, s + n, budget));
    }
    if (!*s) {
        return false;
    }
    if (p[0] == '?') {
        return *s != '/' && slow(p + 1, s + n, budget);
    }
    return strncmp(p, s, n) == 0 && slow(p + n, s + n, budget);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *cut = memchr(data, 0, size);
    if (!cut) {
        return 0;
    }
    OC_AUTO_FREE char *pattern = oc_strndup((const char *)data, (size_t)(cut - data));
    OC_AUTO_FREE char *path = oc_strndup((const char *)cut + 1, size - (size_t)(cut - data) - 1);
    bool matches = nd_exec_glob(pattern, path);
    CHECK(!matches || strlen(pattern) <= ND_MAX_PATTERN);
    CHECK(!matches || strncmp(pattern, path, nd_exec_glob_literal(pattern)) == 0);
    if (strlen(pattern) <= ND_MAX_PATTERN && oc_utf8_valid(pattern, strlen(pattern))) {
        int budget = 2000;
        bool expected = slow(pattern, path, &budget);
        CHECK(budget < 0 || matches == expected);
    }
    return 0;
}
