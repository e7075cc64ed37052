/* What pages may tell the agent. The native handler lives in a world of its own, where scripts of
 * pages cannot reach it, and only in the page itself, not in its frames; so the address that comes
 * with each message is true. Pages have the usual objects, which pass on what they get by an
 * event. */
#include "canvas/web/web.h"

#include "canvas/serve/web_target.h"
#include "lib/base/mem.h"

#include <string.h>

#define WORLD "openclaw"
#define HANDLER "openclawCanvas"
#define EVENT "openclaw:canvas-bridge"
#define MAX_MESSAGE ((size_t)64 * 1024)
#define MAX_A_SECOND 10

static const char page_script[] =
        "(() => {\n"
        "  const post = x => {\n"
        "    const text = typeof x === 'string' ? x : JSON.stringify(x);\n"
        "    document.dispatchEvent(new CustomEvent('" EVENT "', { detail: text }));\n"
        "    return true;\n"
        "  };\n"
        "  const uuid = () => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g,\n"
        "      () => (crypto.getRandomValues(new Uint8Array(1))[0] & 15).toString(16));\n"
        "  const act = ua => post({ userAction: { ...ua, id: String(ua?.id ?? '').trim() || uuid() "
        "} });\n"
        "  const bridge = Object.freeze({ postMessage: post });\n"
        "  const set = (o, name, value) => Object.defineProperty(o, name,\n"
        "      { value, configurable: true, writable: true, enumerable: true });\n"
        "  set(window, 'openclawCanvasA2UIAction', bridge);\n"
        "  set(window, 'webkit', { messageHandlers: { openclawCanvasA2UIAction: bridge } });\n"
        "  set(window, 'OpenClaw', { ...window.OpenClaw, postMessage: post, sendUserAction: act "
        "});\n"
        "  set(window, 'openclawPostMessage', post);\n"
        "  set(window, 'openclawSendUserAction', act);\n"
        "})();\n";

static const char world_script[] =
        "document.addEventListener('" EVENT "', e =>\n"
        "    window.webkit.messageHandlers." HANDLER ".postMessage(\n"
        "        JSON.stringify({ href: location.href, text: String(e.detail) })));\n";

static void tell_page(struct cv_web *w, const cJSON *status) {
    g_autofree char *code = NULL;
    OC_AUTO_FREE char *text = oc_json_print(status, false);
    /* JSON is JavaScript */
    code = g_strdup_printf("window.dispatchEvent(new CustomEvent('openclaw:a2ui-action-status', "
                           "{ detail: %s }))",
            text);
    webkit_web_view_evaluate_javascript(w->view, code, -1, NULL, NULL, NULL, NULL, NULL);
}

void cv_web_tell_status(struct cv_web *w, const cJSON *status) {
    if (!cv_web_is_trusted(w->committed, w->trusts_network)) {
        return;
    }
    const char *id = oc_json_get_str(status, "id"), *error = oc_json_get_str(status, "error");
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "id", id ? id : "");
    oc_json_set_bool(o, "ok", oc_json_get_bool(status, "ok", false));
    oc_json_set_str(o, "error", error ? error : "");
    tell_page(w, o);
}

static bool is_too_often(struct cv_web *w) {
    gint64 second = g_get_monotonic_time() / G_USEC_PER_SEC;
    if (second != w->actions_second) {
        w->actions_second = second;
        w->actions = 0;
    }
    return ++w->actions > MAX_A_SECOND;
}

/* NULL: it is none, and *ret_why says so. */
static cJSON *read_action(const char *text, const char **ret_why) {
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    if (oc_json_parse(text, strlen(text), &o, &err) != OC_OK || !cJSON_IsObject(o)) {
        *ret_why = "the message is no JSON object";
        return NULL;
    }
    if (cJSON_IsObject(oc_json_get(o, "userAction"))) {
        return oc_take(&o);
    }
    cJSON *outer = cJSON_CreateObject();
    oc_json_set(outer, "userAction", oc_take(&o));
    return outer;
}

static void bridge_refuse(struct cv_web *w, const char *text, const char *why) {
    OC_AUTO_JSON cJSON *o = NULL, *status = cJSON_CreateObject();
    struct oc_error err;
    (void)!oc_json_parse(text, strlen(text), &o, &err);
    const cJSON *action = oc_json_get(o, "userAction");
    const char *id = oc_json_get_str(action ? action : o, "id");
    oc_json_set_str(status, "id", id ? id : "");
    oc_json_set_bool(status, "ok", false);
    oc_json_set_str(status, "error", why);
    g_printerr("a page's message is refused: %s\n", why);
    tell_page(w, status);
}

static void on_message(WebKitUserContentManager *manager, JSCValue *value, gpointer user) {
    struct cv_web *w = user;
    (void)manager;
    g_autofree char *json = jsc_value_to_string(value);
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    if (!json || strlen(json) > MAX_MESSAGE ||
            oc_json_parse(json, strlen(json), &o, &err) != OC_OK) {
        return;
    }
    const char *href = oc_json_get_str(o, "href"), *text = oc_json_get_str(o, "text");
    const char *why = "";
    if (!text || is_too_often(w)) {
        return;
    }
    if (!cv_web_is_trusted(href, w->trusts_network)) {
        bridge_refuse(w, text, "this page may not send actions to the agent");
        return;
    }
    cJSON *action = read_action(text, &why);
    if (!action) {
        bridge_refuse(w, text, why);
    } else if (w->events.on_action) {
        w->events.on_action(w->user, action, w->via);
    } else {
        cJSON_Delete(action);
    }
}

static void add_script(WebKitUserContentManager *manager, const char *text, const char *world,
        const char *const *pages) {
    WebKitUserScript *script =
            world ? webkit_user_script_new_for_world(text, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME,
                            WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, world, pages, NULL)
                  : webkit_user_script_new(text, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME,
                            WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, pages, NULL);
    webkit_user_content_manager_add_script(manager, script);
    webkit_user_script_unref(script);
}

/* Pages of the web only show things: they do not even have the objects, unless those of the own
 * network are trusted; which of these it is shows when a message comes. */
void cv_web_set_bridge(struct cv_web *w, bool trusts_network) {
    static const char *const local[] = { CV_WEB_SCHEME "://*/*", NULL };
    WebKitUserContentManager *manager = webkit_web_view_get_user_content_manager(w->view);
    const char *const *pages = trusts_network ? NULL : local;
    w->trusts_network = trusts_network;
    webkit_user_content_manager_remove_all_scripts(manager);
    add_script(manager, world_script, WORLD, pages);
    add_script(manager, page_script, NULL, pages);
}

void cv_web_init_bridge(struct cv_web *w, WebKitUserContentManager *manager) {
    g_signal_connect(manager, "script-message-received::" HANDLER, G_CALLBACK(on_message), w);
    webkit_user_content_manager_register_script_message_handler(manager, HANDLER, WORLD);
    cv_web_set_bridge(w, false);
}
