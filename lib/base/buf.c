#include "lib/base/buf.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BYTES 64
#define MAX_SLACK 64 /* of a blob */
#define READ_BYTES 65536

char *oc_buf_reserve(struct oc_buf *b, size_t n) {
    if (b->failed || n > b->max_bytes || b->len > b->max_bytes - n) {
        b->failed = true;
        return NULL;
    }
    size_t need = b->len + n + 1; /* + NUL */
    if (need > b->cap) {
        size_t cap = b->cap < FIRST_BYTES ? FIRST_BYTES : b->cap;
        while (cap < need) {
            cap = cap > b->max_bytes / 2 ? b->max_bytes + 1 : cap * 2;
        }
        b->data = oc_realloc(b->data, cap);
        b->cap = cap;
    }
    return b->data + b->len;
}

enum oc_code oc_buf_append(struct oc_buf *b, const void *data, size_t len) {
    char *to = oc_buf_reserve(b, len);
    if (!to) {
        return OC_E_TOO_LARGE;
    }
    if (len > 0) {
        memcpy(to, data, len);
    }
    b->len += len;
    b->data[b->len] = '\0';
    return OC_OK;
}

enum oc_code oc_buf_puts(struct oc_buf *b, const char *s) {
    return oc_buf_append(b, s, strlen(s));
}

enum oc_code oc_buf_putc(struct oc_buf *b, char c) {
    return oc_buf_append(b, &c, 1);
}

enum oc_code oc_buf_printf(struct oc_buf *b, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *to = n < 0 ? NULL : oc_buf_reserve(b, (size_t)n);
    if (to) {
        (void)vsnprintf(to, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    } else {
        b->failed = true;
    }
    va_end(again);
    return to ? OC_OK : OC_E_TOO_LARGE;
}

void oc_buf_consume(struct oc_buf *b, size_t n) {
    if (n >= b->len) {
        b->len = 0;
    } else if (n > 0) {
        memmove(b->data, b->data + n, b->len - n);
        b->len -= n;
    }
    if (b->data) {
        b->data[b->len] = '\0';
    }
}

void oc_buf_clear(struct oc_buf *b) {
    b->len = 0;
    b->failed = false;
    if (b->data) {
        b->data[0] = '\0';
    }
}

void oc_buf_finish(struct oc_buf *b) {
    oc_free(b->data);
    *b = (struct oc_buf){ .max_bytes = b->max_bytes };
}

char *oc_buf_take(struct oc_buf *b) {
    char *data = b->data ? b->data : oc_alloc(1);
    data[b->len] = '\0';
    *b = (struct oc_buf){ .max_bytes = b->max_bytes };
    return data;
}

enum oc_code oc_buf_read_fd(struct oc_buf *b, int fd, struct oc_error *err) {
    for (;;) {
        size_t room = b->max_bytes - b->len;
        char probe; /* with no room left one byte still tells "exactly full" from "too large" */
        char *to = room ? oc_buf_reserve(b, room < READ_BYTES ? room : READ_BYTES) : &probe;
        if (!to) {
            return oc_fail(err, OC_E_TOO_LARGE, "more than %zu bytes", b->max_bytes);
        }
        ssize_t n = read(fd, to, room ? (room < READ_BYTES ? room : READ_BYTES) : 1);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return oc_fail(err, OC_E_IO, "read: %s", strerror(errno));
        }
        if (n > 0 && !room) {
            b->failed = true;
            return oc_fail(err, OC_E_TOO_LARGE, "more than %zu bytes", b->max_bytes);
        }
        if (n > 0) {
            b->len += (size_t)n;
        }
        if (b->data) {
            b->data[b->len] = '\0';
        }
        if (n == 0) {
            return OC_OK;
        }
    }
}

struct oc_blob *oc_blob_take(char *take_data, size_t len) {
    struct oc_blob *b = oc_new(struct oc_blob);
    *b = (struct oc_blob){ .refs = 1, .len = len, .data = take_data };
    b->data[len] = '\0';
    return b;
}

struct oc_blob *oc_blob_copy(const void *data, size_t len) {
    char *copy = oc_realloc(NULL, len + 1);
    if (len > 0) {
        memcpy(copy, data, len);
    }
    return oc_blob_take(copy, len);
}

struct oc_blob *oc_blob_from_buf(struct oc_buf *take_buf) {
    size_t len = take_buf->len, cap = take_buf->cap;
    char *data = oc_buf_take(take_buf);
    if (cap > len + len / 8 + MAX_SLACK) { /* it may wait long for somebody who reads it */
        data = oc_realloc(data, len + 1);
    }
    return oc_blob_take(data, len);
}

struct oc_blob *oc_blob_ref(struct oc_blob *b) {
    b->refs++;
    return b;
}

void oc_blob_unref(struct oc_blob *b) {
    if (b && --b->refs == 0) {
        oc_free(b->data);
        oc_free(b);
    }
}

bool oc_slice_eq(struct oc_slice s, const char *text) {
    return s.len == strlen(text) && memcmp(s.ptr ? s.ptr : "", text, s.len) == 0;
}
