/* What a person does elsewhere, where they see a picture of the page: WebKit takes no events but
 * those of its window, so a script does what the event would have done. It runs in a world of its
 * own, where the page cannot change what it uses. */
#include "canvas/web/web.h"

#include "lib/base/mem.h"

#define WORLD "openclaw"
#define TOUCH_MS 4000
#define MAX_CLIPBOARD 65536 /* characters */

static const char touch_script[] = CV_WEB_NO_GESTURE
        "const p = JSON.parse(params);\n"
        "const at = document.elementFromPoint(p.x ?? 0, p.y ?? 0);\n"
        "const has = document.activeElement ?? document.body;\n"
        "const on = (target, Type, name) => target.dispatchEvent(new Type(name, { bubbles: true,\n"
        "    cancelable: true, composed: true, view: window, clientX: p.x ?? 0, clientY: p.y ?? "
        "0,\n"
        "    key: p.key === 'Space' ? ' ' : p.key }));\n"
        "const focusable = "
        "'a[href],button,input,select,textarea,summary,[tabindex],[contenteditable]';\n"
        "const writes = e => e.isContentEditable || e.localName === 'textarea' || (e.localName === "
        "'input' &&\n"
        "    !['button', 'checkbox', 'color', 'file', 'radio', 'range', 'reset', "
        "'submit'].includes(e.type));\n"
        "const write = text => document.execCommand('insertText', false, text);\n"
        "const scroll = (from, dx, dy) => {\n"
        "  for (let e = from; e; e = e.parentElement) {\n"
        "    const x = e.scrollLeft, y = e.scrollTop;\n"
        "    e.scrollBy(dx, dy);\n"
        "    if (e.scrollLeft !== x || e.scrollTop !== y) return true;\n"
        "  }\n"
        "  return false;\n"
        "};\n"
        "const next = step => {\n"
        "  const all = [...document.querySelectorAll(focusable)].filter(\n"
        "      e => e.tabIndex >= 0 && !e.disabled && e.getClientRects().length);\n"
        "  const i = all.indexOf(has);\n"
        "  all[(i < 0 ? (step > 0 ? 0 : all.length - 1) : i + step + all.length) % "
        "all.length]?.focus();\n"
        "  return all.length > 0;\n"
        "};\n"
        "if (p.pointer === 'press' && at) {\n"
        "  on(at, PointerEvent, 'pointerdown');\n"
        "  if (on(at, MouseEvent, 'mousedown')) (at.closest(focusable) ?? has).focus();\n"
        "  globalThis.pressed = at;\n"
        "  return true;\n"
        "}\n"
        "if (p.pointer === 'release' && at) {\n"
        "  on(at, PointerEvent, 'pointerup');\n"
        "  on(at, MouseEvent, 'mouseup');\n"
        "  const link = at.closest('a[target]');\n"
        "  if (link) link.target = '_self';\n" /* there is one window, and only people open others
                                                */
        "  if (globalThis.pressed === at) on(at, MouseEvent, 'click');\n"
        "  return true;\n"
        "}\n"
        "if (p.pointer === 'move' && at) { on(at, PointerEvent, 'pointermove'); on(at, MouseEvent, "
        "'mousemove'); return true; }\n"
        "if (p.scroll) return scroll(at, p.dx ?? 0, p.dy ?? 0);\n"
        "if (typeof p.text === 'string') return writes(has) && write(p.text);\n"
        "if (!p.key || !on(has, KeyboardEvent, 'keydown')) return !!p.key;\n"
        "const far = innerHeight * 0.9, text = writes(has);\n"
        "const move = (how, unit) => text && (getSelection().modify('move', how, unit), true);\n"
        "const chosen = () => has.type === 'password' ? '' : 'selectionStart' in has ?\n"
        "    has.value.slice(has.selectionStart, has.selectionEnd) : String(getSelection());\n"
        "const copied = () => ({ clipboard: chosen() });\n"
        "const ctrl = p.mods & 2 && {\n"
        "  a: () => document.execCommand('selectAll'),\n"
        "  c: copied,\n"
        "  x: () => { const o = copied(); if (text && o.clipboard) document.execCommand('delete'); "
        "return o; },\n"
        "  v: () => text && clipboard !== '' && write(clipboard),\n"
        "};\n"
        "if (ctrl && ctrl[p.key]) return ctrl[p.key]();\n"
        "const keys = {\n"
        "  Tab: () => next(p.mods & 1 ? -1 : 1),\n"
        "  Enter: () => has.localName === 'textarea' || has.isContentEditable ? write('\\n') :\n"
        "      text && has.form ? (has.form.requestSubmit(), true) : (has.click(), true),\n"
        "  Space: () => text ? write(' ') : (has.click(), true),\n"
        "  Escape: () => (has.blur(), true),\n"
        "  Backspace: () => text && document.execCommand('delete'),\n"
        "  Delete: () => text && document.execCommand('forwardDelete'),\n"
        "  Left: () => move('left', 'character') || scroll(has, -40, 0),\n"
        "  Right: () => move('right', 'character') || scroll(has, 40, 0),\n"
        "  Up: () => move('backward', 'line') || scroll(has, 0, -40),\n"
        "  Down: () => move('forward', 'line') || scroll(has, 0, 40),\n"
        "  Home: () => move('backward', 'lineboundary') || scroll(has, 0, -1e6),\n"
        "  End: () => move('forward', 'lineboundary') || scroll(has, 0, 1e6),\n"
        "  PageUp: () => scroll(has, 0, -far),\n"
        "  PageDown: () => scroll(has, 0, far),\n"
        "};\n"
        "return !!keys[p.key]?.();\n";

