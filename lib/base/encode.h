/* Hex, base64, random bytes, UUIDs. */
#ifndef LIB_BASE_ENCODE_H
#define LIB_BASE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OC_UUID_LEN 36

void oc_hex(const uint8_t *data, size_t len, char *ret); /* 2*len + 1 bytes, lower case */
int oc_hex_value(char c);                                /* 0…15, or -1 */
/* What "%41" at the start of s stands for: 0…255; -1 when there is no such thing. */
int oc_percent_value(const char *s, size_t len);
/* URL alphabet, no padding; caller frees. */
char *oc_base64url(const void *data, size_t len);
/* Standard alphabet with padding; caller frees. */
char *oc_base64(const void *data, size_t len);
/* The same without an end: writes (len + 2) / 3 * 4 bytes, and returns that. */
size_t oc_base64_to(const void *data, size_t len, char *ret);
/* Takes both alphabets, padded or not; fails on anything else or when more than max bytes come out.
 */
bool oc_base64_decode(const char *text, size_t len, uint8_t *ret, size_t max, size_t *ret_len);
void oc_random(void *ret, size_t len); /* from the kernel; aborts if it cannot */
void oc_uuid4(char ret[OC_UUID_LEN + 1]);

#endif
