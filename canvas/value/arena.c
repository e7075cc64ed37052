#include "canvas/value/arena.h"

#include "lib/base/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 * 1024)
#define KEPT_BLOCKS 16

struct block {
    struct block *next;
    size_t size, used;
    alignas(max_align_t) char bytes[];
};

struct cv_arena {
    struct block *first, *current;
};

static struct block *block_create(size_t size) {
    struct block *b = oc_alloc(sizeof(*b) + size);
    b->size = size;
    return b;
}

struct cv_arena *cv_arena_create(void) {
    struct cv_arena *a = oc_new(struct cv_arena);
    a->first = a->current = block_create(BLOCK_BYTES);
    return a;
}

static void free_from(struct block *b) {
    while (b) {
        struct block *next = b->next;
        oc_free(b);
        b = next;
    }
}

void cv_arena_destroy(struct cv_arena *a) {
    if (!a) {
        return;
    }
    free_from(a->first);
    oc_free(a);
}

void cv_arena_clear(struct cv_arena *a) {
    struct block *b = a->first;
    for (size_t kept = 1;; kept++) {
        memset(b->bytes, 0, b->used);
        b->used = 0;
        if (!b->next) {
            break;
        }
        if (kept == KEPT_BLOCKS) {
            free_from(oc_take(&b->next));
            break;
        }
        b = b->next;
    }
    a->current = a->first;
}

void *cv_arena_alloc(struct cv_arena *a, size_t n) {
    size_t room = (n + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if (room < n) {
        room = n; /* overflow: oc_alloc refuses it below */
    }
    struct block *b = a->current;
    while (b->size - b->used < room) {
        if (!b->next || b->next->size < room) {
            struct block *fresh = block_create(room > BLOCK_BYTES ? room : BLOCK_BYTES);
            fresh->next = b->next;
            b->next = fresh;
        }
        b = b->next;
    }
    a->current = b;
    void *p = b->bytes + b->used;
    b->used += room;
    return p;
}

char *cv_arena_strndup(struct cv_arena *a, const char *s, size_t n) {
    char *copy = cv_arena_alloc(a, n + 1);
    if (n) {
        memcpy(copy, s, n);
    }
    return copy;
}

char *cv_arena_printf(struct cv_arena *a, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = cv_arena_alloc(a, n < 0 ? 1 : (size_t)n + 1);
    if (n > 0) {
        vsnprintf(text, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    return text;
}

size_t cv_arena_bytes(const struct cv_arena *a) {
    size_t bytes = 0;
    for (const struct block *b = a->first; b; b = b->next) {
        bytes += b->size;
    }
    return bytes;
}
