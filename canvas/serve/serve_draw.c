/* What changes the canvas. */
#include "canvas/serve/serve_private.h"

#include "canvas/serve/eval.h"
#include "lib/base/mem.h"
#include "lib/helper/packet.h"

#include <math.h>
#include <string.h>

static cJSON *just_true(const char *key) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, key, true);
    return o;
}

static cJSON *serve_draw_surfaces(struct cv_serve_canvas *s) {
    const struct cv_model *m = cv_canvas_model(s->canvas);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < cv_model_surface_count(m); i++) {
        cJSON_AddItemToArray(list, cJSON_CreateString(cv_model_surface(m, i)->id));
    }
    return list;
}

static void serve_draw_show(struct cv_serve_canvas *s, const struct cv_placement *placement) {
    static const struct cv_placement as_it_is = { NAN, NAN, NAN, NAN, false };
    if (s->screen && s->screen->show) {
        s->screen->show(s->screen->user, placement ? placement : &as_it_is);
    }
}

static double serve_draw_side(const cJSON *o, const char *key) {
    double v = cv_serve_number(o, key, NAN);
    return v >= 1 ? fmin(v, CV_MAX_SIDE / 4.0) : NAN;
}

static struct cv_placement placement_of(const cJSON *o) {
    return (struct cv_placement){ cv_serve_number(o, "x", NAN), cv_serve_number(o, "y", NAN),
        serve_draw_side(o, "width"), serve_draw_side(o, "height"), false };
}

/* Where the page was. */
static void show_surfaces(struct cv_serve_canvas *s) {
    if (s->shows_web && s->web) {
        bool was_shown = s->web_is_shown;
        s->shows_web = s->web_is_shown = false;
        s->web->leave(s->web->user);
        struct cv_placement p = placement_of(s->geometry);
        p.stays_hidden = !was_shown;
        serve_draw_show(s, &p);
    }
}

