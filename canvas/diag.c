#include "canvas/diag.h"

#include "base/json.h"
#include "base/mem.h"
#include "canvas/limits.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const level_names[] = { "note", "warning", "error" };

void oc_diags_add(struct oc_diags *d, enum oc_diag_level level, unsigned line, const char *surface,
        const char *component, const char *code, const char *fmt, ...) {
    if (!d)
        return;
    if (d->count == OC_CANVAS_MAX_DIAGNOSTICS) {
        d->dropped++;
        return;
    }
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    d->items = oc_realloc(d->items, (d->count + 1) * sizeof(*d->items));
    d->items[d->count++] = (struct oc_diag){ .level = level,
        .line = line,
        .surface = oc_strdup(surface),
        .component = oc_strdup(component),
        .code = code,
        .message = oc_strdup(text) };
}

void oc_diags_clear(struct oc_diags *d) {
    for (size_t i = 0; i < d->count; i++) {
        oc_free(d->items[i].surface);
        oc_free(d->items[i].component);
        oc_free(d->items[i].message);
    }
    oc_free(d->items);
    *d = (struct oc_diags){ 0 };
}

static void print_member(struct oc_buf *out, const char *key, const char *value) {
    oc_buf_printf(out, ",\"%s\":", key);
    oc_json_append_string(out, value, strlen(value));
}

enum oc_code oc_diags_print_json(struct oc_buf *out, const struct oc_diags *d) {
    oc_buf_putc(out, '[');
    for (size_t i = 0; i < d->count; i++) {
        const struct oc_diag *g = &d->items[i];
        oc_buf_printf(out, "%s{\"level\":\"%s\"", i ? "," : "", level_names[g->level]);
        if (g->line)
            oc_buf_printf(out, ",\"line\":%u", g->line);
        if (g->surface)
            print_member(out, "surface", g->surface);
        if (g->component)
            print_member(out, "component", g->component);
        print_member(out, "code", g->code);
        print_member(out, "message", g->message);
        oc_buf_putc(out, '}');
    }
    if (d->dropped)
        oc_buf_printf(out, ",{\"level\":\"note\",\"code\":\"more\",\"message\":\"%zu more\"}",
                d->dropped);
    return oc_buf_putc(out, ']');
}

enum oc_code oc_diags_print_text(struct oc_buf *out, const struct oc_diags *d) {
    for (size_t i = 0; i < d->count; i++) {
        const struct oc_diag *g = &d->items[i];
        if (g->line)
            oc_buf_printf(out, "line %u: ", g->line);
        oc_buf_printf(out, "%s: ", level_names[g->level]);
        if (g->surface)
            oc_buf_printf(out, "%s%s", g->surface, g->component ? "/" : ": ");
        if (g->component)
            oc_buf_printf(out, "%s: ", g->component);
        oc_buf_printf(out, "%s (%s)\n", g->message, g->code);
    }
    if (d->dropped)
        oc_buf_printf(out, "note: %zu more (more)\n", d->dropped);
    return out->failed ? OC_E_TOO_LARGE : OC_OK;
}
