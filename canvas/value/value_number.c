/* Numbers to text and back as JavaScript has it. The C library's own functions obey the locale, and
 * a window toolkit sets one. */
#include "canvas/value/value.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double parse_slow(const char *text, size_t len) {
    static locale_t plain;
    if (!plain) {
        plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    }
    char small[64];
    char *copy = len < sizeof(small) ? small : oc_alloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    double n = strtod_l(copy, NULL, plain);
    if (copy != small) {
        oc_free(copy);
    }
    return n;
}

/* 1e999 is a number in JSON and infinite in JavaScript; nothing here wants that. */
static double parse_finite(const char *text, size_t len) {
    double n = parse_slow(text, len);
    return isinf(n) ? copysign(1.7976931348623157e308, n) : n;
}

double cv_number_parse(const char *text, size_t len) {
    static const double tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15 };
    size_t i = 0, after_point = 0, count = 0;
    bool negative = len && text[0] == '-', point = false;
    uint64_t digits = 0;
    for (i = negative; i < len; i++) {
        if (text[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || ++count > 15) {
            return parse_finite(text, len);
        }
        digits = digits * 10 + (uint64_t)(text[i] - '0');
        after_point += point;
    }
    double n = (double)digits / tens[after_point]; /* both are exact, so is the rounding */
    return negative ? -n : n;
}

/* Significant digits of n > 0 without trailing zeros, and where the decimal point is: 0.d₁d₂… ×
 * 10^point. */
static int digits_of(double n, int precision, char ret[20], int *ret_point) {
    char text[40];
    snprintf(text, sizeof(text), "%.*e", precision - 1, n);
    int count = 0;
    const char *s = text;
    for (; *s && *s != 'e'; s++) { /* skips whatever the locale's point is */
        if (*s >= '0' && *s <= '9') {
            ret[count++] = *s;
        }
    }
    *ret_point = (int)strtol(s + 1, NULL, 10) + 1;
    while (count > 1 && ret[count - 1] == '0') {
        count--;
    }
    return count;
}

static bool reads_back(const char *digits, int count, int point, double n) {
    char text[40];
    int len = snprintf(text, sizeof(text), "0.%.*se%d", count, digits, point);
    return parse_slow(text, (size_t)len) == n;
}

static int value_number_shortest(double n, char ret[20], int *ret_point) {
    int precision = n < 2.3e-308 ? 1 : 15; /* tiny numbers have fewer digits than 15 */
    for (; precision < 17; precision++) {
        int count = digits_of(n, precision, ret, ret_point);
        if (reads_back(ret, count, *ret_point, n)) {
            return count;
        }
        /* Just above a power of two the nearest may fail where its neighbour does not. */
        if (count == precision && ret[count - 1] < '9') {
            ret[count - 1]++;
            if (reads_back(ret, count, *ret_point, n)) {
                return count;
            }
        }
    }
    return digits_of(n, 17, ret, ret_point);
}

enum oc_code cv_number_print(struct oc_buf *out, double n, const char *not_finite) {
    if (!isfinite(n)) {
        return oc_buf_puts(out, not_finite);
    }
    if (n == 0) {
        return oc_buf_putc(out, '0');
    }
    if (fabs(n) < 1e15 && n == floor(n)) {
        return oc_buf_printf(out, "%lld", (long long)n);
    }
    if (n < 0) {
        oc_buf_putc(out, '-');
    }
    char digits[20];
    int point, count = value_number_shortest(fabs(n), digits, &point);
    static const char zeros[] = "0000000000000000000000";
    if (point > 21 || point < -5) {
        oc_buf_append(out, digits, 1);
        if (count > 1) {
            oc_buf_printf(out, ".%.*s", count - 1, digits + 1);
        }
        return oc_buf_printf(out, "e%+d", point - 1);
    }
    if (point <= 0) {
        return oc_buf_printf(out, "0.%.*s%.*s", -point, zeros, count, digits);
    }
    if (count <= point) {
        return oc_buf_printf(out, "%.*s%.*s", count, digits, point - count, zeros);
    }
    return oc_buf_printf(out, "%.*s.%.*s", point, digits, count - point, digits + point);
}

enum oc_code cv_number_to_text(struct oc_buf *out, double n) {
    return cv_number_print(out, n, isnan(n) ? "NaN" : n < 0 ? "-Infinity" : "Infinity");
}
