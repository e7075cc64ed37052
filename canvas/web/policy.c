/* What pages may not do: leave the web, open windows, save files, read files, use devices, ask for
 * anything. */
#include "canvas/web/web.h"

#include "canvas/serve/web_target.h"
#include "lib/base/mem.h"

static bool is_one_of(const char *scheme, const char *const *schemes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (g_ascii_strcasecmp(scheme, schemes[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Pages of the web do not get at canvas files, not even in a frame. Until the file that we go to is
 * there the page before lives and asks, too: what is answered then has our mark, which no page
 * knows. */
bool cv_web_may_load_local(const struct cv_web *w, SoupMessageHeaders *headers) {
    const char *mark = headers ? soup_message_headers_get_one(headers, CV_WEB_MARK) : NULL;
    return cv_web_is_local(w->committed) || (w->mark[0] && oc_streq(mark, w->mark));
}

static bool may_load(struct cv_web *w, const char *uri) {
    static const char *const schemes[] = { "http", "https", "about", "data", "blob" };
    if (cv_web_is_local(uri)) {
        return cv_web_is_local(w->committed) || (w->mark[0] && oc_streq(uri, w->target));
    }
    g_autofree char *scheme = g_uri_parse_scheme(uri);
    return scheme && is_one_of(scheme, schemes, G_N_ELEMENTS(schemes)) && !cv_web_is_forbidden(uri);
}

static const char *uri_of(WebKitPolicyDecision *decision) {
    WebKitNavigationAction *action = webkit_navigation_policy_decision_get_navigation_action(
            WEBKIT_NAVIGATION_POLICY_DECISION(decision));
    const char *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
    return uri ? uri : "";
}

static bool is_by_person(WebKitPolicyDecision *decision) {
    return webkit_navigation_action_is_user_gesture(
            webkit_navigation_policy_decision_get_navigation_action(
                    WEBKIT_NAVIGATION_POLICY_DECISION(decision)));
}

static void policy_decide(WebKitPolicyDecision *decision, bool is_fine) {
    if (is_fine) {
        webkit_policy_decision_use(decision);
    } else {
        webkit_policy_decision_ignore(decision);
    }
}

/* A page that somebody asked for and the server does not have, or not for us: they are told with
 * its status, and what was there stays. Later on a page goes where it likes. */
static bool is_http_error(struct cv_web *w, WebKitPolicyDecision *decision) {
    WebKitResponsePolicyDecision *d = WEBKIT_RESPONSE_POLICY_DECISION(decision);
    guint status =
            webkit_uri_response_get_status_code(webkit_response_policy_decision_get_response(d));
    if (!w->is_navigating || w->has_committed || status < SOUP_STATUS_BAD_REQUEST ||
            !webkit_response_policy_decision_is_main_frame_main_resource(d)) {
        return false;
    }
    w->http_error = status;
    return true;
}

static gboolean on_decide(WebKitWebView *view, WebKitPolicyDecision *decision,
        WebKitPolicyDecisionType type, gpointer user) {
    struct cv_web *w = user;
    bool is_fine = true;
    if (type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION) {
        is_fine = may_load(w, uri_of(decision)); /* what its name stands for, guard.c finds out */
    } else if (type == WEBKIT_POLICY_DECISION_TYPE_NEW_WINDOW_ACTION) {
        is_fine = false;
        if (is_by_person(decision) && may_load(w, uri_of(decision))) {
            webkit_web_view_load_uri(view, uri_of(decision)); /* there is one window */
        }
    } else if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) {
        is_fine = !is_http_error(w, decision) &&
                  webkit_response_policy_decision_is_mime_type_supported(
                          WEBKIT_RESPONSE_POLICY_DECISION(decision));
    }
    policy_decide(decision, is_fine);
    return TRUE;
}

static GtkWidget *on_create(WebKitWebView *view, WebKitNavigationAction *action, gpointer user) {
    (void)view, (void)action, (void)user;
    return NULL;
}

static gboolean on_permission(
        WebKitWebView *view, WebKitPermissionRequest *request, gpointer user) {
    (void)view, (void)user;
    webkit_permission_request_deny(request);
    return TRUE;
}

static gboolean on_file_chooser(
        WebKitWebView *view, WebKitFileChooserRequest *request, gpointer user) {
    (void)view, (void)user;
    webkit_file_chooser_request_cancel(request);
    return TRUE;
}

static gboolean on_authenticate(
        WebKitWebView *view, WebKitAuthenticationRequest *request, gpointer user) {
    (void)view, (void)user;
    webkit_authentication_request_cancel(request);
    return TRUE;
}

/* An alert would stop the page until somebody presses a button that nobody sees. */
static gboolean on_dialog(WebKitWebView *view, WebKitScriptDialog *dialog, gpointer user) {
    (void)view, (void)user;
    WebKitScriptDialogType type = webkit_script_dialog_get_dialog_type(dialog);
    if (type == WEBKIT_SCRIPT_DIALOG_CONFIRM) {
        webkit_script_dialog_confirm_set_confirmed(dialog, FALSE);
    }
    if (type == WEBKIT_SCRIPT_DIALOG_BEFORE_UNLOAD_CONFIRM) {
        webkit_script_dialog_confirm_set_confirmed(dialog, TRUE);
    }
    return TRUE;
}

static gboolean policy_refuse(void) {
    return TRUE;
}

static void on_download(WebKitNetworkSession *session, WebKitDownload *download, gpointer user) {
    (void)session, (void)user;
    webkit_download_cancel(download);
}

void cv_web_init_policy(struct cv_web *w) {
    g_signal_connect(w->view, "decide-policy", G_CALLBACK(on_decide), w);
    g_signal_connect(w->view, "create", G_CALLBACK(on_create), w);
    g_signal_connect(w->view, "permission-request", G_CALLBACK(on_permission), w);
    g_signal_connect(w->view, "run-file-chooser", G_CALLBACK(on_file_chooser), w);
    g_signal_connect(w->view, "authenticate", G_CALLBACK(on_authenticate), w);
    g_signal_connect(w->view, "script-dialog", G_CALLBACK(on_dialog), w);
    g_signal_connect(w->view, "print", G_CALLBACK(policy_refuse), w);
    g_signal_connect(w->view, "show-notification", G_CALLBACK(policy_refuse), w);
    g_signal_connect(w->view, "enter-fullscreen", G_CALLBACK(policy_refuse), w);
    g_signal_connect(w->view, "context-menu", G_CALLBACK(policy_refuse), w);
    g_signal_connect(webkit_web_view_get_network_session(w->view), "download-started",
            G_CALLBACK(on_download), w);
}
