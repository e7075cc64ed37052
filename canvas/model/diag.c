#include "canvas/model/diag.h"

#include "canvas/model/limits.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/json/json.h"

#include <stdarg.h>
#include <stdio.h>

#define MAX_NAMED 5 /* pictures, in a sum of them */

static const char *const level_names[] = { "note", "warning", "error" };

void cv_diags_add(struct cv_diags *d, enum cv_diag_level level, unsigned line, const char *surface,
        const char *component, const char *code, const char *fmt, ...) {
    if (!d) {
        return;
    }
    if (d->count == CV_MAX_DIAGNOSTICS) {
        d->dropped++;
        return;
    }
    char text[512];
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (len >= (int)sizeof(text)) {
        text[oc_utf8_cut(text, sizeof(text) - 1, sizeof(text) - 2)] = '\0';
    }
    d->items = oc_realloc(d->items, (d->count + 1) * sizeof(*d->items));
    d->items[d->count++] = (struct cv_diag){ .level = level,
        .line = line,
        .surface = oc_strdup(surface),
        .component = oc_strdup(component),
        .code = code,
        .message = oc_strdup(text) };
}

int cv_diag_shown(struct oc_slice name) {
    return name.len ? (int)oc_utf8_cut(name.ptr, name.len, 80) : 0;
}

void cv_diags_clear(struct cv_diags *d) {
    for (size_t i = 0; i < d->count; i++) {
        oc_free(d->items[i].surface);
        oc_free(d->items[i].component);
        oc_free(d->items[i].message);
    }
    oc_free(d->items);
    *d = (struct cv_diags){ 0 };
}

static void print_member(struct oc_buf *out, const char *key, const char *value) {
    oc_buf_printf(out, ",\"%s\":", key);
    oc_json_append_string(out, value, strlen(value));
}

enum oc_code cv_diags_print_json(struct oc_buf *out, const struct cv_diags *d) {
    oc_buf_putc(out, '[');
    for (size_t i = 0; i < d->count; i++) {
        const struct cv_diag *g = &d->items[i];
        oc_buf_printf(out, "%s{\"level\":\"%s\"", i ? "," : "", level_names[g->level]);
        if (g->line) {
            oc_buf_printf(out, ",\"line\":%u", g->line);
        }
        if (g->surface) {
            print_member(out, "surface", g->surface);
        }
        if (g->component) {
            print_member(out, "component", g->component);
        }
        print_member(out, "code", g->code);
        print_member(out, "message", g->message);
        oc_buf_putc(out, '}');
    }
    if (d->dropped) {
        oc_buf_printf(out, ",{\"level\":\"note\",\"code\":\"more\",\"message\":\"%zu more\"}",
                d->dropped);
    }
    return oc_buf_putc(out, ']');
}

/* What agents write goes to a terminal: no escapes, no half characters. */
static void put_harmless(struct oc_buf *out, const char *text) {
    for (size_t i = 0, len = strlen(text), n; i < len; i += n) {
        n = oc_utf8_char(text + i, len - i);
        unsigned char c = (unsigned char)text[i];
        bool is_c1 = n == 2 && c == 0xc2 && (unsigned char)text[i + 1] < 0xa0;
        if (n == 0) {
            oc_buf_puts(out, "\xef\xbf\xbd");
        } else if (c < 0x20 || c == 0x7f || is_c1) {
            oc_buf_printf(out, "\\x%02x", is_c1 ? (unsigned char)text[i + 1] : c);
        } else {
            oc_buf_append(out, text + i, n);
        }
        n = n ? n : 1;
    }
}

/* "main/button", and what stands behind it when there is a place at all. */
static void put_place(struct oc_buf *out, const struct cv_diag *g, const char *behind) {
    if (g->surface) {
        put_harmless(out, g->surface);
    }
    if (g->component) {
        oc_buf_puts(out, g->surface ? "/" : "");
        put_harmless(out, g->component);
    }
    oc_buf_puts(out, g->surface || g->component ? behind : "");
}

static bool is_picture(const struct cv_diag *g) {
    return strcmp(g->code, "image-failed") == 0;
}

/* A dozen pictures of a host that is not reached would hide what else is wrong: all of them from
 * the first on, when there are several. False: there are not. */
static bool sum_up_pictures(struct oc_buf *out, const struct cv_diags *d, size_t first) {
    size_t count = 0, named = 0;
    for (size_t i = first; i < d->count; i++) {
        count += is_picture(&d->items[i]);
    }
    if (count < 2) {
        return false;
    }
    const struct cv_diag *g = &d->items[first];
    oc_buf_printf(out, "%s: %zu pictures are missing: ", level_names[g->level], count);
    put_place(out, g, ": ");
    put_harmless(out, g->message);
    for (size_t i = first + 1; i < d->count && named < MAX_NAMED; i++) {
        if (is_picture(&d->items[i])) {
            oc_buf_puts(out, named++ ? ", " : "; also ");
            put_place(out, &d->items[i], "");
        }
    }
    if (count > named + 1) {
        oc_buf_printf(out, " and %zu more", count - named - 1);
    }
    oc_buf_printf(out, " (%s)\n", g->code);
    return true;
}

enum oc_code cv_diags_print_text(struct oc_buf *out, const struct cv_diags *d) {
    bool is_summed_up = false;
    for (size_t i = 0; i < d->count; i++) {
        const struct cv_diag *g = &d->items[i];
        is_summed_up = is_summed_up || (is_picture(g) && sum_up_pictures(out, d, i));
        if (is_summed_up && is_picture(g)) {
            continue;
        }
        if (g->line) {
            oc_buf_printf(out, "line %u: ", g->line);
        }
        oc_buf_printf(out, "%s: ", level_names[g->level]);
        put_place(out, g, ": ");
        put_harmless(out, g->message);
        oc_buf_printf(out, " (%s)\n", g->code);
    }
    if (d->dropped) {
        oc_buf_printf(out, "note: %zu more (more)\n", d->dropped);
    }
    return out->failed ? OC_E_TOO_LARGE : OC_OK;
}
