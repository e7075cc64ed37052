/* canvas.eval while A2UI surfaces are shown. There is no script engine, but what agents ask of the
 * reference's page works:
 *
 *   openclawA2UI.getSurfaces()              ["main"]
 *   openclawA2UI.reset()                    {"ok":true}
 *   openclawA2UI.applyMessages([ … ])       {"ok":true,"surfaces":["main"]}; the messages are a
 *                                           JSON literal
 *   document.title, document.readyState, location.href
 *
 * each also behind "return", in JSON.stringify(…), and with window., globalThis. or self. before
 * it. */
#ifndef CANVAS_SERVE_EVAL_H
#define CANVAS_SERVE_EVAL_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

#define CV_TITLE "OpenClaw Canvas"
#define CV_HREF "openclaw-canvas://a2ui/"

enum cv_eval_what {
    CV_EVAL_UNSUPPORTED,
    CV_EVAL_TEXT, /* of a constant */
    CV_EVAL_GET_SURFACES,
    CV_EVAL_RESET,
    CV_EVAL_APPLY_MESSAGES
};

struct cv_eval {
    enum cv_eval_what what;
    const char *text;         /* TEXT */
    struct oc_slice argument; /* APPLY_MESSAGES: the literal, of the script */
};

struct cv_eval cv_eval_read(const char *script, size_t len);
/* The messages of a JSON array as JSONL. */
enum oc_code cv_eval_to_jsonl(
        struct oc_slice array, struct oc_buf *ret, struct oc_error *err) OC_MUST_USE;

#endif
