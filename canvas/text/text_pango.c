#include "canvas/text/text_pango.h"
#include "canvas/text/text_limit.h"

#include "canvas/model/limits.h"
#include "canvas/text/text_draw.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/utf8.h"

#include <math.h>
#include <string.h>

#define MAX_LAYOUTS 400
#define MAX_PLAIN 512 /* bytes of a text that is shaped directly */
#define MONO_FAMILY "Liberation Mono, Noto Sans Mono, DejaVu Sans Mono, monospace"
#define MONO_SHARE (13.0 / 14.0) /* of the size around it */
#define SLACK 0.02               /* a text must fit into the width that it has asked for */
#define REPLACEMENT "\xef\xbf\xbd"
#define PART_BYTES 1024 /* of a long text that is shaped at once */

struct cv_texts {
    struct cv_faces faces;
    struct cv_text **buckets;
    size_t bucket_count, count;
    struct oc_list layouts; /* cv_text.link, longest unused first */
    size_t layout_count;
    hb_buffer_t *shaping;
    uint64_t now;
};

struct cv_texts *cv_texts_create(void) {
    struct cv_texts *t = oc_new(struct cv_texts);
    cv_faces_init(&t->faces);
    oc_list_init(&t->layouts);
    t->bucket_count = 256;
    t->buckets = oc_new_array(struct cv_text *, t->bucket_count);
    t->shaping = hb_buffer_create();
    return t;
}

static void drop_layout(struct cv_text *t) {
    if (!t->layout) {
        return;
    }
    g_clear_object(&t->layout);
    oc_list_remove(&t->link);
    t->texts->layout_count--;
}

static void text_destroy(struct cv_text *t) {
    drop_layout(t);
    t->texts->count--;
    cv_text_style_finish(&t->style);
    oc_free(t->glyphs);
    oc_free(t->bytes);
    oc_free(t);
}

static void drop_unseen(struct cv_texts *t, uint64_t before) {
    for (size_t i = 0; i < t->bucket_count; i++) {
        for (struct cv_text **at = &t->buckets[i]; *at;) {
            struct cv_text *it = *at;
            if (it->seen < before) {
                *at = it->next;
                text_destroy(it);
            } else {
                at = &it->next;
            }
        }
    }
}

void cv_texts_destroy(struct cv_texts *t) {
    if (!t) {
        return;
    }
    drop_unseen(t, UINT64_MAX);
    oc_free(t->buckets);
    hb_buffer_destroy(t->shaping);
    cv_faces_finish(&t->faces);
    oc_free(t);
}

bool cv_texts_have(struct cv_texts *t, const char *family) {
    return cv_faces_have(&t->faces, family);
}

void cv_texts_age(struct cv_texts *t) {
    t->now++;
    if (t->now > 2) {
        drop_unseen(t, t->now - 2);
    }
}

static void text_pango_grow(struct cv_texts *t) {
    size_t n = t->bucket_count * 4;
    struct cv_text **buckets = oc_new_array(struct cv_text *, n);
    for (size_t i = 0; i < t->bucket_count; i++) {
        for (struct cv_text *it = t->buckets[i]; it;) {
            struct cv_text *next = it->next;
            it->next = buckets[it->hash & (n - 1)];
            buckets[it->hash & (n - 1)] = it;
            it = next;
        }
    }
    oc_free(t->buckets);
    t->buckets = buckets;
    t->bucket_count = n;
}

/* An ellipsis cuts the first line only, so there must be no second. */
static void join_lines(char *bytes, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r') {
            bytes[i] = ' ';
        }
    }
}

