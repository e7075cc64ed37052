/* Pictures of what is shown. */
#include "canvas/serve/serve_private.h"

#include "canvas/scene/describe.h"
#include "lib/base/mem.h"
#include "lib/helper/packet.h"

#include "lib/base/clock.h"

#include <math.h>
#include <string.h>

#define LOADING_MS 4000   /* that a snapshot waits for pictures that are on their way */
#define DECODING_MS 11000 /* and longer, for those that are here and being decoded */
#define MAX_WORDS 16384
#define MAX_PICTURE ((size_t)256 * 1024 * 1024)

int64_t cv_serve_now_ms(void) {
    return oc_mono_ms(&oc_clock_system);
}

/* PNG and JPEG say their size near the start; the encoder knows what became of maxWidth, we
 * look. */
static void picture_size(const struct oc_buf *b, cJSON *result) {
    const unsigned char *p = (const unsigned char *)b->data;
    unsigned width = 0, height = 0;
    if (b->len > 24 && memcmp(p, "\x89PNG", 4) == 0) {
        width = (unsigned)p[16] << 24 | (unsigned)p[17] << 16 | (unsigned)p[18] << 8 | p[19];
        height = (unsigned)p[20] << 24 | (unsigned)p[21] << 16 | (unsigned)p[22] << 8 | p[23];
    }
    for (size_t i = 2; width == 0 && i + 9 < b->len && p[i] == 0xff;) {
        if (p[i + 1] >= 0xc0 && p[i + 1] <= 0xc2) {
            height = (unsigned)p[i + 5] << 8 | p[i + 6];
            width = (unsigned)p[i + 7] << 8 | p[i + 8];
        }
        i += 2 + ((size_t)p[i + 2] << 8 | p[i + 3]);
    }
    if (width > 0) {
        oc_json_set_int(result, "width", width);
        oc_json_set_int(result, "height", height);
    }
}

static void serve_view_snapshot(struct cv_serve_canvas *s, int64_t id, const cJSON *params) {
    const char *format = oc_json_get_str(params, "format");
    bool is_png = oc_streq(format, "png");
    size_t max = (size_t)oc_json_get_int(params, "maxBytes", 0, INT32_MAX, 0);
    OC_AUTO_BUF struct oc_buf picture = OC_BUF_INIT(MAX_PICTURE);
    struct oc_error err;
    enum oc_code rc = cv_canvas_picture(s->canvas, is_png ? CV_PICTURE_PNG : CV_PICTURE_JPEG,
            (unsigned)oc_json_clamp_int(params, "maxWidth", 0, 16384, 0),
            cv_serve_number(params, "quality", 0.9), &picture, &err);
    if (rc == OC_OK && max > 0 && picture.len > max) {
        rc = oc_fail(&err, OC_E_TOO_LARGE,
                "the picture has %zu bytes, and %zu fit into an answer; ask for a smaller maxWidth "
                "or for jpeg",
                picture.len, max);
    }
    int fd = rc == OC_OK ? oc_sealed_create(picture.data, picture.len) : -1;
    if (rc == OC_OK && fd < 0) {
        rc = oc_fail(&err, OC_E_IO, "no memory for the picture");
    }
    if (rc != OC_OK) {
        cv_serve_canvas_fail(s, id, "CANVAS_UNAVAILABLE", err.text);
        return;
    }
    cJSON *result = cv_serve_str("format", is_png ? "png" : "jpeg");
    picture_size(&picture, result);
    cv_serve_canvas_answer(s, id, result, fd);
}

void cv_serve_snapshot(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    if (s->shows_web && s->web) {
        s->web->ask(s->web->user, r->id, "snapshot", r->params, -1);
        return;
    }
    (void)cv_list(s->canvas); /* asks for the pictures that it needs */
    if (cv_is_loading(s->canvas) && s->waiting_count < CV_SERVE_MAX_WAITING) {
        s->waiting[s->waiting_count++] = (struct cv_serve_waiting){ r->id,
            cv_serve_now_ms() + LOADING_MS, cJSON_Duplicate(r->params, true) };
        return;
    }
    serve_view_snapshot(s, r->id, r->params);
}

