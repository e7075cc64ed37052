#include "lib/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void) {
    static const char text[] = "error base.mem out of memory\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)ignored;
    abort();
}

void *oc_alloc(size_t size) {
    void *p = calloc(1, size ? size : 1);
    if (!p) {
        out_of_memory();
    }
    return p;
}

void *oc_alloc_array(size_t n, size_t size) {
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p) {
        out_of_memory();
    }
    return p;
}

void *oc_realloc(void *p, size_t size) {
    void *q = realloc(p, size ? size : 1);
    if (!q) {
        out_of_memory();
    }
    return q;
}

void oc_free(void *p) {
    free(p);
}

void oc_free_secret(char *s) {
    if (!s) {
        return;
    }
    volatile char *p =
            s; /* volatile: the compiler may not drop writes to memory that is freed next */
    for (size_t n = strlen(s); n > 0; n--) {
        *p++ = 0;
    }
    free(s);
}

char *oc_strdup(const char *s) {
    return s ? oc_strndup(s, strlen(s)) : NULL;
}

char *oc_strndup(const char *s, size_t n) {
    size_t len = strnlen(s, n);
    char *copy = oc_realloc(NULL, len + 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *oc_strfmt(const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    size_t size = (len < 0 ? 0 : (size_t)len) + 1;
    char *s = oc_alloc(size);
    (void)vsnprintf(s, size, fmt, again);
    va_end(again);
    return s;
}

void oc_auto_close(int *fd) {
    if (*fd >= 0) {
        close(*fd);
    }
}
