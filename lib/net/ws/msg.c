#include "lib/net/ws/msg.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/json/json_scan.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define MIN_ESCAPE_ROOM 12
#define MIN_UNESCAPE_ROOM 4
#define EACH_ALLOCATION 16 /* what malloc takes besides: many small messages are not small */
#define FILE_STEP 6144     /* a multiple of three */

struct part {
    enum oc_part_kind kind;
    struct oc_blob *blob;  /* NULL: own text */
    char *text;            /* own text, owned */
    struct oc_slice slice; /* what is still to be written */
    int fd;                /* BASE64: read at `offset` instead of at slice.ptr */
    size_t offset;
};

struct oc_msg {
    struct part *parts;
    size_t count, cap;
    size_t at; /* the part being read */
    size_t size;
    bool size_known;
    size_t weight;
    void (*on_gone)(void *user, size_t weight);
    void *gone_user;
    size_t charged;
};

struct oc_msg *oc_msg_create(void) {
    struct oc_msg *m = oc_new(struct oc_msg);
    m->weight = sizeof(*m) + EACH_ALLOCATION;
    return m;
}

struct oc_msg *oc_msg_from_blob(struct oc_blob *blob) {
    struct oc_msg *m = oc_msg_create();
    oc_msg_add_slice(
            m, blob, (struct oc_slice){ .ptr = blob->data, .len = blob->len }, OC_PART_RAW);
    return m;
}

struct oc_msg *oc_msg_from_buf(struct oc_buf *take_buf) {
    struct oc_blob *blob = oc_blob_from_buf(take_buf);
    struct oc_msg *m = oc_msg_from_blob(blob);
    oc_blob_unref(blob);
    return m;
}

static struct part *add_part(struct oc_msg *m) {
    if (m->count == m->cap) {
        size_t more = m->cap ? m->cap : 4;
        m->cap += more;
        m->weight += more * sizeof(m->parts[0]) + EACH_ALLOCATION;
        m->parts = oc_realloc(m->parts, m->cap * sizeof(m->parts[0]));
    }
    m->size_known = false;
    struct part *p = &m->parts[m->count++];
    *p = (struct part){ .fd = -1 };
    return p;
}

void oc_msg_add_text(struct oc_msg *m, const char *text, size_t len) {
    if (len == 0) {
        return;
    }
    struct part *p = add_part(m);
    p->text = oc_realloc(NULL, len);
    memcpy(p->text, text, len);
    p->slice = (struct oc_slice){ .ptr = p->text, .len = len };
    m->weight += len + EACH_ALLOCATION;
}

void oc_msg_add_slice(
        struct oc_msg *m, struct oc_blob *blob, struct oc_slice slice, enum oc_part_kind kind) {
    assert(slice.len == 0 || (slice.ptr >= blob->data && slice.len <= blob->len &&
                                     (size_t)(slice.ptr - blob->data) <= blob->len - slice.len));
    if (slice.len == 0) {
        return;
    }
    /* However many slices are taken from it, the blob is kept alive once. */
    bool is_held = false;
    for (size_t i = 0; i < m->count; i++) {
        is_held = is_held || m->parts[i].blob == blob;
    }
    struct part *p = add_part(m);
    p->kind = kind;
    p->blob = oc_blob_ref(blob);
    p->slice = slice;
    if (!is_held) {
        m->weight += blob->len + sizeof(*blob) + (size_t)2 * EACH_ALLOCATION;
    }
}

void oc_msg_add_file(struct oc_msg *m, int take_fd, size_t len) {
    struct part *p = add_part(m);
    p->kind = OC_PART_BASE64;
    p->fd = take_fd;
    p->slice.len = len;
    m->weight += len;
}

/* Whole groups of three, but for the last. */
static size_t base64_step(struct part *p, char *out, size_t max) {
    uint8_t bytes[FILE_STEP];
    size_t want = max / 4 * 3, got = 0;
    want = want < sizeof(bytes) ? want : sizeof(bytes);
    want = want < p->slice.len ? want : p->slice.len;
    while (got < want) {
        ssize_t n = pread(p->fd, bytes + got, want - got, (off_t)(p->offset + got));
        if (n <= 0) {
            memset(bytes + got, 0, want - got);
            break;
        }
        got += (size_t)n;
    }
    p->offset += want;
    p->slice.len -= want;
    return oc_base64_to(bytes, want, out);
}

static size_t part_step(struct part *p, char *out, size_t max) {
    switch (p->kind) {
    case OC_PART_ESCAPE:
        return max < MIN_ESCAPE_ROOM ? 0 : oc_json_escape_step(&p->slice, out, max);
    case OC_PART_UNESCAPE:
        return max < MIN_UNESCAPE_ROOM ? 0 : oc_json_unescape_step(&p->slice, out, max);
    case OC_PART_BASE64:
        return base64_step(p, out, max);
    case OC_PART_RAW:
        break;
    }
    size_t n = p->slice.len < max ? p->slice.len : max;
    memcpy(out, p->slice.ptr, n);
    p->slice.ptr += n;
    p->slice.len -= n;
    return n;
}

size_t oc_msg_size(struct oc_msg *m) {
    if (m->size_known) {
        return m->size;
    }
    assert(m->at == 0);
    m->size = 0;
    for (size_t i = 0; i < m->count; i++) {
        struct part p = m->parts[i];
        if (p.kind == OC_PART_RAW) {
            m->size += p.slice.len;
            continue;
        }
        if (p.kind == OC_PART_BASE64) {
            m->size += (p.slice.len + 2) / 3 * 4;
            continue;
        }
        char window[4096];
        size_t n;
        while ((n = part_step(&p, window, sizeof(window))) > 0) {
            m->size += n;
        }
    }
    m->size_known = true;
    return m->size;
}

size_t oc_msg_weight(const struct oc_msg *m) {
    return m->weight;
}

size_t oc_msg_read(struct oc_msg *m, char *out, size_t max) {
    assert(max >= 16);
    size_t done = 0;
    while (m->at < m->count && done < max) {
        struct part *p = &m->parts[m->at];
        size_t n = part_step(p, out + done, max - done);
        done += n;
        if (n == 0 && done > 0) {
            break; /* not enough room for the next character */
        }
        if (p->slice.len == 0 || n == 0) {
            m->at++; /* with room and no bytes: a broken body, which gives no more */
        }
    }
    return done;
}

bool oc_msg_at_end(const struct oc_msg *m) {
    return m->at == m->count;
}

void oc_msg_charge(struct oc_msg *m, void (*on_gone)(void *user, size_t weight), void *user) {
    m->on_gone = on_gone;
    m->gone_user = user;
    m->charged = m->weight;
}

bool oc_msg_is_charged(const struct oc_msg *m) {
    return m->on_gone;
}

void oc_msg_destroy(struct oc_msg *m) {
    if (!m) {
        return;
    }
    if (m->on_gone) {
        m->on_gone(m->gone_user, m->charged);
    }
    for (size_t i = 0; i < m->count; i++) {
        oc_blob_unref(m->parts[i].blob);
        oc_free(m->parts[i].text);
        oc_auto_close(&m->parts[i].fd);
    }
    oc_free(m->parts);
    oc_free(m);
}
