/* Allocation that aborts when memory is gone, scoped cleanup, and moving ownership.
 *
 * Small allocations never fail (the process aborts), so nobody checks them. Anything sized by a
 * peer goes through struct oc_buf, which has a ceiling. */
#ifndef LIB_BASE_MEM_H
#define LIB_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OC_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OC_CONTAINER(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define OC_UNUSED __attribute__((unused))

void *oc_alloc(size_t size);               /* zeroed, aborts on failure */
void *oc_realloc(void *p, size_t size);    /* aborts on failure */
char *oc_strdup(const char *s);            /* NULL gives NULL */
char *oc_strndup(const char *s, size_t n); /* always terminated */
char *oc_strfmt(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define oc_new(T) ((T *)oc_alloc(sizeof(T)))
#define oc_new_array(T, n) ((T *)oc_alloc_array((n), sizeof(T)))
void *oc_alloc_array(size_t n, size_t size); /* zeroed, overflow-checked */
void oc_free(void *p);
/* Overwrites before freeing; for secrets. NULL is fine. */
void oc_free_secret(char *s);

/* OC_AUTO(x) T *v: x_destroy(v) runs when v leaves scope. The destroy function accepts NULL. */
#define OC_DEFINE_AUTO(name, T)                            \
    static inline void oc_auto_##name(__typeof__(T) **p) { \
        name##_destroy(*p);                                \
    }                                                      \
    struct oc_auto_swallow_semicolon_##name
#define OC_AUTO(name) __attribute__((cleanup(oc_auto_##name)))

static inline void oc_auto_free(void *p) {
    oc_free(*(void **)p);
}
static inline void oc_auto_secret(char **p) {
    oc_free_secret(*p);
}
void oc_auto_close(int *fd);
#define OC_AUTO_FREE __attribute__((cleanup(oc_auto_free)))
#define OC_AUTO_SECRET __attribute__((cleanup(oc_auto_secret)))
#define OC_AUTO_FD __attribute__((cleanup(oc_auto_close)))

/* Moves a pointer out of a variable and leaves NULL behind. */
#define oc_take(p)                        \
    __extension__({                       \
        __typeof__(*(p)) oc_taken = *(p); \
        *(p) = NULL;                      \
        oc_taken;                         \
    })
static inline int oc_take_fd(int *fd) {
    int v = *fd;
    *fd = -1;
    return v;
}

/* Large blocks go back to the system when they are freed. Call first thing. A no-op where
 * unsupported. */
void oc_mem_map_large(void);
/* Returns memory that is not needed any more: frees malloc's slack and drops clean pages of
 * the crypto libraries' read-only segments from the resident set (they come back from the page
 * cache on use). Call when a process has become idle. A no-op where unsupported. */
void oc_mem_trim(void);

#endif
