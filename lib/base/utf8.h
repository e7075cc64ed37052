/* UTF-8: checking, repair, one character at a time. */
#ifndef LIB_BASE_UTF8_H
#define LIB_BASE_UTF8_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at the start of s; 0 when it is broken, cut off, or len is 0. */
size_t oc_utf8_char(const char *s, size_t len);
/* The character at i, U+FFFD for a broken byte, 0 at the end; *ret_next is where the next one
 * starts.
 */
uint32_t oc_utf8_decode(const char *s, size_t len, size_t i, size_t *ret_next);
size_t oc_utf8_back(const char *s, size_t i);  /* start of the character before i > 0 */
size_t oc_utf8_count(const char *s);           /* characters of a text that is valid */
bool oc_utf8_valid(const char *s, size_t len); /* rejects surrogates, overlong forms, > U+10FFFF */
/* Writes c, which is no surrogate and ≤ U+10FFFF, and returns how many bytes that took (1…4). */
size_t oc_utf8_put(char *out, unsigned c);
/* Bytes at the end of s that start a character which is not complete yet (0…3). */
size_t oc_utf8_incomplete_tail(const char *s, size_t len);
/* Appends s with every broken sequence replaced by U+FFFD. */
enum oc_code oc_utf8_append_repaired(struct oc_buf *out, const char *s, size_t len);
/* Largest n ≤ max such that the first n bytes of s do not cut a character. */
size_t oc_utf8_cut(const char *s, size_t len, size_t max);

#endif
