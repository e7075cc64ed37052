/* Memory of one scene: thousands of small pieces that die together. */
#ifndef CANVAS_VALUE_ARENA_H
#define CANVAS_VALUE_ARENA_H

#include <stddef.h>

struct cv_arena;

struct cv_arena *cv_arena_create(void);
void cv_arena_destroy(struct cv_arena *a);
void cv_arena_clear(struct cv_arena *a);            /* keeps the first blocks */
void *cv_arena_alloc(struct cv_arena *a, size_t n); /* zeroed, aligned for anything */
char *cv_arena_strndup(struct cv_arena *a, const char *s, size_t n);
char *cv_arena_printf(struct cv_arena *a, const char *fmt, ...)
        __attribute__((format(printf, 2, 3)));

/* All that it has from the system. For tests. */
size_t cv_arena_bytes(const struct cv_arena *a);

#endif
