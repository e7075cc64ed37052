/* canvas.eval in the page. A script may be an expression, whose promise is waited for; statements,
 * whose last value counts; or the body of an async function. Which of them, parse.c finds out
 * before anything runs in the page. */
#include "canvas/web/web.h"

#include "canvas/web/parse.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/helper/packet.h"

#include <string.h>

#define ALIVE_MS 1000
#define MAX_INLINE 65536 /* a result that is longer goes along as a file */
#define MAX_RESULT ((size_t)8 * 1024 * 1024)
#define MAX_SENT ((size_t)24 * 1024 * 1024)

/* Our own words after what people know. A number says that the text is longer than what may leave
 * the page. */
static const char to_text[] =
        "\nconst t = typeof v === 'string' ? v : v === null || v === undefined ? '' :"
        " (() => { try { return JSON.stringify(v) ?? String(v); } catch { return String(v); } "
        "})(); return t.length > 8388608 ? t.length : t;";
G_STATIC_ASSERT(MAX_RESULT == 8388608);

/* For the page. */
static char *code_of(enum cv_script kind, const char *script) {
    g_autofree char *bare = cv_script_bare(script);
    return kind == CV_SCRIPT_STATEMENTS ? g_strdup(script)
           : kind == CV_SCRIPT_EXPRESSION
                   ? g_strdup_printf("const v = await (%s\n);%s", bare, to_text)
                   : g_strdup_printf("const v = await (async () => {%s\n})();%s", script, to_text);
}

static void fail_long(struct cv_web *w, size_t len) {
    cv_web_fail(
            w, CV_WEB_UNAVAILABLE, "the result has %zu bytes; %zu is the most", len, MAX_RESULT);
}

/* As the node sends it: JSON inside of JSON. */
static size_t len_sent(const char *text, size_t len) {
    size_t sent = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        sent += c == '"' || c == '\\' ? 4 : c >= ' ' ? 1 : oc_is_one_of(c, "\b\f\n\r\t") ? 3 : 7;
    }
    return sent;
}

static void answer_text(struct cv_web *w, const char *text, size_t len) {
    size_t sent = len_sent(text, MIN(len, MAX_RESULT));
    if (len > MAX_RESULT) {
        fail_long(w, len);
        return;
    }
    if (memchr(text, 0, len)) {
        cv_web_fail(w, CV_WEB_UNAVAILABLE,
                "the result has a NUL character in it, which cannot be sent; JSON.stringify() "
                "writes it as \\u0000");
        return;
    }
    if (sent > MAX_SENT) {
        cv_web_fail(w, CV_WEB_UNAVAILABLE,
                "the result has %zu bytes, but %zu with its quotes and control characters "
                "escaped; %zu is the most",
                len, sent, MAX_SENT);
        return;
    }
    cJSON *result = cJSON_CreateObject();
    if (len > MAX_INLINE) {
        oc_json_set_bool(result, "isText", true);
        cv_web_send_answer(w, result, oc_sealed_create(text, len));
    } else {
        oc_json_set_str(result, "result", text);
        cv_web_send_answer(w, result, -1);
    }
}

static void answer_value(struct cv_web *w, JSCValue *value) {
    if (jsc_value_is_null(value) || jsc_value_is_undefined(value)) {
        answer_text(w, "", 0);
    } else if (jsc_value_is_string(value)) {
        g_autoptr(GBytes) bytes = jsc_value_to_string_as_bytes(value);
        gsize len = 0;
        const char *data = g_bytes_get_data(bytes, &len); /* ends nowhere, NULL when empty */
        g_autofree char *text = g_strndup(data ? data : "", len); /* zeros from a NUL on */
        answer_text(w, text, len);
    } else {
        g_autofree char *text = jsc_value_to_json(value, 0);
        answer_text(w, text ? text : "", text ? strlen(text) : 0);
    }
}

/* Which request a callback belongs to. */
struct script_call {
    struct cv_web *web;
    unsigned serial;
};

static struct script_call *call_of(struct cv_web *w) {
    struct script_call *c = g_new(struct script_call, 1);
    *c = (struct script_call){ w, w->ask.serial };
    return c;
}

static void on_there(GObject *object, GAsyncResult *result, gpointer user) {
    g_autofree struct script_call *c = user;
    g_autoptr(JSCValue) value =
            webkit_web_view_evaluate_javascript_finish(WEBKIT_WEB_VIEW(object), result, NULL);
    if (value && cv_web_is_current(c->web, c->serial)) {
        answer_text(c->web, "", 0);
    }
}

