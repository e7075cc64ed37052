/* Going to a page, and what becomes of it. */
#include "canvas/web/web.h"

#include "canvas/serve/web_target.h"
#include "canvas/web/guard.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/files/below.h"

#include <string.h>

#define MAX_SITE 60
#define DEATHS_US ((gint64)30 * G_USEC_PER_SEC)

static void answer_loaded(struct cv_web *w) {
    const char *uri = webkit_web_view_get_uri(w->view);
    if (oc_streq(uri,
                "about:blank")) { /* what WebKit shows instead of ports that it does not like */
        cv_web_fail(w, CV_WEB_UNAVAILABLE, "%s: not an address that browsers go to", w->target);
        return;
    }
    cJSON *result = cJSON_CreateObject();
    oc_json_set_str(result, "url", uri ? uri : "");
    cv_web_send_answer(w, result, -1);
}

/* A page that has begun but does not end (a stream, a picture that never comes) is there all the
 * same. */
static void on_late(struct cv_web *w) {
    if (w->has_committed) {
        answer_loaded(w);
        return;
    }
    webkit_web_view_stop_loading(w->view);
    cv_web_fail(w, CV_WEB_UNAVAILABLE, "%s did not answer in %d seconds", w->target,
            CV_WEB_LOAD_MS / 1000);
}

static void end_return(struct cv_web *w, bool is_lost) {
    if (!w->is_returning) {
        return;
    }
    g_clear_handle_id(&w->returning_timer, g_source_remove);
    w->is_returning = false;
    w->is_lost = is_lost;
    if (w->events.on_returned) {
        w->events.on_returned(w->user);
    }
}

static gboolean on_return_late(gpointer user) {
    struct cv_web *w = user;
    w->returning_timer = 0;
    end_return(w, !w->committed);
    return G_SOURCE_REMOVE;
}

static void begin_return(struct cv_web *w) {
    w->is_returning = true;
    g_clear_handle_id(&w->returning_timer, g_source_remove);
    w->returning_timer = g_timeout_add(CV_WEB_LOAD_MS, on_return_late, w);
}

/* An agent that misspelt a name would else never learn of it. */
static char *missing_file(const struct cv_web *w, const char *target) {
    const char *path = cv_web_is_local(target) ? target + strlen(CV_WEB_LOCAL) - 1 : "//";
    g_autofree char *uri = strncmp(path, "//", 2) == 0 ? NULL
                                                       : g_uri_resolve_relative(CV_WEB_LOCAL, path,
                                                                 G_URI_FLAGS_ENCODED, NULL);
    g_autoptr(GUri) parts = uri ? g_uri_parse(uri, G_URI_FLAGS_ENCODED, NULL) : NULL;
    if (!parts || !w->root) {
        return NULL;
    }
    const char *asked = g_uri_get_path(parts);
    g_autofree char *file =
            g_strconcat(asked, g_str_has_suffix(asked, "/") ? "index.html" : "", NULL);
    struct oc_error err;
    OC_AUTO_FD int fd = -1;
    if (oc_file_open_below(w->root, file, &fd, &err) == OC_OK) {
        return NULL;
    }
    g_autofree char *plain = g_uri_unescape_string(file, NULL);
    return g_build_filename(w->root, plain ? plain : file, NULL);
}

static bool is_same_page(const char *a, const char *b) {
    size_t n = strcspn(a, "#");
    return n == strcspn(b, "#") && strncmp(a, b, n) == 0;
}

static void load_target(struct cv_web *w) {
    /* WebKit hands out headers only for http, and then sends them with any address. */
    g_autoptr(WebKitURIRequest) request = webkit_uri_request_new("http://local/");
    unsigned char random[16];
    w->mark[0] = '\0';
    if (cv_web_is_local(w->target)) {
        oc_random(random, sizeof(random));
        oc_hex(random, sizeof(random), w->mark);
        soup_message_headers_append(
                webkit_uri_request_get_http_headers(request), CV_WEB_MARK, w->mark);
    }
    webkit_uri_request_set_uri(request, w->target);
    webkit_web_view_load_request(w->view, request);
}

void cv_web_navigate(struct cv_web *w, const char *url, cv_web_done *done, void *user) {
    struct oc_error err;
    char *target = NULL;
    cv_web_begin(w, CV_WEB_LOAD_MS, on_late, done, user);
    if (cv_web_target(url, w->root, &target, &err) != OC_OK) {
        cv_web_fail(w, err.code == OC_E_UNAVAILABLE ? CV_WEB_UNAVAILABLE : "INVALID_REQUEST", "%s",
                err.text);
        return;
    }
    g_autofree char *missing = missing_file(w, target);
    if (missing) {
        cv_web_fail(w, CV_WEB_UNAVAILABLE, "there is no canvas file %s", missing);
        oc_free(target);
        return;
    }
    oc_free(w->target);
    w->target = target;
    w->is_lost = false;
    end_return(w, false); /* it goes elsewhere */
    w->via = "script";
    w->has_committed = false;
    w->is_navigating = true;
    w->http_error = 0;
    load_target(w);
    if (strchr(target, '#') && w->committed && is_same_page(target, w->committed)) {
        answer_loaded(w); /* a place in the page that is there: nothing is loaded */
    }
}

