/* What a person does elsewhere, where they see a picture of the canvas. */
#include "canvas/serve/serve_private.h"

#include "lib/base/mem.h"
#include "lib/helper/packet.h"

#include <string.h>

static const char *const key_names[] = { "", "Tab", "Enter", "Space", "Escape", "Left", "Right",
    "Up", "Down", "Home", "End", "PageUp", "PageDown", "Backspace", "Delete", "a", "c", "v", "x",
    "y", "z" };
static const char *const pointer_names[] = { "move", "press", "release", "leave" };

static int name_index(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; name && i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Whoever does it may be anybody with the address of a watch page, or an agent: the desktop's
 * clipboard is not theirs to read or write, so they have one of their own.
 * {"pointer":"press","x","y"}, {"scroll":true,"x","y","dx","dy"}, {"key":"Tab"}, {"text":"é"}. */
void cv_serve_input(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    if (s->shows_web && s->web) {
        s->web->ask(s->web->user, r->id, "input", r->params, -1);
        return;
    }
    (void)cv_serve_use_port(s, r->params); /* in which x and y are meant */
    (void)cv_canvas_scene(s->canvas);
    struct cv_input *in = cv_canvas_input(s->canvas);
    unsigned mods = (unsigned)oc_json_get_int(r->params, "mods", 0, 7, 0);
    double x = cv_serve_number(r->params, "x", 0), y = cv_serve_number(r->params, "y", 0);
    const char *text = oc_json_get_str(r->params, "text");
    int pointer = name_index(
            pointer_names, OC_COUNT(pointer_names), oc_json_get_str(r->params, "pointer"));
    int key = name_index(key_names, OC_COUNT(key_names), oc_json_get_str(r->params, "key"));
    bool taken = false;
    s->is_remote = true;
    s->pastes = false;
    if (pointer >= 0) {
        taken = cv_input_pointer(in, (enum cv_pointer)pointer, x, y, mods);
    } else if (key > 0) {
        taken = cv_input_key(in, (enum cv_key)key, mods);
    } else if (text) {
        taken = cv_input_text(in, text);
    } else if (oc_json_get_bool(r->params, "scroll", false)) {
        taken = cv_input_scroll(
                in, x, y, cv_serve_number(r->params, "dx", 0), cv_serve_number(r->params, "dy", 0));
    }
    if (s->pastes && s->clipboard) {
        (void)cv_input_text(in, s->clipboard);
    }
    cv_after_input(s->canvas);
    cv_use_port(s->canvas, NULL);
    s->is_remote = false;
    cJSON *result = cJSON_CreateObject();
    oc_json_set_bool(result, "taken", taken);
    cv_serve_canvas_answer(s, r->id, result, -1);
}

/* What a person entered before we were started, and surfaces of that time are there again. */
void cv_serve_enter(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    struct oc_error err;
    if (oc_sealed_read(r->fd, CV_MAX_PUSH, &text, &err) != OC_OK) {
        cv_serve_fail_with(s, r, "INVALID_REQUEST", &err);
        return;
    }
    for (size_t from = 0; from < text.len;) {
        const char *lf = memchr(text.data + from, '\n', text.len - from);
        size_t len = (lf ? (size_t)(lf - text.data) : text.len) - from;
        struct cv_value *entry = NULL;
        if (cv_value_parse(text.data + from, len, &entry, &err) == OC_OK) {
            cv_enter(s->canvas, entry);
        }
        cv_value_destroy(entry);
        from += len + 1;
    }
    cv_serve_canvas_answer(s, r->id, NULL, -1);
}
