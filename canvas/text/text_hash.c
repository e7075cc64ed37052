/* What both text engines need to keep texts by content and style. */
#include "canvas/text/text.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"

#include <string.h>

static uint64_t text_hash_mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
}

/* With a key that nobody outside knows: damage takes equal hashes for equal texts, and no agent may
 * find two that are. */
static uint64_t mix_bytes(uint64_t h, const void *data, size_t n) {
    return text_hash_mix(h, oc_map_hash(data, n));
}

static uint64_t mix_double(uint64_t h, double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return text_hash_mix(h, bits);
}

static unsigned span_bits(const struct cv_text_span *s) {
    return (unsigned)(s->bold | s->italic << 1 | s->mono << 2 | s->underline << 3 | s->strike << 4 |
                      s->has_color << 5);
}

static unsigned style_bits(const struct cv_text_style *s) {
    return (unsigned)s->align | (unsigned)s->italic << 2 | (unsigned)s->no_wrap << 3 |
           (unsigned)s->ellipsis << 4 | (unsigned)s->keep_spaces << 5;
}

uint64_t cv_text_hash(struct oc_slice text, const struct cv_text_style *style) {
    uint64_t h = mix_bytes(0x51a7, text.ptr, text.len);
    if (style->family) {
        h = mix_bytes(h, style->family, strlen(style->family));
    }
    h = mix_double(mix_double(h, style->size_px), style->line_px);
    h = text_hash_mix(h, (uint64_t)(unsigned)style->weight << 32 | style->color);
    h = text_hash_mix(h, (uint64_t)style->max_lines << 8 | style_bits(style));
    for (size_t i = 0; i < style->span_count; i++) {
        const struct cv_text_span *s = &style->spans[i];
        h = text_hash_mix(text_hash_mix(h, s->from), s->to);
        h = text_hash_mix(h, (uint64_t)span_bits(s) << 32 | (s->has_color ? s->color : 0));
    }
    return h;
}

static bool same_family(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool cv_text_style_equal(const struct cv_text_style *a, const struct cv_text_style *b) {
    if (!same_family(a->family, b->family) || a->size_px != b->size_px ||
            a->line_px != b->line_px || a->weight != b->weight || a->color != b->color ||
            style_bits(a) != style_bits(b) || a->max_lines != b->max_lines ||
            a->span_count != b->span_count) {
        return false;
    }
    for (size_t i = 0; i < a->span_count; i++) {
        const struct cv_text_span *x = &a->spans[i], *y = &b->spans[i];
        if (x->from != y->from || x->to != y->to || span_bits(x) != span_bits(y) ||
                (x->has_color && x->color != y->color)) {
            return false;
        }
    }
    return true;
}

void cv_text_style_copy(struct cv_text_style *to, const struct cv_text_style *from) {
    *to = *from;
    to->family = oc_strdup(from->family);
    if (!from->span_count) {
        return;
    }
    struct cv_text_span *spans = oc_new_array(struct cv_text_span, from->span_count);
    memcpy(spans, from->spans, from->span_count * sizeof(*spans));
    to->spans = spans;
}

void cv_text_style_finish(struct cv_text_style *style) {
    oc_free((char *)style->family);
    if (style->span_count) {
        oc_free((struct cv_text_span *)style->spans);
    }
    *style = (struct cv_text_style){ 0 };
}
