/* canvas.* (docs/PROTOCOL.md#node-commands): parameters are checked here, the canvas program
 * (node/canvas/canvas.h) does the rest. */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "lib/helper/packet.h"
#include "node/canvas/canvas.h"
#include "node/canvas/canvas_surface.h"
#include "node/commands/canvas_port.h"
#include "node/commands/host.h"

#include <string.h>
#include <strings.h>

#define MAX_PUSH ((size_t)16 * 1024 * 1024)
#define MAX_PARAMS ((size_t)24 * 1024 * 1024) /* a push, with its quotes escaped */
#define FAR 1e6                               /* pixels; no screen is as large */
#define MAX_INLINE 65536                      /* a script that is longer goes along as a file */

enum { DRAW_MS = 30000, SNAPSHOT_MS = 25000 };

static enum oc_code canvas_invalid(struct oc_error *err, const char *why) {
    return oc_fail_wire(err, OC_E_INVALID, "INVALID_REQUEST", "INVALID_REQUEST: %s", why);
}

static void answer_media(struct nd_call *call, struct nd_helper_answer *a) {
    cJSON *result = a->result ? oc_take(&a->result) : cJSON_CreateObject();
    nd_call_reply_media(call, result, oc_take_fd(&a->fd), a->len);
}

/* A script's result that is too long for one message. */
static void answer_long(struct nd_call *call, struct nd_helper_answer *a) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    struct oc_error err;
    if (oc_sealed_read(a->fd, MAX_PUSH, &text, &err) != OC_OK) {
        nd_call_reply_error(call, "CANVAS_UNAVAILABLE", err.text);
        return;
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_str(payload, "result", text.data ? text.data : "");
    nd_call_reply_json(call, payload);
}

static void on_answer(void *user, struct nd_helper_answer *a) {
    struct nd_call *call = user;
    call->cancel = NULL;
    oc_free(oc_take(&call->work));
    if (!a->ok) {
        OC_AUTO_FREE char *message = nd_canvas_surface_hide(a->message);
        nd_call_refuse(call, a->code, message, &a->grounds);
        return;
    }
    if (oc_json_get_bool(a->result, "isText", false)) {
        answer_long(call, a);
        return;
    }
    if (a->fd >= 0) {
        answer_media(call, a);
        return;
    }
    if (oc_json_get(a->result, "result") || oc_json_get(a->result, "taken")) {
        nd_call_reply_json(call, oc_take(&a->result));
        return;
    }
    cJSON *payload = cJSON_CreateObject();
    const cJSON *surfaces = oc_json_get(a->result, "surfaces");
    oc_json_set_bool(payload, "ok", true);
    oc_json_set(payload, "surfaces", surfaces ? cJSON_Duplicate(surfaces, true) : NULL);
    nd_call_reply_json(call, payload);
}

static void canvas_abandon(struct nd_call *call) {
    uint64_t *id = call->work;
    nd_canvas_forget(&call->host->canvas, *id);
    oc_free(oc_take(&call->work));
}

static void reply_cancelled(struct nd_call *call, enum oc_code why) {
    if (why == OC_E_TIMEOUT) {
        nd_call_reply_error(call, "TIMEOUT", "TIMEOUT: the caller's time was over");
    } else {
        nd_call_reply_error(call, "CANCELLED", "CANCELLED: cancelled by the caller");
    }
}

static void canvas_cancel(struct nd_call *call, enum oc_code why) {
    canvas_abandon(call);
    reply_cancelled(call, why);
}

static void canvas_ask(struct nd_call *call, const struct nd_canvas_ask *a) {
    uint64_t *id = oc_new(uint64_t);
    call->work = id; /* on_answer frees it, perhaps before this returns */
    uint64_t asked = nd_node_canvas_ask(&call->host->canvas, a, on_answer, call);
    if (asked) {
        *id = asked;
        call->cancel = canvas_cancel;
        call->abandon = canvas_abandon;
    }
}

/* Who draws hears what people do with it. */
static const char *session_of(const struct nd_call *call) {
    return oc_json_get_str(call->params, "sessionKey");
}