/* So that nobody takes a page of the web for the canvas itself. By its host, of which the end
 * counts: a page chooses its title. */
static void name_site(struct cv_web *w) {
    g_autoptr(GUri) uri = cv_web_is_local(w->committed)
                                  ? NULL
                                  : g_uri_parse(w->committed, G_URI_FLAGS_ENCODED, NULL);
    const char *host = uri ? g_uri_get_host(uri) : NULL;
    size_t len = host ? strlen(host) : 0;
    g_autofree char *title = g_strdup_printf("%s%s – %s", len > MAX_SITE ? "…" : "",
            len > MAX_SITE ? host + len - MAX_SITE : host, w->title);
    gtk_window_set_title(w->window, len > 0 ? title : w->title);
}

static void on_load_changed(WebKitWebView *view, WebKitLoadEvent event, gpointer user) {
    struct cv_web *w = user;
    if (event == WEBKIT_LOAD_STARTED) {
        cv_web_forget_files(w);
    } else if (event == WEBKIT_LOAD_COMMITTED) {
        oc_free(w->committed);
        w->committed = oc_strdup(webkit_web_view_get_uri(view));
        w->has_committed = true;
        w->mark[0] = '\0';
        name_site(w);
        if (w->comes_with_page) {
            cv_web_present(w, NULL);
        }
        w->comes_with_page = false;
    } else if (event == WEBKIT_LOAD_FINISHED && w->committed) {
        end_return(w, false);
        if (w->is_navigating && w->has_committed) {
            answer_loaded(w);
        }
    }
}

static void fail_load(struct cv_web *w, const char *uri, const char *why) {
    if (!w->committed) {
        end_return(w, true);
    }
    if (w->is_navigating && !w->has_committed) {
        cv_web_fail(w, CV_WEB_UNAVAILABLE, "%s: %s", uri, why);
    }
}

/* TRUE: WebKit shows no page of its own about it; what was there stays. */
static gboolean on_load_failed(
        WebKitWebView *view, WebKitLoadEvent event, char *uri, GError *error, gpointer user) {
    struct cv_web *w = user;
    (void)view, (void)event;
    if (g_error_matches(error, WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_CANCELLED)) {
        return TRUE; /* the next address was faster */
    }
    bool is_refused = g_error_matches(error, WEBKIT_POLICY_ERROR,
            WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE);
    g_autoptr(GUri) parts = g_uri_parse(uri, G_URI_FLAGS_ENCODED, NULL);
    const char *host = parts ? g_uri_get_host(parts) : NULL;
    g_autofree char *why =
            host ? cv_guard_why(w->guard, host) : NULL; /* SOCKS has no words for it */
    const char *refused = "the canvas does not show this";
    g_autofree char *status = w->http_error ? g_strdup_printf("HTTP %u %s", w->http_error,
                                                      soup_status_get_phrase(w->http_error))
                                            : NULL;
    fail_load(w, uri,
            is_refused && status ? status
            : is_refused         ? refused
            : why                ? why
                                 : error->message);
    return TRUE;
}

static gboolean on_tls_failed(WebKitWebView *view, char *uri, GTlsCertificate *certificate,
        GTlsCertificateFlags errors, gpointer user) {
    (void)view, (void)certificate;
    fail_load(user, uri,
            errors & G_TLS_CERTIFICATE_EXPIRED ? "its certificate has expired"
                                               : "its certificate is not to be trusted");
    return TRUE;
}

static bool dies_often(struct cv_web *w) {
    gint64 now = g_get_monotonic_time();
    bool is_often = w->died_at[2] && now - w->died_at[2] < DEATHS_US;
    w->died_at[2] = w->died_at[1];
    w->died_at[1] = w->died_at[0];
    w->died_at[0] = now;
    return is_often;
}

static void on_terminated(
        WebKitWebView *view, WebKitWebProcessTerminationReason reason, gpointer user) {
    struct cv_web *w = user;
    (void)view;
    static const char *const why[] = { "the page's process died", "the page needs too much memory",
        "the page did not answer and was ended" };
    const char *text = why[(unsigned)reason < G_N_ELEMENTS(why) ? reason : 0];
    g_printerr("%s\n", text);
    if (w->ask.done) {
        cv_web_fail(w, CV_WEB_UNAVAILABLE, "%s", text);
    }
    oc_free(oc_take(&w->committed));
    begin_return(w);
    if (w->target && !dies_often(w)) {
        load_target(w);
    } else {
        end_return(w, true);
    }
}

void cv_web_restart_page(struct cv_web *w) {
    begin_return(w);
    webkit_web_view_terminate_web_process(w->view);
}

void cv_web_init_load(struct cv_web *w) {
    g_signal_connect(w->view, "load-changed", G_CALLBACK(on_load_changed), w);
    g_signal_connect(w->view, "load-failed", G_CALLBACK(on_load_failed), w);
    g_signal_connect(w->view, "load-failed-with-tls-errors", G_CALLBACK(on_tls_failed), w);
    g_signal_connect(w->view, "web-process-terminated", G_CALLBACK(on_terminated), w);
}
