/* Canvas files: openclaw-canvas://local/<path>, no way out of the folder (lib/files/below.h). A
 * page is loaded again when one of the files that it used changes, or one that it missed
 * appears. */
#include "canvas/web/web.h"

#include "canvas/serve/web_target.h"
#include "lib/base/mem.h"
#include "lib/files/below.h"
#include "lib/files/content_type.h"

#include <gio/gunixinputstream.h>
#include <libsoup/soup.h>
#include <string.h>
#include <sys/stat.h>

#define RELOAD_MS 75
#define MAX_SERVED 512
#define MAX_WATCHED 64

static gboolean on_reload(gpointer user) {
    struct cv_web *w = user;
    if (w->ask.done) {
        return G_SOURCE_CONTINUE; /* not in the middle of something */
    }
    w->reload_timer = 0;
    webkit_web_view_reload_bypass_cache(w->view);
    return G_SOURCE_REMOVE;
}

/* A file that was used, or a folder in which one was looked for. */
static bool is_used(struct cv_web *w, GFile *file) {
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    size_t len = path ? strlen(path) : 0;
    GHashTableIter i;
    gpointer used;
    g_hash_table_iter_init(&i, w->served);
    while (path && g_hash_table_iter_next(&i, &used, NULL)) {
        if (strncmp(used, path, len) == 0 &&
                (((char *)used)[len] == '\0' || ((char *)used)[len] == '/')) {
            return true;
        }
    }
    return false;
}

static void on_changed(
        GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event, gpointer user) {
    struct cv_web *w = user;
    (void)monitor;
    if (event == G_FILE_MONITOR_EVENT_ATTRIBUTE_CHANGED ||
            (!is_used(w, file) && !is_used(w, other))) {
        return;
    }
    g_clear_handle_id(&w->reload_timer, g_source_remove);
    w->reload_timer = g_timeout_add(RELOAD_MS, on_reload, w);
}

static void files_watch(struct cv_web *w, const char *folder) {
    if (g_hash_table_contains(w->watched, folder) || g_hash_table_size(w->watched) >= MAX_WATCHED) {
        return;
    }
    g_autoptr(GFile) file = g_file_new_for_path(folder);
    GFileMonitor *monitor = g_file_monitor_directory(file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
    if (monitor) {
        g_signal_connect(monitor, "changed", G_CALLBACK(on_changed), w);
        g_hash_table_insert(w->watched, g_strdup(folder), monitor);
    }
}

/* Its folder, or the nearest one above that is there; never above the canvas folder. */
static void files_remember(struct cv_web *w, const char *path) {
    g_autofree char *plain = g_uri_unescape_string(path, NULL);
    if (!plain || strstr(plain, "/.") || g_hash_table_size(w->served) >= MAX_SERVED) {
        return;
    }
    g_autofree char *full = g_build_filename(w->root, plain, NULL);
    g_autofree char *folder = g_path_get_dirname(full);
    g_hash_table_add(w->served, g_steal_pointer(&full));
    while (strlen(folder) > strlen(w->root) && !g_file_test(folder, G_FILE_TEST_IS_DIR)) {
        char *above = g_path_get_dirname(folder);
        g_free(folder);
        folder = above;
    }
    files_watch(w, folder);
}

void cv_web_forget_files(struct cv_web *w) {
    g_clear_handle_id(&w->reload_timer, g_source_remove);
    g_hash_table_remove_all(w->served);
    g_hash_table_remove_all(w->watched);
}

static void files_respond(WebKitURISchemeRequest *request, GInputStream *stream, gint64 len,
        guint status, const char *type) {
    g_autoptr(WebKitURISchemeResponse) response = webkit_uri_scheme_response_new(stream, len);
    SoupMessageHeaders *headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_RESPONSE);
    soup_message_headers_append(headers, "Content-Type", type);
    soup_message_headers_append(headers, "Cache-Control", "no-store");
    soup_message_headers_append(headers, "X-Content-Type-Options", "nosniff");
    webkit_uri_scheme_response_set_http_headers(response, headers); /* takes them */
    webkit_uri_scheme_response_set_status(response, status, NULL);
    webkit_uri_scheme_response_set_content_type(response, type);
    webkit_uri_scheme_request_finish_with_response(request, response);
}

static void respond_missing(struct cv_web *w, WebKitURISchemeRequest *request, const char *path) {
    g_autofree char *plain = g_uri_unescape_string(path, NULL);
    g_autofree char *full = g_build_filename(w->root, plain ? plain : path, NULL);
    g_autofree char *name = g_markup_escape_text(full, -1);
    char *page = g_strdup_printf(
            "<!doctype html><meta charset=utf-8><title>Not found</title>"
            "<style>body{font:16px/1.5 sans-serif;margin:0;min-height:100vh;display:grid;"
            "place-content:center;text-align:center;background:#111;color:#e5e7eb}"
            "code{background:#222;border-radius:6px;padding:2px 8px}</style>"
            "<h2>No such canvas file</h2><p>Create <code>%s</code></p>"
            "<p>It is shown here as soon as it is there.</p>",
            name);
    size_t len = strlen(page);
    g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data(page, (gssize)len, g_free);
    files_respond(request, stream, (gint64)len, 404, "text/html; charset=utf-8");
}

static char *type_of(const char *path) {
    const char *known = oc_content_type(path);
    if (!oc_streq(known, "application/octet-stream")) {
        return g_strndup(known, strcspn(known, ";")); /* a page says itself how it is written */
    }
    g_autofree char *guess = g_content_type_guess(path, NULL, 0, NULL);
    char *type = g_content_type_get_mime_type(guess);
    return type ? type : g_strdup("application/octet-stream");
}

static void on_request(WebKitURISchemeRequest *request, gpointer user) {
    struct cv_web *w = user;
    const char *asked = webkit_uri_scheme_request_get_path(request);
    OC_AUTO_FREE char *path = oc_strfmt(
            "%s%s", asked ? asked : "/", !asked || oc_ends_with(asked, "/") ? "index.html" : "");
    struct oc_error err;
    struct stat st;
    int fd = -1;
    if (!w->root ||
            !cv_web_may_load_local(w, webkit_uri_scheme_request_get_http_headers(request))) {
        g_autoptr(GError) refused = g_error_new_literal(
                WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_FAILED, "not for this page");
        webkit_uri_scheme_request_finish_error(request, refused);
        return;
    }
    files_remember(w, path);
    if (oc_file_open_below(w->root, path, &fd, &err) != OC_OK || fstat(fd, &st) != 0) {
        respond_missing(w, request, path);
        return;
    }
    g_autofree char *type = type_of(path);
    g_autoptr(GInputStream) stream = g_unix_input_stream_new(fd, TRUE);
    files_respond(request, stream, st.st_size, 200, type);
}

void cv_web_init_files(struct cv_web *w, WebKitWebContext *context) {
    w->served = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    w->watched = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_object_unref);
    webkit_web_context_register_uri_scheme(context, CV_WEB_SCHEME, on_request, w, NULL);
    WebKitSecurityManager *security = webkit_web_context_get_security_manager(context);
    webkit_security_manager_register_uri_scheme_as_secure(security, CV_WEB_SCHEME);
    webkit_security_manager_register_uri_scheme_as_display_isolated(security, CV_WEB_SCHEME);
}

void cv_web_finish_files(struct cv_web *w) {
    cv_web_forget_files(w);
    g_hash_table_destroy(w->served);
    g_hash_table_destroy(w->watched);
}
