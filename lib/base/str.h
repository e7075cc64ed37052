/* Small string helpers: compare, numbers, constant time, sets of strings. */
#ifndef LIB_BASE_STR_H
#define LIB_BASE_STR_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool oc_streq(const char *a, const char *b); /* NULL equals only NULL */
bool oc_starts_with(const char *s, const char *prefix);
bool oc_ends_with(const char *s, const char *suffix);
bool oc_str_in(const char *s, const char *const *list); /* list ends with NULL */
bool oc_str_blank(const char *s);                       /* NULL, empty or ASCII white space only */
const char *oc_str_or_null(const char *s);              /* NULL instead of a blank one */
/* Length of both is public, the content is not; time does not depend on where they differ. NULL is
 * unequal. */
bool oc_secret_equal(const char *a, const char *b);
/* Decimal integer, whole string, within min..max. */
bool oc_parse_int(const char *s, int64_t min, int64_t max, int64_t *ret);
/* "90", "500ms", "2s", "5m", "1h30m", "2d"; plain number is ms. */
bool oc_parse_duration_ms(const char *s, int64_t *ret_ms);
void oc_ascii_lower(char *s);
/* Trims ASCII white space in place and returns the start. */
char *oc_trim(char *s);
/* Copies src for showing to a person or a log: control characters, escapes and broken UTF-8 become
 * visible
 * (\n, \x1b, …). At most max_chars of src are shown, then "…". Caller frees. */
char *oc_printable(const char *src, size_t len, size_t max_chars);
/* Copies what fits, up to the end of a whole character. False: it was cut. */
bool oc_str_put(char *ret, size_t size, const char *text);
/* The first character of src (len ≥ 1) and its bytes. is_hidden: a terminal would not show it for
 * what it is, or it is not UTF-8 (then it is one byte). */
size_t oc_char_next(const char *src, size_t len, unsigned *ret_char, bool *ret_is_hidden);

/* A growing, owned list of strings. Only the functions below allocate items; a borrowed one is read
 * only. */
struct oc_strv {
    char **items;
    size_t count;
};
void oc_strv_add(struct oc_strv *v, const char *s);
void oc_strv_add_unique(struct oc_strv *v, const char *s);
bool oc_strv_has(const struct oc_strv *v, const char *s);
/* The same items in the same order. */
bool oc_strv_equal(const struct oc_strv *a, const struct oc_strv *b);
/* True if every item of sub is in v. */
bool oc_strv_covers(const struct oc_strv *v, const struct oc_strv *sub);
void oc_strv_sort_unique(struct oc_strv *v);
void oc_strv_copy(struct oc_strv *dst, const struct oc_strv *src); /* dst must be empty */
void oc_strv_remove(struct oc_strv *v, const char *s);
void oc_strv_remove_at(struct oc_strv *v, size_t index);
/* What exec wants: the items behind `skip` free places, NULL at the end. Caller frees the array,
 * not the items. */
const char **oc_strv_vector(const struct oc_strv *v, size_t skip);
char *oc_strv_join(const struct oc_strv *v, const char *sep); /* caller frees; "" when empty */
void oc_strv_finish(struct oc_strv *v);
static inline void oc_auto_strv(struct oc_strv *v) {
    oc_strv_finish(v);
}
#define OC_AUTO_STRV __attribute__((cleanup(oc_auto_strv)))

#endif