struct touch {
    struct cv_web *web;
    unsigned serial;
};

static void keep_copied(struct cv_web *w, JSCValue *answer) {
    g_autoptr(JSCValue) copied = jsc_value_object_get_property(answer, "clipboard");
    g_autofree char *text = jsc_value_is_string(copied) ? jsc_value_to_string(copied) : NULL;
    if (text && *text && g_utf8_strlen(text, -1) <= MAX_CLIPBOARD) {
        g_free(w->clipboard);
        w->clipboard = g_steal_pointer(&text);
    }
}

static void on_touched(GObject *object, GAsyncResult *result, gpointer user) {
    g_autofree struct touch *t = user;
    g_autoptr(GError) error = NULL;
    g_autoptr(JSCValue) value = webkit_web_view_call_async_javascript_function_finish(
            WEBKIT_WEB_VIEW(object), result, &error);
    if (!cv_web_is_current(t->web, t->serial)) {
        return;
    }
    if (value && jsc_value_is_object(value)) {
        keep_copied(t->web, value);
    }
    cJSON *answer = cJSON_CreateObject();
    oc_json_set_bool(answer, "taken", value && jsc_value_to_boolean(value));
    cv_web_send_answer(t->web, answer, -1);
}

static void on_late(struct cv_web *w) {
    cv_web_fail(w, CV_WEB_UNAVAILABLE, "the page does not answer");
}

void cv_web_input(struct cv_web *w, const cJSON *params, cv_web_done *done, void *user) {
    OC_AUTO_FREE char *text = oc_json_print(params, false);
    g_autoptr(GVariantDict) arguments = g_variant_dict_new(NULL);
    g_variant_dict_insert(arguments, "params", "s", text);
    g_variant_dict_insert(arguments, "clipboard", "s", w->clipboard ? w->clipboard : "");
    struct touch *t = g_new(struct touch, 1);
    w->via = "input";
    cv_web_begin(w, TOUCH_MS, on_late, done, user);
    *t = (struct touch){ w, w->ask.serial };
    webkit_web_view_call_async_javascript_function(w->view, touch_script, -1,
            g_variant_dict_end(arguments), WORLD, NULL, NULL, on_touched, t);
}