static struct cv_text *add_text(struct cv_texts *texts, struct oc_slice text, uint64_t hash,
        const struct cv_text_style *style) {
    if (texts->count >= texts->bucket_count * 2) {
        text_pango_grow(texts);
    }
    struct cv_text *t = oc_new(struct cv_text);
    struct cv_text **bucket = &texts->buckets[hash & (texts->bucket_count - 1)];
    t->texts = texts;
    t->hash = hash;
    t->next = *bucket;
    *bucket = t;
    texts->count++;
    oc_list_init(&t->link);
    cv_text_style_copy(&t->style, style);
    t->bytes = oc_strndup(text.ptr, text.len);
    t->len = text.len;
    if (style->ellipsis) {
        join_lines(t->bytes, t->len);
    }
    t->face = cv_faces_get(&texts->faces, style);
    double font_px = t->face->ascent + t->face->descent;
    bool has_line = style->line_px > 0 && style->line_px < 10000;
    t->line_px = has_line ? style->line_px : font_px;
    t->ascent = round((t->line_px - font_px) / 2) + t->face->ascent;
    t->broken[0].width = t->broken[1].width = -1;
    for (size_t i = 0; i < t->len && !(t->slack > 0); i++) {
        if ((unsigned char)t->bytes[i] >= 0xcc) { /* from U+0300 on there are marks and stacks */
            t->slack = t->line_px;
        }
    }
    return t;
}

/* What is drawn is valid UTF-8 without NUL. */
static struct oc_slice text_pango_repaired(struct oc_slice text, struct oc_buf *room) {
    if (!text.ptr) {
        return (struct oc_slice){ "", 0 };
    }
    size_t len = oc_utf8_cut(text.ptr, text.len, CV_MAX_STRING);
    if (!memchr(text.ptr, 0, len) && oc_utf8_valid(text.ptr, len)) {
        return (struct oc_slice){ text.ptr, len };
    }
    for (size_t i = 0; i < len;) {
        size_t run = strnlen(text.ptr + i, len - i);
        (void)oc_utf8_append_repaired(room, text.ptr + i, run);
        i += run;
        if (i < len) {
            (void)oc_buf_puts(room, REPLACEMENT);
            i++;
        }
    }
    return (struct oc_slice){ room->data ? room->data : "", room->len };
}

struct cv_text *cv_text_get(
        struct cv_texts *texts, struct oc_slice text, const struct cv_text_style *style) {
    OC_AUTO_BUF struct oc_buf room = OC_BUF_INIT(3 * CV_MAX_STRING + 16);
    struct oc_slice clean = text_pango_repaired(text, &room);
    uint64_t hash = cv_text_hash(clean, style);
    struct cv_text *t = texts->buckets[hash & (texts->bucket_count - 1)];
    while (t && !(t->hash == hash && t->len == clean.len &&
                        memcmp(t->bytes, clean.ptr, clean.len) == 0 &&
                        cv_text_style_equal(&t->style, style))) {
        t = t->next;
    }
    if (!t) {
        t = add_text(texts, clean, hash, style);
    }
    t->seen = texts->now;
    return t;
}

struct oc_slice cv_text_string(const struct cv_text *t) {
    return (struct oc_slice){ t->bytes, t->len };
}

const struct cv_text_style *cv_text_style_of(const struct cv_text *t) {
    return &t->style;
}

static void add_attr(PangoAttrList *list, PangoAttribute *a, const struct cv_text_span *s) {
    a->start_index = (guint)s->from;
    a->end_index = (guint)s->to;
    pango_attr_list_insert(list, a);
}

static void add_color(PangoAttrList *list, const struct cv_text_span *s) {
    cv_color c = s->color;
    add_attr(list,
            pango_attr_foreground_new((guint16)((c >> 24) * 257),
                    (guint16)(((c >> 16) & 0xff) * 257), (guint16)(((c >> 8) & 0xff) * 257)),
            s);
    add_attr(list, pango_attr_foreground_alpha_new((guint16)((c & 0xff) * 257)), s);
}

/* A place near `from` where a text can be shaped in two parts: after a space, else between
 * characters that do not join. */
