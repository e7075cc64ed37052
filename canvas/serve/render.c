#include "canvas/serve/render.h"

#include "canvas/serve/canvas.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/helper/packet.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_NAMED 8
#define PICTURES_MS 15000 /* for all that are wanted */
#define MAX_PICTURE_FILE ((size_t)512 * 1024 * 1024)

struct render_job {
    const struct cv_render_opts *opts;
    struct cv_canvas *canvas;
    struct oc_buf actions; /* one a line, as they were fired */
};

static void on_action(void *user, const struct cv_value *action) {
    struct render_job *j = user;
    (void)cv_value_print(&j->actions, action);
    (void)oc_buf_putc(&j->actions, '\n');
}

static void on_wanted(void *user, const char *url) {
    struct render_job *j = user;
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    struct oc_error err;
    if (j->opts->pictures_fd < 0) {
        cv_bring(j->canvas, url, NULL, 0, "only `openclaw canvas render` fetches pictures");
        return;
    }
    oc_json_set_str(cJSON_AddObjectToObject(o, "event"), "wanted", url);
    if (oc_packet_send(j->opts->pictures_fd, o, -1, &err) != OC_OK) {
        cv_bring(j->canvas, url, NULL, 0, err.text);
    }
}

static int render_complain(const struct oc_error *err) {
    if (err->text[0]) {
        fprintf(stderr, "%s\n", err->text);
    }
    return 1;
}

static enum oc_code read_input(const char *file, int fd, struct oc_buf *ret, struct oc_error *err) {
    *ret = OC_BUF_INIT(CV_MAX_PUSH + 1); /* the push itself says what is too large */
    enum oc_code rc = oc_buf_read_fd(ret, fd, err);
    if (rc == OC_E_TOO_LARGE) {
        rc = oc_fail(err, rc, "larger than a push may be, %zu bytes", CV_MAX_PUSH);
    }
    if (rc != OC_OK) {
        oc_error_prefix(err, "%s", file);
    }
    return rc;
}

static void take_picture(struct render_job *j, struct oc_slice text, int fd) {
    OC_AUTO_JSON cJSON *o = NULL;
    OC_AUTO_BUF struct oc_buf bytes = { 0 };
    struct oc_error err;
    if (oc_json_parse(text.ptr, text.len, &o, &err) != OC_OK) {
        return;
    }
    const cJSON *params = oc_json_get(o, "params");
    const char *url = oc_json_get_str(params, "url"), *error = oc_json_get_str(params, "error");
    if (!error && oc_sealed_read(fd, CV_MAX_IMAGE_BYTES, &bytes, &err) != OC_OK) {
        error = err.text;
    }
    if (url) {
        cv_bring(j->canvas, url, bytes.data, bytes.len, error);
    }
}

/* False: nobody brings any more. */
static bool take_next(struct render_job *j) {
    struct oc_slice text;
    OC_AUTO_FD int fd = -1;
    enum oc_packet got = oc_packet_recv(j->opts->pictures_fd, false, &text, &fd);
    if (got == OC_PACKET_GOT) {
        take_picture(j, text, fd);
    }
    return got != OC_PACKET_END;
}

/* Pictures ask for others only by changing what is shown, so the list is made anew after each. */
static void await_pictures(struct render_job *j) {
    int64_t until = oc_mono_ms(&oc_clock_system) + PICTURES_MS, left;
    int bringer = j->opts->pictures_fd;
    (void)cv_list(j->canvas);
    while ((bringer >= 0 ? cv_is_loading(j->canvas) : cv_is_decoding(j->canvas)) &&
            (left = until - oc_mono_ms(&oc_clock_system)) > 0) {
        struct pollfd p[] = { { .fd = bringer, .events = POLLIN },
            { .fd = cv_fd(j->canvas), .events = POLLIN } };
        if (poll(p, OC_COUNT(p), (int)left) <= 0) {
            continue;
        }
        if (p[0].revents && !take_next(j)) {
            bringer = -1;
        }
        cv_tick(j->canvas);
        (void)cv_list(j->canvas);
    }
    (void)cv_list(j->canvas);
}

