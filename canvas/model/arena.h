/* Memory of one scene: thousands of small pieces that die together. */
#ifndef CANVAS_MODEL_ARENA_H
#define CANVAS_MODEL_ARENA_H

#include <stddef.h>

struct oc_arena;

struct oc_arena *oc_arena_create(void);
void oc_arena_destroy(struct oc_arena *a);
void oc_arena_clear(struct oc_arena *a);            /* keeps the first blocks */
void *oc_arena_alloc(struct oc_arena *a, size_t n); /* zeroed, aligned for anything */
char *oc_arena_strndup(struct oc_arena *a, const char *s, size_t n);
char *oc_arena_printf(struct oc_arena *a, const char *fmt, ...)
        __attribute__((format(printf, 2, 3)));

/* All that it has from the system. */
size_t oc_arena_bytes(const struct oc_arena *a);

#endif