static size_t cut_near(const char *bytes, size_t len, size_t from) {
    for (size_t i = from; i < len && i < from + PART_BYTES / 8; i++) {
        if (bytes[i] == ' ') {
            return i + 1;
        }
    }
    size_t i = from;
    while (i < len && ((unsigned char)bytes[i] & 0xc0) == 0x80) {
        i++;
    }
    for (; i < len; i = (size_t)(g_utf8_next_char(bytes + i) - bytes)) {
        gunichar c = g_utf8_get_char(bytes + i);
        gunichar before = g_utf8_get_char(g_utf8_prev_char(bytes + i));
        bool joins = g_unichar_ismark(c) || c == 0x200d || before == 0x200d ||
                     (c >= 0x1f1e6 && c <= 0x1f1ff) || (c >= 0x1f3fb && c <= 0x1f3ff);
        if (!joins) {
            break;
        }
    }
    return i;
}

/* Pango breaks a run of letters in quadratic time, and its widths overflow after 2 million pixels.
 * An attribute that is as it is anyway makes every second part a run of its own. */
static void split_line(const char *bytes, size_t from, size_t end, PangoAttrList *list) {
    bool is_marked = false;
    while (from < end) {
        size_t to = from + PART_BYTES < end ? cut_near(bytes, end, from + PART_BYTES) : end;
        if (is_marked) {
            add_attr(list, pango_attr_fallback_new(TRUE),
                    &(struct cv_text_span){ .from = from, .to = to });
        }
        is_marked = !is_marked;
        from = to;
    }
}

/* Only lines that need it: Pango walks all attributes for every line. */
static void split_runs(const char *bytes, size_t len, PangoAttrList *list) {
    for (size_t from = 0; from < len;) {
        const char *end = memchr(bytes + from, '\n', len - from);
        size_t to = end ? (size_t)(end - bytes) : len;
        if (to - from > 2 * (size_t)PART_BYTES) {
            split_line(bytes, from, to, list);
        }
        from = to + 1;
    }
}

static PangoAttrList *attrs_of(const struct cv_text *t, const char *bytes) {
    PangoAttrList *list = pango_attr_list_new();
    pango_attr_list_insert(list, pango_attr_insert_hyphens_new(FALSE));
    split_runs(bytes, t->len, list);
    for (size_t i = 0; i < t->style.span_count; i++) {
        const struct cv_text_span *s = &t->style.spans[i];
        if (s->bold) {
            add_attr(list, pango_attr_weight_new(PANGO_WEIGHT_BOLD), s);
        }
        if (s->italic) {
            add_attr(list, pango_attr_style_new(PANGO_STYLE_ITALIC), s);
        }
        if (s->mono) {
            add_attr(list, pango_attr_family_new(MONO_FAMILY), s);
            double px = round(t->face->size_px * MONO_SHARE);
            add_attr(list, pango_attr_size_new_absolute((int)(px * PANGO_SCALE)), s);
        }
        if (s->underline) {
            add_attr(list, pango_attr_underline_new(PANGO_UNDERLINE_SINGLE), s);
        }
        if (s->strike) {
            add_attr(list, pango_attr_strikethrough_new(TRUE), s);
        }
        if (s->has_color) {
            add_color(list, s);
        }
    }
    return list;
}

static PangoLayout *make_layout(struct cv_text *t) {
    struct cv_texts *texts = t->texts;
    if (texts->layout_count >= MAX_LAYOUTS) {
        drop_layout(oc_list_first(&texts->layouts, struct cv_text, link));
    }
    t->layout = pango_layout_new(texts->faces.context);
    pango_layout_set_font_description(t->layout, t->face->desc);
    OC_AUTO_FREE char *limited = cv_text_limit(t->bytes, t->len);
    const char *bytes = limited ? limited : t->bytes;
    PangoAttrList *attrs = attrs_of(t, bytes);
    pango_layout_set_attributes(t->layout, attrs);
    pango_attr_list_unref(attrs);
    pango_layout_set_text(t->layout, bytes, (int)t->len);
    pango_layout_set_wrap(t->layout, PANGO_WRAP_WORD_CHAR);
    t->layout_w = -1;
    texts->layout_count++;
    return t->layout;
}