/* Why nothing could be pressed, in words that lead to what can. */
static void say_inactive(struct render_job *j, const char *id) {
    struct cv_scene *s = cv_canvas_scene(j->canvas);
    const struct cv_item *named = cv_scene_find(s, NULL, id);
    const struct cv_model *m = cv_canvas_model(j->canvas);
    unsigned found = 0;
    if (named) {
        fprintf(stderr, "'%s' is a %s: there is nothing to press\n", id, named->component->type);
        return;
    }
    for (unsigned i = 0; i < s->count; i++) {
        if (strcmp(s->items[i].component->id, id) != 0) {
            continue;
        }
        if (!found++) {
            fprintf(stderr, "'%s' is in a template; name one of its instances:", id);
        }
        if (found <= MAX_NAMED) {
            fprintf(stderr, "%s %s", found > 1 ? "," : "", s->items[i].id);
        }
    }
    if (found) {
        fprintf(stderr, "%s\n", found > MAX_NAMED ? " …" : "");
        return;
    }
    bool is_there = false;
    for (size_t i = 0; i < cv_model_surface_count(m); i++) {
        is_there = is_there || cv_surface_component(cv_model_surface(m, i), id);
    }
    fprintf(stderr,
            is_there ? "'%s' is not shown now, so it cannot be activated\n"
                     : "there is no component '%s' to activate\n",
            id);
}

static bool render_activate(struct render_job *j) {
    for (unsigned i = 0; i < j->opts->activate_count; i++) {
        (void)cv_canvas_scene(j->canvas);
        size_t before = j->actions.len;
        bool taken = cv_input_activate(cv_canvas_input(j->canvas), NULL, j->opts->activate[i]);
        cv_after_input(j->canvas);
        if (!taken) {
            say_inactive(j, j->opts->activate[i]);
            return false;
        }
        if (j->actions.len == before && !j->opts->out && j->opts->dump == CV_DUMP_NONE) {
            fprintf(stderr, "'%s' sends no action\n", j->opts->activate[i]);
        }
    }
    return true;
}

static bool write_all(FILE *to, const char *data, size_t len) {
    return fwrite(data, 1, len, to) == len && fflush(to) == 0;
}

static enum oc_code write_picture(struct render_job *j, struct oc_error *err) {
    const struct cv_render_opts *o = j->opts;
    OC_AUTO_BUF struct oc_buf picture = OC_BUF_INIT(MAX_PICTURE_FILE);
    enum oc_code rc = cv_canvas_picture(j->canvas, o->is_jpeg ? CV_PICTURE_JPEG : CV_PICTURE_PNG,
            o->max_width, o->quality, &picture, err);
    if (rc != OC_OK) {
        return rc;
    }
    bool is_stdout = strcmp(o->out, "-") == 0;
    FILE *to = is_stdout ? stdout : fdopen(o->out_fd, "w");
    bool written = to && write_all(to, picture.data, picture.len);
    if (to && !is_stdout) {
        written = fclose(to) == 0 && written;
    }
    return written ? OC_OK : oc_fail(err, OC_E_IO, "%s: %s", o->out, strerror(errno));
}

static enum oc_code render_dump(struct render_job *j, struct oc_buf *out) {
    switch (j->opts->dump) {
    case CV_DUMP_LAYOUT:
        return cv_scene_print(out, cv_canvas_scene(j->canvas));
    case CV_DUMP_DATA:
        return cv_model_print_data(out, cv_canvas_model(j->canvas));
    case CV_DUMP_LIST:
        return cv_dl_print(out, cv_list(j->canvas));
    case CV_DUMP_NONE:
        break;
    }
    return oc_buf_append(out, j->actions.data, j->actions.len);
}

static int render_show(struct render_job *j) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_PICTURE_FILE),
                              notes = OC_BUF_INIT((size_t)1024 * 1024);
    struct oc_error err;
    if (render_dump(j, &out) != OC_OK) {
        (void)oc_fail(&err, OC_E_TOO_LARGE, "the description is too large");
        return render_complain(&err);
    }
    if (out.len > 0 && out.data[out.len - 1] != '\n') {
        (void)oc_buf_putc(&out, '\n');
    }
    if (out.len > 0 && !write_all(stdout, out.data, out.len)) {
        (void)oc_fail(&err, OC_E_IO, "stdout: %s", strerror(errno));
        return render_complain(&err);
    }
    if (j->opts->out && write_picture(j, &err) != OC_OK) {
        return render_complain(&err);
    }
    if (j->opts->dump != CV_DUMP_LAYOUT) { /* which has them inside */
        (void)cv_diags_print_text(&notes, cv_canvas_diags(j->canvas));
        fwrite(notes.data ? notes.data : "", 1, notes.len, stderr);
    }
    return 0;
}

static bool is_refused(const struct oc_buf *text, bool as_json);

