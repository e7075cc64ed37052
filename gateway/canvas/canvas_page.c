#include "gateway/canvas/canvas_page.h"

#include "gateway/canvas/canvas_page_files.h"
#include "lib/base/mem.h"

#include <string.h>

/* Nothing from elsewhere, nothing inline, in nobody's frame; and the address, which is a secret, is
 * told to nobody (every answer has Referrer-Policy: no-referrer). */
#define HEADERS                                                                          \
    "Cache-Control: no-store\r\n"                                                        \
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; " \
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "           \
    "frame-ancestors 'none'\r\n"                                                         \
    "X-Frame-Options: DENY\r\n"

#define STYLE "/a2ui.css"

static const struct {
    const char *path, *type;
    const unsigned char *data;
    size_t len;
} files[] = {
    { "/", "text/html; charset=utf-8", page_a2ui_html, sizeof(page_a2ui_html) },
    { STYLE, "text/css; charset=utf-8", page_a2ui_css, sizeof(page_a2ui_css) },
    { "/a2ui.js", "text/javascript; charset=utf-8", page_a2ui_js, sizeof(page_a2ui_js) },
};

void gw_canvas_page_answer(const char *path, struct oc_http_reply *ret) {
    *ret = (struct oc_http_reply){ .status = 404,
        .content_type = "text/plain; charset=utf-8",
        .body = "not found\n",
        .extra_headers = HEADERS };
    for (size_t i = 0; i < OC_COUNT(files); i++) {
        if (strcmp(path, files[i].path) == 0) {
            ret->status = 200;
            ret->content_type = files[i].type;
            ret->body = (const char *)files[i].data;
            ret->body_len = files[i].len;
        }
    }
    if (strcmp(path, "/ws") == 0) {
        ret->status = 426;
        ret->body = "upgrade required\n";
    } else if (path[0] == '\0') { /* what it loads is beside it */
        ret->status = 308;
        ret->body = "";
        ret->extra_headers = HEADERS "Location: a2ui/\r\n";
    }
}

void gw_canvas_page_refuse(const char *path, struct oc_http_reply *ret) {
    if (path[0] == '\0' || strcmp(path, STYLE) == 0) {
        gw_canvas_page_answer(path, ret);
        return;
    }
    *ret = (struct oc_http_reply){ .status = 401,
        .content_type = "text/html; charset=utf-8",
        .body = (const char *)page_ended_html,
        .body_len = sizeof(page_ended_html),
        .extra_headers = HEADERS };
}