PangoLayout *cv_text_layout(struct cv_text *t, double width) {
    if (!t->layout) {
        make_layout(t);
    }
    oc_list_remove(&t->link);
    oc_list_append(&t->texts->layouts, &t->link);
    if (!(width >= 0) || width > 1e6 || (t->style.no_wrap && !t->style.ellipsis)) {
        width = -1;
    }
    if (width != t->layout_w) {
        pango_layout_set_ellipsize(t->layout,
                t->style.ellipsis && width >= 0 ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
        pango_layout_set_width(
                t->layout, width < 0 ? -1 : (int)ceil((width + SLACK / 2) * PANGO_SCALE));
        t->layout_w = width;
    }
    return t->layout;
}

/* Latin letters of one or two bytes; everything else is Pango's. ret_odd: has signs after which a
 * line may end. */
static bool is_plain(const struct cv_text *t, bool *ret_odd) {
    if (t->len > MAX_PLAIN || t->style.span_count || !t->face->hb) {
        return false;
    }
    for (size_t i = 0; i < t->len; i++) {
        unsigned char c = (unsigned char)t->bytes[i];
        if (c == 0xc3) {
            i++;
            continue;
        }
        if (c < 0x20 || c > 0x7e) {
            return false;
        }
        if (oc_is_one_of((int)c, "-/?!|}")) {
            *ret_odd = true;
        }
    }
    return true;
}

/* Widest part between the places where a line may end, spaces before them not counted. */
struct pango_parts {
    double part, spaces, widest;
};

static void parts_add(struct pango_parts *p, double w, bool is_space, bool may_end) {
    if (is_space) {
        p->spaces += w;
    } else {
        p->part += p->spaces + w;
        p->spaces = 0;
    }
    if (p->part > p->widest) {
        p->widest = p->part;
    }
    if (may_end) {
        p->part = p->spaces = 0;
    }
}

static bool text_pango_shape(struct cv_text *t, bool is_odd) {
    hb_buffer_t *b = t->texts->shaping;
    hb_buffer_clear_contents(b);
    hb_buffer_add_utf8(b, t->bytes, (int)t->len, 0, (int)t->len);
    hb_buffer_set_direction(b, HB_DIRECTION_LTR);
    hb_buffer_set_script(b, HB_SCRIPT_LATIN);
    PangoLanguage *language = pango_context_get_language(t->texts->faces.context);
    hb_buffer_set_language(b, hb_language_from_string(pango_language_to_string(language), -1));
    hb_shape(t->face->hb, b, NULL, 0);
    unsigned n = 0;
    const hb_glyph_info_t *info = hb_buffer_get_glyph_infos(b, &n);
    const hb_glyph_position_t *pos = hb_buffer_get_glyph_positions(b, &n);
    PangoLogAttr attrs[MAX_PLAIN + 1];
    unsigned char may_end[MAX_PLAIN + 1] = { 0 }; /* after the character that ends at this byte */
    if (is_odd) {
        long chars = g_utf8_strlen(t->bytes, (gssize)t->len);
        pango_get_log_attrs(
                t->bytes, (int)t->len, -1, pango_language_get_default(), attrs, (int)chars + 1);
        size_t byte = 0;
        for (long c = 0; c < chars; c++) {
            byte += (unsigned char)t->bytes[byte] == 0xc3 ? 2 : 1;
            may_end[byte] = attrs[c + 1].is_line_break;
        }
    }
    struct cv_glyph *glyphs = oc_new_array(struct cv_glyph, n ? n : 1);
    struct pango_parts parts = { 0 };
    double x = 0;
    for (unsigned i = 0; i < n; i++) {
        if (!info[i].codepoint || pos[i].x_offset || pos[i].y_offset) {
            oc_free(glyphs);
            return false; /* this font has no such letter */
        }
        double w = (double)pos[i].x_advance / PANGO_SCALE;
        bool is_space = t->bytes[info[i].cluster] == ' ';
        size_t end = i + 1 < n ? info[i + 1].cluster : t->len;
        glyphs[i] = (struct cv_glyph){ info[i].codepoint, (float)x };
        parts_add(&parts, w, is_space, is_odd ? may_end[end] : is_space);
        x += w;
    }
    t->glyphs = glyphs;
    t->glyph_count = n;
    t->max_w = x;
    t->min_w = parts.widest;
    t->paragraphs = 1;
    return true;
}

/* Where in the text a run begins, in characters: runs lie next to each other, so counting goes on
 * from the last one. */
struct cursor {
    const char *at;
    long chars;
};

static long chars_before(struct cursor *c, const char *at) {
    c->chars += g_utf8_pointer_to_offset(c->at, at);
    c->at = at;
    return c->chars;
}

/* Adds the characters of one run and returns its width. A right-to-left run is walked backwards in
 * the glyphs, but its characters come in order. */
static double measure_run(const struct cv_text *t, const PangoLayoutRun *run,
        const PangoLogAttr *attrs, struct cursor *cursor, struct pango_parts *parts) {
    const char *text = t->bytes + run->item->offset;
    int chars = run->item->num_chars;
    OC_AUTO_FREE int *widths = oc_new_array(int, (size_t)chars + 1);
    pango_glyph_string_get_logical_widths(
            run->glyphs, text, run->item->length, run->item->analysis.level, widths);
    long first = chars_before(cursor, text);
    const char *c = text;
    double sum = 0;
    for (int i = 0; i < chars; i++, c = g_utf8_next_char(c)) {
        double w = (double)widths[i] / PANGO_SCALE;
        parts_add(parts, w, *c == ' ' || *c == '\t', attrs[first + i + 1].is_line_break);
        sum += w;
    }
    return sum;
}

/* Widths are added up here because Pango's own sum, an int, overflows after 300,000 characters. */
static void measure_layout(struct cv_text *t) {
    PangoLayout *l = cv_text_layout(t, -1);
    int n = 0;
    const PangoLogAttr *attrs = pango_layout_get_log_attrs_readonly(l, &n);
    struct pango_parts parts = { 0 };
    struct cursor cursor = { t->bytes, 0 };
    for (GSList *at = pango_layout_get_lines_readonly(l); at; at = at->next) {
        PangoLayoutLine *line = at->data;
        double w = 0;
        for (GSList *run = line->runs; run; run = run->next) {
            w += measure_run(t, run->data, attrs, &cursor, &parts);
        }
        t->max_w = fmax(t->max_w, w);
        parts.part = parts.spaces = 0;
        t->paragraphs++;
    }
    t->min_w = fmin(parts.widest, t->max_w);
    t->unknown = (unsigned)pango_layout_get_unknown_glyphs_count(l);
}

static void text_pango_measure(struct cv_text *t) {
    if (t->is_measured) {
        return;
    }
    bool is_odd = false;
    if (!is_plain(t, &is_odd) || !text_pango_shape(t, is_odd)) {
        measure_layout(t);
    }
    if (t->style.ellipsis) {
        t->min_w = fmin(t->min_w, t->face->size_px);
    } else if (t->style.no_wrap) {
        t->min_w = t->max_w;
    }
    t->is_measured = true;
}

double cv_text_min_width(struct cv_text *t) {
    text_pango_measure(t);
    return t->min_w;
}

double cv_text_max_width(struct cv_text *t) {
    text_pango_measure(t);
    return t->max_w;
}

/* No line of it has to be broken at this width? */
static bool text_pango_fits(struct cv_text *t, double width) {
    text_pango_measure(t);
    return !(width >= 0) || t->max_w <= width + SLACK || (t->style.no_wrap && !t->style.ellipsis);
}

static size_t line_count(struct cv_text *t, double width) {
    bool is_whole = text_pango_fits(t, width); /* measures, too */
    size_t lines = t->paragraphs;
    if (!is_whole) {
        if (t->broken[0].width == width) {
            lines = t->broken[0].lines;
        } else if (t->broken[1].width == width) {
            lines = t->broken[1].lines;
        } else {
            lines = (size_t)pango_layout_get_line_count(cv_text_layout(t, width));
            t->broken[1] = t->broken[0];
            t->broken[0].width = width;
            t->broken[0].lines = lines;
        }
    }
    return t->style.max_lines && lines > t->style.max_lines ? t->style.max_lines : lines;
}

double cv_text_height(struct cv_text *t, double width) {
    return (double)line_count(t, width) * t->line_px;
}

double cv_text_baseline(struct cv_text *t, double width) {
    (void)width;
    return t->ascent;
}

unsigned cv_text_unknown_glyphs(struct cv_text *t, double width) {
    (void)width;
    text_pango_measure(t);
    return t->unknown;
}

double cv_text_slack(const struct cv_text *t) {
    return t->slack;
}

static double text_pango_aligned(
        const struct cv_text *t, double width, double line_w, bool is_rtl) {
    double room = width - line_w;
    if (!(width >= 0)) {
        return 0;
    }
    if (t->style.align == CV_ALIGN_CENTER) {
        return room > 0 ? room / 2 : 0;
    }
    bool is_right = (t->style.align == CV_ALIGN_END) != is_rtl;
    return is_right ? room : 0;
}

double cv_text_line_x(
        const struct cv_text *t, PangoLayoutLine *line, double width, double *ret_line_w) {
    PangoRectangle logical;
    pango_layout_line_get_extents(line, NULL, &logical);
    double w = (double)logical.width / PANGO_SCALE;
    if (ret_line_w) {
        *ret_line_w = w;
    }
    return text_pango_aligned(t, width, w, line->resolved_dir == PANGO_DIRECTION_RTL);
}

static void set_color(cairo_t *cr, cv_color c) {
    cairo_set_source_rgba(cr, (c >> 24) / 255.0, ((c >> 16) & 0xff) / 255.0,
            ((c >> 8) & 0xff) / 255.0, (c & 0xff) / 255.0);
}

static void draw_plain(const struct cv_text *t, cairo_t *cr, double x, double y) {
    cairo_glyph_t glyphs[MAX_PLAIN];
    for (size_t i = 0; i < t->glyph_count; i++) {
        glyphs[i] = (cairo_glyph_t){ t->glyphs[i].id, x + (double)t->glyphs[i].x, y };
    }
    cairo_set_scaled_font(cr, t->face->scaled);
    cairo_show_glyphs(cr, glyphs, (int)t->glyph_count);
}

/* Nothing reaches further than cv_text_slack says, nor into lines that are not painted with it. */
static void show_line(const struct cv_text *t, cairo_t *cr, PangoLayoutLine *line, double x,
        double y, double width) {
    double slack = t->slack, out = slack + fmax(t->max_w - width, 0);
    cairo_save(cr);
    if (slack > 0) {
        cairo_rectangle(cr, x - out, y - slack, fmax(width, 0) + 2 * out, t->line_px + 2 * slack);
        cairo_clip(cr);
    }
    cairo_move_to(cr, x + cv_text_line_x(t, line, width, NULL), y + t->ascent);
    pango_cairo_show_layout_line(cr, line);
    cairo_restore(cr);
}

void cv_text_draw(struct cv_text *t, cairo_t *cr, double x, double y, double width) {
    if (!t->len) {
        return;
    }
    set_color(cr, t->style.color);
    if (text_pango_fits(t, width) && t->glyphs) {
        draw_plain(t, cr, x + text_pango_aligned(t, width, t->max_w, false), y + t->ascent);
        return;
    }
    double top, bottom, left, right;
    cairo_clip_extents(cr, &left, &top, &right, &bottom);
    size_t n = 0, count = line_count(t, width);
    PangoLayout *l = cv_text_layout(t, text_pango_fits(t, width) ? -1 : width);
    GSList *at = pango_layout_get_lines_readonly(l);
    for (; at && n < count; at = at->next, n++) {
        double line_y = y + (double)n * t->line_px;
        if (line_y + 2 * t->line_px < top) {
            continue;
        }
        if (line_y - t->line_px > bottom) {
            break;
        }
        show_line(t, cr, at->data, x, line_y, width);
    }
}