/* Addresses that the canvas, or the web program behind it, can show; it looks closer. */
static bool is_target(const struct nd_host *host, const char *url) {
    size_t name = strcspn(url, ":/?#");
    OC_AUTO_FREE char *files =
            oc_strfmt("file://%s/canvas/", host->machine.state_dir ? host->machine.state_dir : "");
    if (host->machine.state_dir && oc_starts_with(url, files)) {
        return true;
    }
    return url[name] != ':' || strncasecmp(url, "http:", 5) == 0 ||
           strncasecmp(url, "https:", 6) == 0 || strncasecmp(url, "openclaw-canvas:", 16) == 0;
}

static enum oc_code copy_url(
        const struct nd_call *call, bool is_required, cJSON *ret, struct oc_error *err) {
    const cJSON *params = call->params;
    const cJSON *url = oc_json_get(params, "url");
    if (!url && is_required) {
        return canvas_invalid(err, "url required");
    }
    if (url && !cJSON_IsString(url)) {
        return canvas_invalid(err, "url must be a string");
    }
    OC_AUTO_FREE char *copy = oc_strdup(url ? url->valuestring : "");
    const char *text = oc_trim(copy);
    if (!is_target(call->host, text) || strlen(text) > 8192) {
        return canvas_invalid(err,
                "Canvas navigation allows only http(s), canvas files and the A2UI "
                "canvas itself");
    }
    if (*text && strcmp(text, "/") != 0) {
        oc_json_set_str(ret, "url", text);
    }
    return OC_OK;
}

static enum oc_code copy_placement(const cJSON *params, cJSON *ret, struct oc_error *err) {
    static const char *const keys[] = { "x", "y", "width", "height" };
    const cJSON *from = oc_json_get(params, "placement");
    if (!from) {
        return OC_OK;
    }
    if (!cJSON_IsObject(from)) {
        return canvas_invalid(err, "placement must be an object");
    }
    cJSON *to = cJSON_AddObjectToObject(ret, "placement");
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        const cJSON *v = oc_json_get(from, keys[i]);
        double n;
        if (v && !oc_json_as_num(v, -FAR, FAR, &n)) {
            return canvas_invalid(
                    err, "placement.x, y, width and height must be numbers of pixels");
        }
        bool is_side = i >= 2;
        if (v && !(is_side && n <= 0)) {
            cJSON_AddNumberToObject(to, keys[i], n);
        }
    }
    return OC_OK;
}

static void ask_shown(struct nd_call *call, const char *what, cJSON *take_params) {
    canvas_ask(call, &(struct nd_canvas_ask){ .what = what,
                             .take_params = take_params,
                             .timeout_ms = DRAW_MS,
                             .session_key = session_of(call) });
}

/* A file of the gateway, whose address is asked for first. */
struct hosted {
    struct nd_call *call; /* NULL: it has ended meanwhile */
    const char *what;
    cJSON *params;
};

static void abandon_hosted(struct nd_call *call) {
    struct hosted *h = oc_take(&call->work);
    h->call = NULL;
}

static void cancel_hosted(struct nd_call *call, enum oc_code why) {
    abandon_hosted(call);
    reply_cancelled(call, why);
}

static void on_address(void *user, const char *address) {
    struct hosted *h = user;
    struct nd_call *call = h->call;
    if (call) {
        call->work = NULL;
        call->cancel = NULL;
        call->abandon = NULL;
    }
    if (call && !address) {
        nd_call_reply_error(call, "CANVAS_UNAVAILABLE",
                "CANVAS_UNAVAILABLE: the gateway does not say where its canvas files are");
    } else if (call) {
        const char *page = oc_json_get_str(h->params, "url");
        oc_json_set_str(h->params, "page", page); /* what is kept: addresses end */
        oc_json_set_str(h->params, "url", address);
        ask_shown(call, h->what, oc_take(&h->params));
    }
    cJSON_Delete(h->params);
    oc_free(h);
}

static void start_hosted(struct nd_call *call, const char *what, cJSON *take_params) {
    struct hosted *h = oc_new(struct hosted);
    *h = (struct hosted){ .call = call, .what = what, .params = take_params };
    call->work = h;
    call->cancel = cancel_hosted;
    call->abandon = abandon_hosted;
    OC_AUTO_FREE char *url = oc_strdup(oc_json_get_str(take_params, "url"));
    nd_canvas_surface_find(&call->host->canvas, url, on_address, h);
}