int64_t cv_serve_waits_until(
        const struct cv_serve_canvas *s, const struct cv_serve_waiting *waiting) {
    return waiting->until_ms + (cv_is_decoding(s->canvas) ? DECODING_MS : 0);
}

void cv_serve_take_waiting(struct cv_serve_canvas *s, bool all) {
    int64_t now = cv_serve_now_ms();
    struct cv_serve_waiting due[CV_SERVE_MAX_WAITING];
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < s->waiting_count; i++) {
        if (all || cv_serve_waits_until(s, &s->waiting[i]) <= now) {
            due[count++] = s->waiting[i];
        } else {
            s->waiting[kept++] = s->waiting[i];
        }
    }
    s->waiting_count = kept;
    for (size_t i = 0; i < count; i++) {
        serve_view_snapshot(s, due[i].id, due[i].params);
        cJSON_Delete(due[i].params);
    }
}

/* For those who do not see the picture: a line for each thing that says something, as far as there
 * is room. What stands on a button is said with it. */
static void add_words(struct cv_serve_canvas *s, cJSON *result) {
    struct cv_scene *scene = cv_canvas_scene(s->canvas);
    OC_AUTO_BUF struct oc_buf words = OC_BUF_INIT((size_t)2 * MAX_WORDS);
    for (unsigned i = 0; i < scene->count && words.len < MAX_WORDS; i++) {
        const struct cv_item *it = &scene->items[i];
        bool is_button = strcmp(it->widget->name, "Button") == 0;
        size_t before = words.len;
        if (it->text || is_button) {
            (void)cv_item_describe(&words, scene, it);
        }
        if (words.len > before) {
            (void)oc_buf_putc(&words, '\n');
        }
        i += is_button ? it->below : 0;
    }
    if (words.len > 0) {
        oc_json_set_str(result, "text", words.data);
    }
}

bool cv_serve_use_port(struct cv_serve_canvas *s, const cJSON *params) {
    struct cv_port p = { oc_json_get_num(params, "width", CV_SERVE_MIN_SIDE, CV_SERVE_MAX_SIDE, 0),
        oc_json_get_num(params, "height", CV_SERVE_MIN_SIDE, CV_SERVE_MAX_SIDE, 0),
        oc_json_get_num(params, "scale", 1, CV_SERVE_MAX_SCALE, 1) };
    if (!(p.width > 0)) {
        return false;
    }
    cv_use_port(s->canvas, &p);
    return true;
}

/* The picture, if it is another than the one they have; words and size go with it. */
static cJSON *view_result(
        struct cv_serve_canvas *s, bool changed, struct oc_buf *picture, struct oc_error *err) {
    double width, height;
    if (changed && cv_canvas_picture(s->canvas, CV_PICTURE_PNG, 0, 0, picture, err) != OC_OK) {
        return NULL;
    }
    cv_seen(s->canvas);
    cv_canvas_size(s->canvas, &width, &height);
    cJSON *result = cJSON_CreateObject();
    oc_json_set_int(result, "rev", s->revision);
    oc_json_set_int(result, "width", (int64_t)ceil(width));
    oc_json_set_int(result, "height", (int64_t)ceil(height));
    oc_json_set_bool(result, "changed", changed);
    if (changed) {
        add_words(s, result);
    }
    return result;
}

void cv_serve_view(struct cv_serve_canvas *s, const struct cv_serve_asked *r) {
    if (s->shows_web && s->web) {
        s->web->ask(s->web->user, r->id, "view", r->params, -1);
        return;
    }
    OC_AUTO_BUF struct oc_buf picture = OC_BUF_INIT(MAX_PICTURE);
    struct oc_error err;
    bool changed = oc_json_get_int(r->params, "since", 0, OC_JSON_MAX_EXACT, -1) != s->revision;
    (void)cv_serve_use_port(s, r->params);
    cJSON *result = view_result(s, changed, &picture, &err);
    cv_use_port(s->canvas, NULL);
    if (!result) {
        cv_serve_fail_with(s, r, "CANVAS_UNAVAILABLE", &err);
        return;
    }
    s->tells_change = true;
    cv_serve_canvas_answer(
            s, r->id, result, changed ? oc_sealed_create(picture.data, picture.len) : -1);
}
