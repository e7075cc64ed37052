/* `--dump layout`: what is where, for tests and tools. */
#include "canvas/scene/scene.h"

#include "lib/json/json.h"

#include <math.h>
#include <string.h>

static void print_number(struct oc_buf *out, const char *key, double v) {
    double rounded = round(v * 100) / 100;
    oc_buf_printf(out, ",\"%s\":%.10g", key, rounded + 0.0); /* + 0.0: no "-0" */
}

static void print_item(struct oc_buf *out, const struct cv_scene *s, const struct cv_item *it) {
    oc_buf_puts(out, "{\"type\":");
    oc_json_append_string(out, it->widget->name, strlen(it->widget->name));
    oc_buf_puts(out, ",\"id\":");
    oc_json_append_string(out, it->id, strlen(it->id));
    oc_buf_printf(out, ",\"depth\":%u,\"text\":", it->depth);
    const char *text = it->text ? it->text : "";
    oc_json_append_string(out, text, strlen(text));
    print_number(out, "x", it->x);
    /* pop-ups do not move with the page */
    print_number(out, "y", it->y + (it->layer == 0 ? s->scroll_y : 0));
    print_number(out, "w", it->w);
    print_number(out, "h", it->h);
    oc_buf_putc(out, '}');
}

static void print_surface(
        struct oc_buf *out, const struct cv_scene *s, const struct cv_surface *surface) {
    oc_buf_puts(out, "{\"id\":");
    oc_json_append_string(out, surface->id, strlen(surface->id));
    oc_buf_puts(out, ",\"items\":[");
    const char *comma = "";
    for (unsigned i = 0; i < s->count; i++) {
        const struct cv_item *it = &s->items[i];
        if (it->surface != surface) {
            i += it->below;
        }
        if (it->surface != surface || !(it->w > 0) || !(it->h > 0)) {
            continue;
        }
        oc_buf_puts(out, comma);
        print_item(out, s, it);
        comma = ",";
    }
    oc_buf_puts(out, "]}");
}

enum oc_code cv_scene_print(struct oc_buf *out, const struct cv_scene *s) {
    static const struct cv_diags none;
    oc_buf_puts(out, "{\"surfaces\":[");
    const char *comma = "";
    for (size_t i = 0; i < cv_model_surface_count(s->model); i++) {
        const struct cv_surface *surface = cv_model_surface(s->model, i);
        if (!surface->root) {
            continue;
        }
        oc_buf_puts(out, comma);
        print_surface(out, s, surface);
        comma = ",";
    }
    oc_buf_puts(out, "],\"diagnostics\":");
    cv_diags_print_json(out, s->diags ? s->diags : &none);
    oc_buf_putc(out, '}');
    return out->failed ? OC_E_TOO_LARGE : OC_OK;
}
