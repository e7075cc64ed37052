/* A growing byte buffer with a ceiling that it is made with. Content is always NUL-terminated after
 * len.
 *
 * The append functions return OC_E_TOO_LARGE past the ceiling and set `failed`, after which every
 * append fails too: build a whole message, then check once. */
#ifndef LIB_BASE_BUF_H
#define LIB_BASE_BUF_H

#include "lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oc_buf {
    char *data;
    size_t len, cap, max_bytes;
    bool failed;
};

#define OC_BUF_INIT(max) ((struct oc_buf){ .max_bytes = (max) })

enum oc_code oc_buf_append(struct oc_buf *b, const void *data, size_t len);
enum oc_code oc_buf_puts(struct oc_buf *b, const char *s);
enum oc_code oc_buf_putc(struct oc_buf *b, char c);
enum oc_code oc_buf_printf(struct oc_buf *b, const char *fmt, ...) OC_PRINTF(2, 3);
/* Makes room for n more bytes and returns where they go; NULL past the ceiling. Add to len
 * yourself. */
char *oc_buf_reserve(struct oc_buf *b, size_t n);
void oc_buf_consume(struct oc_buf *b, size_t n); /* drops n bytes from the front */
void oc_buf_clear(struct oc_buf *b);             /* keeps the allocation */
void oc_buf_finish(struct oc_buf *b);
/* Hands the NUL-terminated allocation to the caller and leaves the buffer empty. Never NULL. */
char *oc_buf_take(struct oc_buf *b);
/* Reads to end of file. */
enum oc_code oc_buf_read_fd(struct oc_buf *b, int fd, struct oc_error *err) OC_MUST_USE;

static inline void oc_auto_buf(struct oc_buf *b) {
    oc_buf_finish(b);
}
#define OC_AUTO_BUF __attribute__((cleanup(oc_auto_buf)))

/* A reference-counted, immutable run of bytes: a received message, or one that goes to many
 * receivers. */
struct oc_blob {
    unsigned refs;
    size_t len;
    char *data; /* NUL-terminated after len */
};
struct oc_blob *oc_blob_take(
        char *take_data, size_t len); /* takes a malloc'd buffer with room for NUL */
struct oc_blob *oc_blob_copy(const void *data, size_t len);
struct oc_blob *oc_blob_from_buf(struct oc_buf *take_buf);
struct oc_blob *oc_blob_ref(struct oc_blob *b);
void oc_blob_unref(struct oc_blob *b);

/* A borrowed run of bytes. */
struct oc_slice {
    const char *ptr;
    size_t len;
};
bool oc_slice_eq(struct oc_slice s, const char *text);

#endif
