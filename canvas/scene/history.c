#include "canvas/scene/history.h"

#include "lib/base/mem.h"

#include <stdint.h>
#include <string.h>

#define MAX_STEPS 50
#define MAX_BYTES ((size_t)256 * 1024) /* of one direction; a huge text has no history */

struct stack {
    char *texts[MAX_STEPS];
    size_t count, bytes;
};

struct cv_history {
    struct stack past, future;
    size_t joins_at; /* a letter typed here belongs to the last step */
};

/* What was typed may be a password. */
static void forget_oldest(struct stack *s) {
    s->bytes -= strlen(s->texts[0]);
    oc_free_secret(s->texts[0]);
    memmove(&s->texts[0], &s->texts[1], (s->count - 1) * sizeof(s->texts[0]));
    s->count--;
}

static void forget_all(struct stack *s) {
    while (s->count > 0) {
        forget_oldest(s);
    }
}

static void history_put(struct stack *s, struct oc_slice text) {
    while (s->count > 0 && (s->count == MAX_STEPS || s->bytes + text.len > MAX_BYTES)) {
        forget_oldest(s);
    }
    if (text.len > MAX_BYTES) {
        return;
    }
    s->texts[s->count++] = oc_strndup(text.len ? text.ptr : "", text.len);
    s->bytes += text.len;
}

void cv_history_destroy(struct cv_history *h) {
    if (!h) {
        return;
    }
    forget_all(&h->past);
    forget_all(&h->future);
    oc_free(h);
}

void cv_history_note(struct cv_history **h, struct oc_slice before, size_t typed_at, size_t caret) {
    if (!*h) {
        *h = oc_new(struct cv_history);
        (*h)->joins_at = SIZE_MAX;
    }
    bool joins = typed_at != SIZE_MAX && typed_at == (*h)->joins_at && (*h)->past.count > 0;
    if (!joins) {
        history_put(&(*h)->past, before);
    }
    forget_all(&(*h)->future);
    (*h)->joins_at = typed_at == SIZE_MAX ? SIZE_MAX : caret;
}

bool cv_history_step(struct cv_history *h, struct oc_slice now, bool forward, struct oc_buf *out) {
    if (!h) {
        return false;
    }
    struct stack *from = forward ? &h->future : &h->past, *to = forward ? &h->past : &h->future;
    if (from->count == 0) {
        return false;
    }
    char *text = from->texts[--from->count];
    from->bytes -= strlen(text);
    (void)oc_buf_puts(out, text);
    oc_free_secret(text);
    history_put(to, now);
    h->joins_at = SIZE_MAX;
    return true;
}
