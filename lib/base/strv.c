#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <stdlib.h>
#include <string.h>

void oc_strv_add(struct oc_strv *v, const char *s) {
    /* Grows at every power of two; count alone tells the capacity. */
    if ((v->count & (v->count - 1)) == 0) {
        size_t cap = v->count ? v->count * 2 : 1;
        v->items = oc_realloc(v->items, cap * sizeof(*v->items));
    }
    v->items[v->count++] = oc_strdup(s);
}

void oc_strv_add_unique(struct oc_strv *v, const char *s) {
    if (!oc_strv_has(v, s)) {
        oc_strv_add(v, s);
    }
}

bool oc_strv_equal(const struct oc_strv *a, const struct oc_strv *b) {
    bool is_equal = a->count == b->count;
    for (size_t i = 0; is_equal && i < a->count; i++) {
        is_equal = strcmp(a->items[i], b->items[i]) == 0;
    }
    return is_equal;
}

bool oc_strv_has(const struct oc_strv *v, const char *s) {
    for (size_t i = 0; i < v->count; i++) {
        if (strcmp(v->items[i], s) == 0) {
            return true;
        }
    }
    return false;
}

bool oc_strv_covers(const struct oc_strv *v, const struct oc_strv *sub) {
    for (size_t i = 0; i < sub->count; i++) {
        if (!oc_strv_has(v, sub->items[i])) {
            return false;
        }
    }
    return true;
}

const char **oc_strv_vector(const struct oc_strv *v, size_t skip) {
    const char **a = oc_new_array(const char *, skip + v->count + 1);
    for (size_t i = 0; i < v->count; i++) {
        a[skip + i] = v->items[i];
    }
    return a;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Shrinking would break the rule by which oc_strv_add knows the capacity: it may then be larger
 * than count says, and realloc to a smaller size is harmless, so nothing has to be done. */
void oc_strv_sort_unique(struct oc_strv *v) {
    if (v->count < 2) {
        return;
    }
    qsort(v->items, v->count, sizeof(*v->items), by_text);
    size_t kept = 1;
    for (size_t i = 1; i < v->count; i++) {
        if (strcmp(v->items[i], v->items[kept - 1]) == 0) {
            oc_free(v->items[i]);
        } else {
            v->items[kept++] = v->items[i];
        }
    }
    v->count = kept;
}

void oc_strv_copy(struct oc_strv *dst, const struct oc_strv *src) {
    for (size_t i = 0; i < src->count; i++) {
        oc_strv_add(dst, src->items[i]);
    }
}

void oc_strv_remove_at(struct oc_strv *v, size_t index) {
    oc_free(v->items[index]);
    v->count--;
    memmove(v->items + index, v->items + index + 1, (v->count - index) * sizeof(v->items[0]));
}

void oc_strv_remove(struct oc_strv *v, const char *s) {
    size_t kept = 0;
    for (size_t i = 0; i < v->count; i++) {
        if (strcmp(v->items[i], s) == 0) {
            oc_free(v->items[i]);
        } else {
            v->items[kept++] = v->items[i];
        }
    }
    v->count = kept;
}

char *oc_strv_join(const struct oc_strv *v, const char *sep) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(SIZE_MAX / 2);
    for (size_t i = 0; i < v->count; i++) {
        if (i > 0) {
            oc_buf_puts(&out, sep);
        }
        oc_buf_puts(&out, v->items[i]);
    }
    return oc_buf_take(&out);
}

void oc_strv_finish(struct oc_strv *v) {
    for (size_t i = 0; i < v->count; i++) {
        oc_free(v->items[i]);
    }
    oc_free(v->items);
    *v = (struct oc_strv){ 0 };
}
