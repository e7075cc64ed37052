/* Names of canvas files, in the ways in which agents write them: page.html, /sub/page.html,
 * /__openclaw__/canvas/page.html, openclaw-canvas://<session>/page.html, and full paths and file://
 * below the folder. One grammar for pages and pictures. */
#ifndef LIB_HELPER_CANVAS_PATH_H
#define LIB_HELPER_CANVAS_PATH_H

#include "lib/base/error.h"

#define OC_CANVAS_SCHEME "openclaw-canvas"

/* *ret is the rest of url that names the file below root (lib/files/below.h), perhaps with slashes
 * before it, and with ? and # behind. root NULL: there is no folder. Fails for addresses of other
 * kinds. */
enum oc_code oc_canvas_path(
        const char *url, const char *root, const char **ret, struct oc_error *err) OC_MUST_USE;

#endif
