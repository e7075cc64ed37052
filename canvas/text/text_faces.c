#include "canvas/text/text_faces.h"

#include "lib/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FALLBACK "sans-serif"
#define MAX_FACES 512 /* an agent can name a new font in every push */

/* Chinese and Japanese share characters that look different: whose they are is the user's language.
 * (Nobody calls setlocale here: numbers are read and written as in C.) */
static void set_language(PangoContext *context) {
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value) {
            continue;
        }
        OC_AUTO_FREE char *language = oc_strndup(value, strcspn(value, ".@"));
        if (strcmp(language, "C") != 0 && strcmp(language, "POSIX") != 0) {
            pango_context_set_language(context, pango_language_from_string(language));
        }
        return;
    }
}

/* The same picture on every machine with the same fonts: nothing depends on the desktop's font
 * settings. */
void cv_faces_init(struct cv_faces *f) {
    f->map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
    pango_cairo_font_map_set_resolution(PANGO_CAIRO_FONT_MAP(f->map), 96);
    f->context = pango_font_map_create_context(f->map);
    cairo_font_options_t *o = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(f->context, o);
    cairo_font_options_destroy(o);
    pango_context_set_round_glyph_positions(f->context, FALSE);
    set_language(f->context);
}

void cv_faces_finish(struct cv_faces *f) {
    for (size_t i = 0; i < f->count; i++) {
        struct cv_face *face = f->items[i];
        pango_font_description_free(face->desc);
        g_clear_object(&face->font);
        oc_free(face->family);
        oc_free(face);
    }
    oc_free(f->items);
    g_clear_object(&f->context);
    g_clear_object(&f->map);
}

static void text_faces_load(struct cv_faces *f, struct cv_face *face) {
    face->desc = pango_font_description_new();
    pango_font_description_set_family(face->desc, face->family);
    pango_font_description_set_absolute_size(face->desc, face->size_px * PANGO_SCALE);
    pango_font_description_set_weight(face->desc, (PangoWeight)face->weight);
    if (face->italic) {
        pango_font_description_set_style(face->desc, PANGO_STYLE_ITALIC);
    }
    face->ascent = round(face->size_px * 0.9);
    face->descent = round(face->size_px * 0.21);
    face->font = pango_font_map_load_font(f->map, f->context, face->desc);
    if (!face->font) {
        return;
    }
    face->hb = pango_font_get_hb_font(face->font);
    face->scaled = pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(face->font));
    hb_font_extents_t e;
    if (face->hb && hb_font_get_h_extents(face->hb, &e)) {
        face->ascent = round((double)e.ascender / PANGO_SCALE);
        face->descent = round(-(double)e.descender / PANGO_SCALE);
    }
}

bool cv_faces_have(struct cv_faces *f, const char *family) {
    static const char *const generic[] = { "sans", "sans-serif", "serif", "monospace", "system-ui",
        "cursive", "fantasy", "mono" };
    for (size_t i = 0; i < OC_COUNT(generic); i++) {
        if (strcasecmp(generic[i], family) == 0) {
            return true;
        }
    }
    PangoFontFamily **families = NULL;
    int count = 0;
    bool found = false;
    pango_font_map_list_families(f->map, &families, &count);
    for (int i = 0; i < count && !found; i++) {
        found = strcasecmp(pango_font_family_get_name(families[i]), family) == 0;
    }
    g_free(families);
    return found;
}

static double sane_size(double px) {
    return px >= 1 && px <= 500 ? px : 14;
}

const struct cv_face *cv_faces_get(struct cv_faces *f, const struct cv_text_style *style) {
    const char *family = style->family && *style->family ? style->family : FALLBACK;
    double size = sane_size(style->size_px);
    int weight = style->weight >= 100 && style->weight <= 1000 ? style->weight : 400;
    for (size_t i = 0; i < f->count; i++) {
        const struct cv_face *it = f->items[i];
        if (it->size_px == size && it->weight == weight && it->italic == style->italic &&
                strcmp(it->family, family) == 0) {
            return it;
        }
    }
    if (f->count == MAX_FACES) {
        return f->items[0];
    }
    struct cv_face *face = oc_new(struct cv_face);
    *face = (struct cv_face){
        .family = oc_strdup(family), .size_px = size, .weight = weight, .italic = style->italic
    };
    text_faces_load(f, face);
    f->items = oc_realloc(f->items, (f->count + 1) * sizeof(struct cv_face *));
    f->items[f->count++] = face;
    return face;
}

/* Fontconfig keeps what it has read until the process ends and does not say so to the leak
 * detector. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);  // NOLINT
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void) { // NOLINT
    return "leak:libfontconfig\nleak:libpango\n";
}
#endif
#endif
