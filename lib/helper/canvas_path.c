#include "lib/helper/canvas_path.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <string.h>
#include <strings.h>

static const char *canvas_path_after(const char *text, const char *prefix) {
    return oc_starts_with(text, prefix) ? text + strlen(prefix) : NULL;
}

/* Below the folder by its text; what the file really is, lib/files/below.h finds out. */
static const char *canvas_path_below(const char *path, const char *root) {
    size_t n = root ? strlen(root) : 0;
    while (n > 0 && root[n - 1] == '/') {
        n--;
    }
    return n > 0 && strncmp(path, root, n) == 0 && path[n] == '/' ? path + n : NULL;
}

enum oc_code oc_canvas_path(
        const char *url, const char *root, const char **ret, struct oc_error *err) {
    static const char scheme[] = OC_CANVAS_SCHEME "://";
    if (strncasecmp(url, scheme, strlen(scheme)) == 0) {
        const char *session = url + strlen(scheme);
        *ret = session + strcspn(session, "/");
        return OC_OK;
    }
    if (strncasecmp(url, "file:", 5) == 0) {
        const char *path = canvas_path_after(url + 5, "//localhost/"), *rest = NULL;
        path = path ? path - 1 : canvas_path_after(url + 5, "//");
        rest = path ? canvas_path_below(path, root) : NULL;
        if (!rest) {
            return oc_fail(err, OC_E_DENIED,
                    "file:// shows only what is in the canvas folder%s%s; put the file there",
                    root ? " " : "", root ? root : "");
        }
        *ret = rest;
        return OC_OK;
    }
    if (url[strcspn(url, ":/?#")] == ':') {
        return oc_fail(err, OC_E_INVALID, "Canvas navigation allows only http(s) and canvas files");
    }
    const char *rest = canvas_path_after(url, "/__openclaw__/canvas/");
    rest = rest ? rest : canvas_path_below(url, root);
    *ret = rest ? rest : url;
    return OC_OK;
}
