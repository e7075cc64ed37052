#include "lib/base/nearest.h"

#include "lib/base/str.h"

#include <string.h>

#define MAX_WORD 64

static size_t nearest_smallest(size_t a, size_t b, size_t c) {
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* Edits that turn one word into the other; long words are not worth the time. */
static size_t edit_distance(const char *a, const char *b) {
    size_t na = strlen(a), nb = strlen(b);
    if (na >= MAX_WORD || nb >= MAX_WORD) {
        return MAX_WORD;
    }
    size_t row[MAX_WORD + 1];
    for (size_t j = 0; j <= nb; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t above = row[j];
            size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = nearest_smallest(above + 1, row[j - 1] + 1, diagonal + change);
            diagonal = above;
        }
    }
    return row[nb];
}

/* Two neighbours changed places: the commonest typing error, and one, not two. */
static bool is_swap(const char *a, const char *b) {
    size_t n = strlen(a), i = 0;
    if (n != strlen(b)) {
        return false;
    }
    while (i < n && a[i] == b[i]) {
        i++;
    }
    return i + 1 < n && a[i] == b[i + 1] && a[i + 1] == b[i] && strcmp(a + i + 2, b + i + 2) == 0;
}

const char *oc_nearest(const char *word, const char *const *known, size_t count) {
    const char *best = NULL;
    size_t best_distance = strlen(word) < 4 ? 2 : 3; /* one beyond what is still a typing error */
    for (size_t i = 0; i < count; i++) {
        size_t d = is_swap(word, known[i]) ? 1 : edit_distance(word, known[i]);
        bool is_start = strlen(word) >= 3 && oc_starts_with(known[i], word);
        if (is_start && d >= best_distance && !best) {
            best = known[i];
        }
        if (d < best_distance) {
            best_distance = d;
            best = known[i];
        }
    }
    return best;
}