static void start_shown(struct nd_call *call, const char *what, bool needs_url) {
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    struct oc_error err;
    enum oc_code rc = copy_url(call, needs_url, params, &err);
    if (rc == OC_OK && !needs_url) {
        rc = copy_placement(call->params, params, &err);
    }
    if (rc != OC_OK) {
        nd_call_fail(call, &err);
        return;
    }
    if (nd_canvas_surface_has(&call->host->canvas, oc_json_get_str(params, "url"))) {
        start_hosted(call, what, oc_take(&params));
    } else {
        ask_shown(call, what, oc_take(&params));
    }
}

static void start_present(struct nd_call *call) {
    start_shown(call, "present", false);
}

static void start_navigate(struct nd_call *call) {
    start_shown(call, "navigate", true);
}

static void start_hide(struct nd_call *call) {
    canvas_ask(call, &(struct nd_canvas_ask){ .what = "hide", .timeout_ms = DRAW_MS });
}

static void start_reset(struct nd_call *call) {
    canvas_ask(call,
            &(struct nd_canvas_ask){
                    .what = "reset", .timeout_ms = DRAW_MS, .session_key = session_of(call) });
}

static void start_eval(struct nd_call *call) {
    const char *script = oc_json_get_str(call->params, "javaScript");
    struct oc_error err;
    if (oc_str_blank(script)) {
        (void)canvas_invalid(&err, "javaScript required");
        nd_call_fail(call, &err);
        return;
    }
    struct nd_canvas_ask a = {
        .what = "eval", .timeout_ms = DRAW_MS, .session_key = session_of(call)
    };
    if (strlen(script) > MAX_INLINE) {
        a.bytes = script;
        a.len = strlen(script);
    } else {
        a.take_params = cJSON_CreateObject();
        oc_json_set_str(a.take_params, "javaScript", script);
    }
    canvas_ask(call, &a);
}

static enum oc_code copy_snapshot(const cJSON *params, cJSON *ret, struct oc_error *err) {
    const cJSON *format = oc_json_get(params, "format"), *max = oc_json_get(params, "maxWidth"),
                *quality = oc_json_get(params, "quality");
    const char *name = cJSON_IsString(format) ? format->valuestring : "jpeg";
    bool is_png = strcasecmp(name, "png") == 0;
    int64_t width = is_png ? 900 : 1600;
    if ((format && !cJSON_IsString(format)) ||
            (!is_png && strcasecmp(name, "jpeg") != 0 && strcasecmp(name, "jpg") != 0)) {
        return canvas_invalid(err, "format must be png or jpeg");
    }
    if (max && !oc_json_as_int(max, 1, OC_JSON_MAX_EXACT, &width)) {
        return canvas_invalid(err, "maxWidth must be a positive integer");
    }
    double share = 0.9;
    if (quality && !oc_json_as_num(quality, 0, 1, &share)) {
        return canvas_invalid(err, "quality must be between 0 and 1");
    }
    oc_json_set_str(ret, "format", is_png ? "png" : "jpeg");
    oc_json_set_int(ret, "maxWidth", width < 16384 ? width : 16384);
    cJSON_AddNumberToObject(ret, "quality", share);
    return OC_OK;
}

static void start_snapshot(struct nd_call *call) {
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    struct oc_error err;
    if (copy_snapshot(call->params, params, &err) != OC_OK) {
        nd_call_fail(call, &err);
        return;
    }
    oc_json_set_int(params, "maxBytes", (int64_t)nd_helper_max_bytes(&call->host->helpers));
    canvas_ask(call, &(struct nd_canvas_ask){ .what = "snapshot",
                             .take_params = oc_take(&params),
                             .timeout_ms = SNAPSHOT_MS });
}

/* Ours: somebody who sees the canvas elsewhere (canvas_view.c) touches it. */
static void start_input(struct nd_call *call) {
    static const char *const keys[] = { "pointer", "key", "text", "scroll", "mods", "x", "y", "dx",
        "dy" };
    OC_AUTO_JSON cJSON *params = cJSON_CreateObject();
    struct oc_error err;
    if (nd_canvas_copy_port(call->params, params, &err) != OC_OK) {
        nd_call_fail(call, &err);
        return;
    }
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        const cJSON *v = oc_json_get(call->params, keys[i]);
        if (v && !cJSON_IsObject(v) && !cJSON_IsArray(v) &&
                (!cJSON_IsString(v) || strlen(v->valuestring) <= MAX_INLINE)) {
            oc_json_set(params, keys[i], cJSON_Duplicate(v, false));
        }
    }
    canvas_ask(call,
            &(struct nd_canvas_ask){
                    .what = "input", .take_params = oc_take(&params), .timeout_ms = DRAW_MS });
}