/* err.text is empty when it was said already. */
static enum oc_code render_begin(
        struct render_job *j, const struct cv_render_opts *opts, struct oc_error *err) {
    static const struct cv_events events = { .on_action = on_action, .on_wanted = on_wanted };
    OC_AUTO_BUF struct oc_buf text = { 0 };
    const char *theme = opts->theme ? opts->theme : CV_THEME;
    *j = (struct render_job){ .opts = opts, .actions = OC_BUF_INIT(MAX_PICTURE_FILE) };
    if (!cv_theme_find(theme)) {
        return oc_fail(err, OC_E_NOT_FOUND,
                "there is no theme '%s'; there are openclaw, default and default-dark", theme);
    }
    enum oc_code rc = read_input(opts->file, opts->in_fd, &text, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (is_refused(&text, opts->as_json)) {
        *err = (struct oc_error){ .code = OC_E_INVALID };
        return OC_E_INVALID;
    }
    j->canvas = cv_canvas_create(&(struct cv_opts){ .theme = theme,
                                         .width = opts->width,
                                         .height = opts->height,
                                         .scale = opts->scale },
            &events, j);
    return cv_canvas_push(j->canvas, text.data ? text.data : "", text.len, err);
}

static void render_end(struct render_job *j) {
    cv_canvas_destroy(j->canvas);
    oc_buf_finish(&j->actions);
}

int cv_render(const struct cv_render_opts *opts) {
    struct render_job j;
    struct oc_error err;
    if (render_begin(&j, opts, &err) != OC_OK) {
        render_end(&j);
        return render_complain(&err);
    }
    await_pictures(&j);
    int code = 1;
    if (render_activate(&j)) {
        await_pictures(&j); /* of a tab or dialog that is open now */
        code = render_show(&j);
    }
    render_end(&j);
    return code;
}

static void print_refused(const struct cv_push_errors *e, bool as_json) {
    struct cv_diags all = { 0 };
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_PICTURE_FILE);
    for (size_t i = 0; i < e->count; i++) {
        OC_AUTO_BUF struct oc_buf one = OC_BUF_INIT(1 << 16);
        cv_push_error_print(&one, &e->items[i]);
        if (as_json) {
            cv_diags_add(&all, CV_DIAG_ERROR, (unsigned)e->items[i].line, NULL, NULL, "refused",
                    "%s", one.data);
        } else {
            fprintf(stderr, "%s\n", one.data);
        }
    }
    if (e->dropped > 0) {
        fprintf(stderr, "and %zu more\n", e->dropped);
    }
    if (as_json) {
        (void)oc_buf_puts(&out, "{\"ok\":false,\"diagnostics\":");
        (void)cv_diags_print_json(&out, &all);
        (void)oc_buf_puts(&out, "}\n");
        (void)write_all(stdout, out.data, out.len);
    }
    cv_diags_clear(&all);
}

/* All bad lines, however many: an error has room for a few. False: they are good. */
static bool is_refused(const struct oc_buf *text, bool as_json) {
    struct cv_push *push = NULL;
    struct cv_push_errors errors = { 0 };
    bool refused = !cv_push_read(text->data ? text->data : "", text->len, &push, &errors);
    if (refused) {
        print_refused(&errors, as_json);
    }
    cv_push_destroy(push);
    cv_push_errors_clear(&errors);
    return refused;
}

static int print_checked(struct render_job *j) {
    const struct cv_diags *d = cv_canvas_diags(j->canvas);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_PICTURE_FILE);
    size_t errors = 0;
    for (size_t i = 0; i < d->count; i++) {
        errors += d->items[i].level == CV_DIAG_ERROR;
    }
    if (j->opts->as_json) {
        (void)oc_buf_printf(&out, "{\"ok\":%s,\"diagnostics\":", errors ? "false" : "true");
        (void)cv_diags_print_json(&out, d);
        (void)oc_buf_puts(&out, "}\n");
    } else {
        (void)cv_diags_print_text(&out, d);
        (void)oc_buf_printf(&out, "%zu surface%s, %zu diagnostic%s\n",
                cv_model_surface_count(cv_canvas_model(j->canvas)),
                cv_model_surface_count(cv_canvas_model(j->canvas)) == 1 ? "" : "s",
                d->count + d->dropped, d->count + d->dropped == 1 ? "" : "s");
    }
    return write_all(stdout, out.data, out.len) && errors == 0 ? 0 : 1;
}

int cv_render_check(const struct cv_render_opts *opts) {
    struct render_job j;
    struct oc_error err;
    int code;
    if (render_begin(&j, opts, &err) == OC_OK) {
        await_pictures(&j);
        code = print_checked(&j);
    } else {
        code = render_complain(&err);
    }
    render_end(&j);
    return code;
}
