#include "lib/base/encode.h"

#include "lib/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

int oc_hex_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

int oc_percent_value(const char *s, size_t len) {
    int high = len >= 3 && s[0] == '%' ? oc_hex_value(s[1]) : -1;
    int low = high < 0 ? -1 : oc_hex_value(s[2]);
    return low < 0 ? -1 : high * 16 + low;
}

void oc_hex(const uint8_t *data, size_t len, char *ret) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        ret[2 * i] = digits[data[i] >> 4];
        ret[2 * i + 1] = digits[data[i] & 15];
    }
    ret[2 * len] = '\0';
}

static size_t encode64_to(
        const uint8_t *in, size_t len, const char *alphabet, bool pad, char *out) {
    char *p = out;
    size_t i = 0;
    for (; i + 3 <= len; i += 3) {
        unsigned v = (unsigned)in[i] << 16 | (unsigned)in[i + 1] << 8 | in[i + 2];
        *p++ = alphabet[v >> 18];
        *p++ = alphabet[v >> 12 & 63];
        *p++ = alphabet[v >> 6 & 63];
        *p++ = alphabet[v & 63];
    }
    if (i < len) {
        unsigned v = (unsigned)in[i] << 16 | (i + 1 < len ? (unsigned)in[i + 1] << 8 : 0);
        *p++ = alphabet[v >> 18];
        *p++ = alphabet[v >> 12 & 63];
        if (i + 1 < len) {
            *p++ = alphabet[v >> 6 & 63];
        } else if (pad) {
            *p++ = '=';
        }
        if (pad) {
            *p++ = '=';
        }
    }
    return (size_t)(p - out);
}

static char *encode_encode64(const uint8_t *in, size_t len, const char *alphabet, bool pad) {
    char *out = oc_realloc(NULL, (len + 2) / 3 * 4 + 1);
    out[encode64_to(in, len, alphabet, pad, out)] = '\0';
    return out;
}

char *oc_base64url(const void *data, size_t len) {
    return encode_encode64(
            data, len, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", false);
}

static const char standard64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *oc_base64(const void *data, size_t len) {
    return encode_encode64(data, len, standard64, true);
}

size_t oc_base64_to(const void *data, size_t len, char *ret) {
    return encode64_to(data, len, standard64, true, ret);
}

static int encode_digit64(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    if (c == '+' || c == '-') {
        return 62;
    }
    return c == '/' || c == '_' ? 63 : -1;
}

bool oc_base64_decode(const char *text, size_t len, uint8_t *ret, size_t max, size_t *ret_len) {
    if (len > 0 && text[len - 1] == '=') {
        if (len % 4 != 0) {
            return false;
        }
        len -= text[len - 2] == '=' ? 2 : 1;
    }
    size_t out_len = len / 4 * 3 + (len % 4 ? len % 4 - 1 : 0);
    if (len % 4 == 1 || out_len > max) {
        return false;
    }
    unsigned bits = 0, held = 0;
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        int d = encode_digit64(text[i]);
        if (d < 0) {
            return false;
        }
        bits = bits << 6 | (unsigned)d;
        held += 6;
        if (held >= 8) {
            held -= 8;
            ret[n++] = (uint8_t)(bits >> held);
            bits &= (1u << held) - 1;
        }
    }
    if (bits) {
        return false; /* left-over bits that are not zero: two texts for the same bytes */
    }
    *ret_len = n;
    return true;
}

void oc_random(void *ret, size_t len) {
    uint8_t *p = ret;
    while (len > 0) {
        size_t n = len < 256 ? len : 256; /* the most one getentropy call gives */
        if (getentropy(p, n) != 0) {
            perror("error base.encode no random bytes from the kernel");
            abort();
        }
        p += n;
        len -= n;
    }
}

void oc_uuid4(char ret[OC_UUID_LEN + 1]) {
    uint8_t b[16];
    oc_random(b, sizeof(b));
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    static const size_t groups[] = { 4, 2, 2, 2, 6 };
    size_t at = 0;
    for (size_t g = 0; g < OC_COUNT(groups); g++) {
        if (g > 0) {
            *ret++ = '-';
        }
        oc_hex(b + at, groups[g], ret);
        ret += 2 * groups[g];
        at += groups[g];
    }
}