static void push_canvas(struct nd_call *call, const char *jsonl, size_t len, bool is_array) {
    struct oc_error err;
    if (len > MAX_PUSH) {
        (void)canvas_invalid(&err, "a push may have 16 MiB");
        nd_call_fail(call, &err);
        return;
    }
    cJSON *params = cJSON_CreateObject();
    oc_json_set_bool(params, "array", is_array);
    canvas_ask(call, &(struct nd_canvas_ask){ .what = "push",
                             .take_params = params,
                             .bytes = jsonl,
                             .len = len,
                             .timeout_ms = DRAW_MS,
                             .session_key = session_of(call) });
}

static void start_push_jsonl(struct nd_call *call) {
    const char *jsonl = oc_json_get_str(call->params, "jsonl");
    struct oc_error err;
    if (oc_str_blank(jsonl)) {
        (void)canvas_invalid(&err, "jsonl required");
        nd_call_fail(call, &err);
        return;
    }
    push_canvas(call, jsonl, strlen(jsonl), false);
}

/* One message a line, so that line n is messages[n - 1]. */
static void start_push(struct nd_call *call) {
    const cJSON *messages = oc_json_get(call->params, "messages"), *m;
    struct oc_error err;
    if (!cJSON_IsArray(messages)) {
        if (!oc_str_blank(oc_json_get_str(call->params, "jsonl"))) {
            start_push_jsonl(call);
            return;
        }
        (void)canvas_invalid(&err, "messages[] required");
        nd_call_fail(call, &err);
        return;
    }
    OC_AUTO_BUF struct oc_buf jsonl = OC_BUF_INIT(MAX_PUSH + 1);
    cJSON_ArrayForEach(m, messages) {
        (void)oc_json_append(&jsonl, m, false);
        (void)oc_buf_putc(&jsonl, '\n');
    }
    if (jsonl.failed || !messages->child) {
        (void)canvas_invalid(&err, jsonl.failed ? "a push may have 16 MiB" : "messages[] required");
        nd_call_fail(call, &err);
        return;
    }
    push_canvas(call, jsonl.data, jsonl.len, true);
}

#define CANVAS_COMMAND(id, wire, text, fn, ...)               \
    const struct nd_command nd_command_##id = { .name = wire, \
        .cap = "canvas",                                      \
        .summary = text,                                      \
        .switch_name = "canvas",                              \
        .helper = ND_HELPER_CANVAS,                           \
        .start = fn,                                          \
        __VA_ARGS__ }

CANVAS_COMMAND(canvas_a2ui_push, "canvas.a2ui.push", "Draw A2UI messages on the canvas", start_push,
        .needs_params = true, .max_params = MAX_PARAMS);
CANVAS_COMMAND(canvas_a2ui_pushJSONL, "canvas.a2ui.pushJSONL",
        "Draw A2UI messages, one a line, on the canvas", start_push_jsonl, .needs_params = true,
        .max_params = MAX_PARAMS);
CANVAS_COMMAND(canvas_a2ui_reset, "canvas.a2ui.reset", "Take all A2UI surfaces off the canvas",
        start_reset);
CANVAS_COMMAND(
        canvas_eval, "canvas.eval", "Run a script on the canvas", start_eval, .needs_params = true);
CANVAS_COMMAND(canvas_hide, "canvas.hide", "Hide the canvas; what is on it stays", start_hide);
/* Not pure, but every key stroke is one: the gateway, which never sends an invoke twice, keeps the
 * keys. */
CANVAS_COMMAND(canvas_input, "canvas.input", "Press and type on the canvas from elsewhere",
        start_input, .needs_params = true, .is_pure = true);
CANVAS_COMMAND(canvas_navigate, "canvas.navigate", "Show a page on the canvas", start_navigate,
        .needs_params = true);
CANVAS_COMMAND(
        canvas_present, "canvas.present", "Show the canvas to the person here", start_present);
CANVAS_COMMAND(canvas_snapshot, "canvas.snapshot", "A picture of the canvas", start_snapshot,
        .is_pure = true);