static enum oc_code serve_draw_apply(struct cv_serve_canvas *s, const char *jsonl, size_t len,
        bool is_quiet, struct oc_error *err) {
    enum oc_code rc = cv_canvas_push(s->canvas, jsonl, len, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_FREE char *action = oc_take(&s->action);
    if (action) {
        cv_canvas_pill(s->canvas, CV_PILL_UPDATED, action);
    }
    show_surfaces(s);
    (void)cv_list(s->canvas); /* pictures are asked for now, not when somebody looks */
    if (!is_quiet) {
        serve_draw_show(s, NULL);
    }
    return OC_OK;
}

static enum oc_code check_array(const struct cv_value *messages, struct oc_error *err) {
    struct cv_push *push = NULL;
    enum oc_code rc = cv_push_parse_array(messages, &push, err);
    cv_push_destroy(push);
    return rc;
}

/* The lines were an array once; whoever sent it counts from messages[0]. */
static enum oc_code check_lines(const struct oc_buf *text, struct oc_error *err) {
    struct cv_value *messages = cv_value_create(CV_V_ARRAY), *one = NULL;
    size_t budget = CV_VALUE_MAX_VALUES; /* of all lines: they are kept */
    enum oc_code rc = OC_OK;
    for (size_t from = 0; rc == OC_OK && from < text->len;) {
        const char *lf = memchr(text->data + from, '\n', text->len - from);
        size_t len = (lf ? (size_t)(lf - text->data) : text->len) - from;
        rc = cv_value_parse_within(text->data + from, len, &budget, &one, err);
        if (rc == OC_OK) {
            cv_value_append(messages, one);
        }
        from += len + 1;
    }
    rc = rc == OC_OK ? check_array(messages, err) : rc;
    cv_value_destroy(messages);
    return rc;
}

void cv_serve_push(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    struct oc_error err;
    enum oc_code rc = oc_sealed_read(r->fd, CV_MAX_PUSH, &text, &err);
    if (rc == OC_OK && oc_json_get_bool(r->params, "array", false)) {
        rc = check_lines(&text, &err);
    }
    rc = rc == OC_OK ? serve_draw_apply(s, text.data, text.len,
                               oc_json_get_bool(r->params, "quiet", false), &err)
                     : rc;
    if (rc != OC_OK) {
        cv_serve_fail_with(s, r, "INVALID_REQUEST", &err);
        return;
    }
    cJSON *result = cJSON_CreateObject();
    oc_json_set(result, "surfaces", serve_draw_surfaces(s));
    cv_serve_canvas_answer(s, r->id, result, -1);
}

static void serve_draw_reset(struct cv_serve_canvas *s) {
    oc_free(oc_take(&s->action));
    cv_canvas_pill(s->canvas, CV_PILL_NONE, NULL);
    cv_reset(s->canvas);
    show_surfaces(s);
}

void cv_serve_reset(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    serve_draw_reset(s);
    cv_serve_canvas_answer(s, r->id, NULL, -1);
}

void cv_serve_canvas_prefers(struct cv_serve_canvas *s, const char *theme) {
    struct oc_error err;
    oc_free(s->prefers);
    s->prefers = oc_strdup(theme);
    if (!s->theme_is_fixed) {
        (void)cv_set_theme(s->canvas, theme, &err);
    }
}

/* {"name"}: one of canvas/model/theme.h, or "auto". */
void cv_serve_theme(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    const char *name = oc_json_get_str(r->params, "name");
    bool is_auto = !name || strcmp(name, "auto") == 0;
    struct oc_error err;
    if (is_auto) {
        name = s->prefers ? s->prefers : CV_THEME;
    }
    if (cv_set_theme(s->canvas, name, &err) != OC_OK) {
        cv_serve_fail_with(s, r, "INVALID_REQUEST", &err);
        return;
    }
    s->theme_is_fixed = !is_auto;
    cv_serve_canvas_answer(s, r->id, NULL, -1);
}

/* {"name"}: who draws here. The person in front of a window reads it in its title. */
void cv_serve_gateway(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    const char *name = oc_json_get_str(r->params, "name");
    OC_AUTO_FREE char *shown =
            oc_str_blank(name) ? NULL : oc_printable(name, strlen(name), CV_SERVE_MAX_NAME);
    oc_free(s->title);
    s->title = shown ? oc_strfmt(CV_TITLE " – gateway %s", shown) : oc_strdup(CV_TITLE);
    if (s->screen && s->screen->title) {
        s->screen->title(s->screen->user, s->title);
    }
    cv_serve_canvas_answer(s, r->id, NULL, -1);
}

static void serve_draw_place(struct cv_serve_canvas *s, const cJSON *params) {
    struct cv_placement p = placement_of(oc_json_get(params, "placement"));
    p.stays_hidden = oc_json_get_bool(params, "quiet", false);
    if (s->screen) { /* the window says what became of it */
        serve_draw_show(s, &p);
        return;
    }
    s->width = isnan(p.width) ? s->width : p.width;
    s->height = isnan(p.height) ? s->height : p.height;
    cv_resize(s->canvas, s->width, s->height, s->scale);
}

/* The page of the reference that draws A2UI: here it is the canvas itself. */
static bool is_own_page(const char *url) {
    return oc_str_blank(url) || strcmp(url, "/") == 0 || strcmp(url, CV_HREF) == 0 ||
           strstr(url, "/__openclaw__/a2ui/") != NULL;
}

/* The page comes to where the canvas is, and takes its place when it is there. */
static void ask_page(struct cv_serve_canvas *s, const struct cv_serve_asked *r, bool is_shown) {
    if (!s->web) {
        struct oc_error err;
        (void)oc_fail_not_installed(&err, "openclaw-web",
                "no web engine: openclaw-web is not installed; A2UI surfaces work without it");
        cv_serve_fail_with(s, r, "CANVAS_UNAVAILABLE", &err);
        return;
    }
    OC_AUTO_JSON cJSON *params = cJSON_Duplicate(r->params, true);
    cJSON *placement = s->geometry ? cJSON_Duplicate(s->geometry, true) : cJSON_CreateObject();
    const cJSON *member;
    oc_json_for_each_member(member, oc_json_get(params, "placement")) {
        oc_json_set(placement, member->string, cJSON_Duplicate(member, true));
    }
    oc_json_set(params, "placement", placement);
    oc_json_set_bool(params, "show", is_shown);
    oc_json_set_str(params, "title", s->title);
    s->shows_web = true;
    s->page_id = r->id;
    s->web_is_shown = s->web_is_shown || is_shown;
    s->web->ask(s->web->user, r->id, "navigate", params, -1);
}

void cv_serve_canvas_page_shown(struct cv_serve_canvas *s, int64_t id) {
    cv_serve_changed(s);
    if (id == s->page_id && s->web_is_shown && s->screen && s->screen->hide) {
        s->screen->hide(s->screen->user);
    }
}

void cv_serve_canvas_page_failed(struct cv_serve_canvas *s) {
    s->shows_web = s->web_is_shown = false; /* ours has not been hidden yet */
}

void cv_serve_present(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    const char *url = oc_json_get_str(r->params, "url");
    bool is_quiet = oc_json_get_bool(r->params, "quiet", false);
    if (!is_own_page(url)) {
        if (!s->screen) {
            serve_draw_place(s, r->params);
        }
        ask_page(s, r, !is_quiet);
        return;
    }
    if (s->shows_web && s->web && oc_str_blank(url)) { /* shown again as it was */
        s->web_is_shown = s->web_is_shown || !is_quiet;
        s->web->ask(s->web->user, r->id, "present", r->params, -1);
        return;
    }
    show_surfaces(s);
    serve_draw_place(s, r->params);
    cv_serve_canvas_answer(s, r->id, just_true("own"), -1);
}

void cv_serve_hide(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    if (s->screen && s->screen->hide) {
        s->screen->hide(s->screen->user);
    }
    if (s->shows_web && s->web) {
        s->web_is_shown = false;
        s->web->ask(s->web->user, r->id, "hide", r->params, -1);
        return;
    }
    cv_serve_canvas_answer(s, r->id, NULL, -1);
}

void cv_serve_navigate(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    if (!is_own_page(oc_json_get_str(r->params, "url"))) {
        bool is_shown = s->web_is_shown ||
                        (s->screen && s->screen->is_shown && s->screen->is_shown(s->screen->user));
        ask_page(s, r, is_shown);
        return;
    }
    show_surfaces(s);
    cv_serve_canvas_answer(s, r->id, just_true("own"), -1);
}

static char *answer_text(struct cv_serve_canvas *s, bool with_ok) {
    OC_AUTO_JSON cJSON *list = serve_draw_surfaces(s);
    if (!with_ok) {
        return oc_json_print(list, false);
    }
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    oc_json_set_bool(o, "ok", true);
    oc_json_set(o, "surfaces", oc_take(&list));
    return oc_json_print(o, false);
}

static enum oc_code eval_apply(
        struct cv_serve_canvas *s, struct oc_slice array, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf jsonl = { 0 };
    enum oc_code rc = cv_eval_to_jsonl(array, &jsonl, err);
    rc = rc == OC_OK ? serve_draw_apply(s, jsonl.data ? jsonl.data : "", jsonl.len, false, err)
                     : rc;
    if (rc == OC_OK) {
        OC_AUTO_FD int fd = oc_sealed_create(jsonl.data, jsonl.len);
        cv_serve_tell(s, just_true("pushed"), fd);
    }
    return rc;
}

static void serve_draw_eval(
        struct cv_serve_canvas *s, const struct cv_serve_asked *r, struct oc_slice script) {
    struct cv_eval e = cv_eval_read(script.ptr, script.len);
    OC_AUTO_FREE char *text = NULL;
    struct oc_error err;
    switch (e.what) {
    case CV_EVAL_UNSUPPORTED:
        cv_serve_canvas_fail(s, r->id, "CANVAS_EVAL_UNSUPPORTED",
                "A2UI surfaces are drawn natively, without JavaScript; here work "
                "openclawA2UI.getSurfaces(), .reset(), .applyMessages([…]), document.title and "
                "location.href");
        return;
    case CV_EVAL_TEXT:
        text = oc_strdup(e.text);
        break;
    case CV_EVAL_GET_SURFACES:
        text = answer_text(s, false);
        break;
    case CV_EVAL_RESET:
        serve_draw_reset(s);
        cv_serve_tell(s, just_true("reset"), -1);
        text = oc_strdup("{\"ok\":true}");
        break;
    case CV_EVAL_APPLY_MESSAGES:
        if (eval_apply(s, e.argument, &err) != OC_OK) {
            cv_serve_fail_with(s, r, "INVALID_REQUEST", &err);
            return;
        }
        text = answer_text(s, true);
        break;
    }
    cv_serve_canvas_answer(s, r->id, cv_serve_str("result", text), -1);
}

void cv_serve_eval(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    const char *script = oc_json_get_str(r->params, "javaScript");
    OC_AUTO_BUF struct oc_buf text = { 0 };
    struct oc_error err;
    if (s->shows_web && s->web) {
        s->web->ask(s->web->user, r->id, "eval", r->params, r->fd);
    } else if (script) {
        serve_draw_eval(s, r, (struct oc_slice){ script, strlen(script) });
    } else if (oc_sealed_read(r->fd, CV_MAX_PUSH, &text, &err) == OC_OK) {
        serve_draw_eval(s, r, (struct oc_slice){ text.data, text.len });
    } else {
        cv_serve_canvas_fail(s, r->id, "INVALID_REQUEST", "javaScript required");
    }
}

void cv_serve_action_status(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    const char *error = oc_json_get_str(r->params, "error");
    if (s->shows_web && s->web) {
        s->web->ask(s->web->user, r->id, "action-status", r->params, -1);
        return;
    }
    if (!oc_json_get_bool(r->params, "ok", false)) {
        oc_free(oc_take(&s->action));
        cv_canvas_pill(s->canvas, CV_PILL_FAILED, error ? error : "send failed");
    } else if (s->action) {
        cv_canvas_pill(s->canvas, CV_PILL_WORKING, s->action);
    }
    cv_serve_canvas_answer(s, r->id, NULL, -1);
}

void cv_serve_bring(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    const char *url = oc_json_get_str(r->params, "url"),
               *error = oc_json_get_str(r->params, "error");
    OC_AUTO_BUF struct oc_buf bytes = { 0 };
    struct oc_error err;
    if (!error && oc_sealed_read(r->fd, CV_MAX_IMAGE_BYTES, &bytes, &err) != OC_OK) {
        error = err.text;
    }
    if (url) {
        cv_bring(s->canvas, url, bytes.data, bytes.len, error);
        (void)cv_list(s->canvas);
    }
    cv_serve_canvas_answer(s, r->id, NULL, -1);
    if (!cv_is_loading(s->canvas)) {
        cv_serve_take_waiting(s, true);
    }
}