static void fail_script(struct cv_web *w, const GError *error) {
    /* It ran, and its value is something that only lives in the page; or the page has died, which
     * load.c will be told next. */
    if (g_error_matches(error, WEBKIT_JAVASCRIPT_ERROR, WEBKIT_JAVASCRIPT_ERROR_INVALID_RESULT)) {
        webkit_web_view_evaluate_javascript(
                w->view, "1", -1, NULL, NULL, NULL, on_there, call_of(w));
        return;
    }
    cv_web_fail(w, CV_WEB_UNAVAILABLE, "JavaScript failed: %s", error->message);
}

static void take_value(
        struct script_call *take_call, JSCValue *value, bool is_text, const GError *error) {
    g_autofree struct script_call *c = take_call;
    if (!cv_web_is_current(c->web, c->serial)) {
        return;
    }
    if (value && is_text && jsc_value_is_number(value)) {
        fail_long(c->web, (size_t)jsc_value_to_double(value));
    } else if (value) {
        answer_value(c->web, value);
    } else {
        fail_script(c->web, error);
    }
}

static void on_called(GObject *object, GAsyncResult *result, gpointer user) {
    g_autoptr(GError) error = NULL;
    g_autoptr(JSCValue) value = webkit_web_view_call_async_javascript_function_finish(
            WEBKIT_WEB_VIEW(object), result, &error);
    take_value(user, value, true, error);
}

static void on_evaluated(GObject *object, GAsyncResult *result, gpointer user) {
    g_autoptr(GError) error = NULL;
    g_autoptr(JSCValue) value =
            webkit_web_view_evaluate_javascript_finish(WEBKIT_WEB_VIEW(object), result, &error);
    take_value(user, value, false, error);
}

static void on_dead(struct cv_web *w) {
    cv_web_fail(w, CV_WEB_UNAVAILABLE, "JavaScript timed out");
    cv_web_restart_page(w);
}

static void on_alive(GObject *object, GAsyncResult *result, gpointer user) {
    g_autofree struct script_call *c = user;
    g_autoptr(GError) error = NULL;
    g_autoptr(JSCValue) value =
            webkit_web_view_evaluate_javascript_finish(WEBKIT_WEB_VIEW(object), result, &error);
    (void)value; /* that it came is all */
    if (cv_web_is_current(c->web, c->serial)) {
        cv_web_fail(c->web, CV_WEB_UNAVAILABLE, "JavaScript timed out");
    }
}

/* A promise that nobody keeps leaves the page alive; a loop without an end does not. */
static void on_late(struct cv_web *w) {
    cv_web_done *done = w->ask.done;
    void *asker = w->ask.user;
    if (w->script) { /* it is not even understood yet; the page has nothing to do with it */
        cv_parser_stop(w->parser);
        g_clear_pointer(&w->script, g_free);
        cv_web_fail(w, CV_WEB_UNAVAILABLE, "JavaScript timed out: it takes too long to read");
        return;
    }
    cv_web_begin(w, ALIVE_MS, on_dead, done, asker);
    webkit_web_view_evaluate_javascript(w->view, "1", -1, NULL, NULL, NULL, on_alive, call_of(w));
}

static void on_parsed(void *user, enum cv_script kind, const char *why) {
    struct cv_web *w = user;
    g_autofree char *script = g_steal_pointer(&w->script);
    if (kind == CV_SCRIPT_NONSENSE) {
        cv_web_fail(w, CV_WEB_UNAVAILABLE, "JavaScript failed: SyntaxError: %s", why);
        return;
    }
    g_autofree char *code = code_of(kind, script);
    if (kind == CV_SCRIPT_STATEMENTS) {
        webkit_web_view_evaluate_javascript(
                w->view, code, -1, NULL, NULL, NULL, on_evaluated, call_of(w));
    } else {
        webkit_web_view_call_async_javascript_function(
                w->view, code, -1, NULL, NULL, NULL, NULL, on_called, call_of(w));
    }
}

void cv_web_eval(struct cv_web *w, const char *script, cv_web_done *done, void *user) {
    w->via = "script";
    cv_web_begin(w, CV_WEB_SCRIPT_MS, on_late, done, user);
    if (w->is_lost) { /* a script would run in an empty page, and seem to succeed */
        cv_web_fail(w, CV_WEB_UNAVAILABLE,
                "the page died and could not be loaded again; navigate to one");
        return;
    }
    if (!w->parser) {
        w->parser = cv_parser_create(on_parsed, w);
    }
    w->script = g_strdup(script);
    if (!cv_parser_ask(w->parser, script)) {
        g_clear_pointer(&w->script, g_free);
        cv_parser_stop(w->parser);
        cv_web_fail(w, CV_WEB_UNAVAILABLE, "no process that reads scripts can be started");
    }
}
