/* An outgoing message put together from pieces: own bytes, and slices of reference-counted blobs
 * that are escaped or unescaped while they are written. A 20 MB payload is so sent without a second
 * copy. */
#ifndef LIB_NET_WS_MSG_H
#define LIB_NET_WS_MSG_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum oc_part_kind { OC_PART_RAW, OC_PART_ESCAPE, OC_PART_UNESCAPE, OC_PART_BASE64 };

struct oc_msg;

struct oc_msg *oc_msg_create(void);
struct oc_msg *oc_msg_from_blob(struct oc_blob *blob); /* takes its own reference */
struct oc_msg *oc_msg_from_buf(struct oc_buf *take_buf);
void oc_msg_add_text(struct oc_msg *m, const char *text, size_t len); /* copied */
/* slice must lie inside blob; a reference is taken. */
void oc_msg_add_slice(
        struct oc_msg *m, struct oc_blob *blob, struct oc_slice slice, enum oc_part_kind kind);
/* The first len bytes of a file as base64, read while they are written: they are never in our
 * memory as a whole. Nobody may change the file meanwhile (a sealed memfd); what cannot be read
 * counts as zeros. The descriptor is closed with the message. */
void oc_msg_add_file(struct oc_msg *m, int take_fd, size_t len);
/* Exact number of bytes that will be written (walks escaped parts once, then remembers). Before the
 * first read. */
size_t oc_msg_size(struct oc_msg *m);
/* Bytes of memory this message keeps alive (for queue ceilings). */
size_t oc_msg_weight(const struct oc_msg *m);
/* Produces the next bytes, at most max (≥ 16); 0 when done. */
size_t oc_msg_read(struct oc_msg *m, char *out, size_t max);
/* True when the next read would give nothing. */
bool oc_msg_at_end(const struct oc_msg *m);
/* Somebody other than the receiver answers for these bytes as long as the message exists, and hears
 * when it is gone. Once. */
void oc_msg_charge(struct oc_msg *m, void (*on_gone)(void *user, size_t weight), void *user);
bool oc_msg_is_charged(const struct oc_msg *m);
void oc_msg_destroy(struct oc_msg *m);

#endif
