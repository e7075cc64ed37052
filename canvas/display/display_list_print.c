/* The list as text, for tests and `canvas render --dump list`. */
#include "canvas/display/display_list.h"
#include "canvas/images/images.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two decimals without trailing zeros: "16", "69.33". */
static void print_number(struct oc_buf *out, double v) {
    double r = round(v * 100) / 100;
    if (r == 0) {
        r = 0; /* no "-0" */
    }
    char text[40];
    int n = snprintf(text, sizeof(text), "%.2f", r);
    while (n > 0 && text[n - 1] == '0') {
        n--;
    }
    if (n > 0 && text[n - 1] == '.') {
        n--;
    }
    (void)oc_buf_append(out, text, (size_t)n);
}

static void print_rect(struct oc_buf *out, struct cv_rect r) {
    (void)oc_buf_putc(out, ' ');
    print_number(out, r.x);
    (void)oc_buf_putc(out, ',');
    print_number(out, r.y);
    (void)oc_buf_putc(out, ' ');
    print_number(out, r.w);
    (void)oc_buf_putc(out, 'x');
    print_number(out, r.h);
}

static void print_field(struct oc_buf *out, const char *before, double v) {
    (void)oc_buf_puts(out, before);
    print_number(out, v);
}

static void print_color(struct oc_buf *out, cv_color c) {
    (void)oc_buf_printf(out, " #%08x", c);
}

static void print_quoted(struct oc_buf *out, struct oc_slice s) {
    (void)oc_buf_puts(out, " '");
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '\n') {
            (void)oc_buf_puts(out, "\\n");
        } else if (c == '\t') {
            (void)oc_buf_puts(out, "\\t");
        } else if (c == '\\' || c == '\'') {
            (void)oc_buf_printf(out, "\\%c", c);
        } else {
            (void)oc_buf_putc(out, c);
        }
    }
    (void)oc_buf_putc(out, '\'');
}

static void print_spans(struct oc_buf *out, const struct cv_text_style *st) {
    for (size_t i = 0; i < st->span_count; i++) {
        const struct cv_text_span *s = &st->spans[i];
        (void)oc_buf_printf(out, " %zu-%zu%s%s%s%s%s", s->from, s->to, s->bold ? ":bold" : "",
                s->italic ? ":italic" : "", s->mono ? ":mono" : "",
                s->underline ? ":underline" : "", s->strike ? ":strike" : "");
        if (s->has_color) {
            (void)oc_buf_printf(out, ":#%08x", s->color);
        }
    }
}

static void print_text(struct oc_buf *out, const struct cv_dl_op *op) {
    const struct cv_text_style *st = cv_text_style_of(op->text);
    (void)oc_buf_putc(out, ' ');
    print_number(out, op->rect.x);
    (void)oc_buf_putc(out, ',');
    print_number(out, op->rect.y);
    print_field(out, " w", op->rect.w);
    print_quoted(out, cv_text_string(op->text));
    print_field(out, " ", st->size_px);
    print_field(out, "/", st->line_px);
    if (st->weight != 400) {
        (void)oc_buf_printf(out, " %d", st->weight);
    }
    if (st->italic) {
        (void)oc_buf_puts(out, " italic");
    }
    if (st->align != CV_ALIGN_START) {
        (void)oc_buf_puts(out, st->align == CV_ALIGN_CENTER ? " center" : " end");
    }
    print_color(out, st->color);
    print_spans(out, st);
}

static void print_box(struct oc_buf *out, const struct cv_dl_op *op) {
    print_rect(out, op->rect);
    if (op->radius > 0) {
        print_field(out, " r", op->radius);
    }
    print_color(out, op->fill);
    if (op->fill_to != op->fill) {
        print_color(out, op->fill_to);
        print_field(out, " @", op->angle);
    }
    if (op->border_px > 0) {
        print_field(out, " border ", op->border_px);
        print_color(out, op->border);
    }
}

/* A data: URL says nothing to a reader and may be megabytes long. */
static void print_image(struct oc_buf *out, const struct cv_dl_op *op) {
    static const char *const fits[] = { "fill", "contain", "cover", "none", "scale-down" };
    static const char *const states[] = { "loading", "ready", "failed" };
    print_rect(out, op->rect);
    if (op->radius > 0) {
        print_field(out, " r", op->radius);
    }
    (void)oc_buf_printf(out, " %s", fits[op->fit]);
    if (!op->image) {
        return;
    }
    size_t len = strlen(op->image->url), shown = len > 60 ? 60 : len;
    while (shown < len && shown && ((unsigned char)op->image->url[shown] & 0xc0) == 0x80) {
        shown--;
    }
    (void)oc_buf_printf(out, " %s", states[op->image->state]);
    print_quoted(out, (struct oc_slice){ op->image->url, shown });
}

static void print_op(struct oc_buf *out, const struct cv_dl_op *op) {
    switch (op->kind) {
    case CV_DL_BOX:
        (void)oc_buf_puts(out, "box");
        print_box(out, op);
        break;
    case CV_DL_SHADOW:
        (void)oc_buf_puts(out, "shadow");
        print_rect(out, op->rect);
        print_field(out, " r", op->radius);
        print_field(out, " blur ", op->border_px);
        print_color(out, op->fill);
        break;
    case CV_DL_TEXT:
        (void)oc_buf_puts(out, "text");
        print_text(out, op);
        break;
    case CV_DL_IMAGE:
        (void)oc_buf_puts(out, "image");
        print_image(out, op);
        break;
    case CV_DL_ICON:
        (void)oc_buf_puts(out, "icon");
        print_rect(out, op->rect);
        (void)oc_buf_printf(out, " %s", op->icon);
        print_color(out, op->fill);
        break;
    case CV_DL_LINE:
        (void)oc_buf_puts(out, "line");
        print_rect(out, op->rect);
        print_field(out, " ", op->border_px);
        print_color(out, op->fill);
        break;
    case CV_DL_GLOW:
        (void)oc_buf_puts(out, "glow");
        print_rect(out, op->rect);
        break;
    case CV_DL_CLIP:
        (void)oc_buf_puts(out, "clip");
        print_rect(out, op->rect);
        if (op->radius > 0) {
            print_field(out, " r", op->radius);
        }
        break;
    case CV_DL_UNCLIP:
        (void)oc_buf_puts(out, "unclip");
        break;
    }
    (void)oc_buf_putc(out, '\n');
}

enum oc_code cv_dl_print(struct oc_buf *out, const struct cv_display_list *dl) {
    for (size_t i = 0; i < cv_dl_count(dl); i++) {
        print_op(out, cv_dl_at(dl, i));
    }
    return out->failed ? OC_E_TOO_LARGE : OC_OK;
}
