#include "node/canvas/canvas_window.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/log/log.h"

#include <math.h>
#include <string.h>

#define FILE_NAME "canvas-window.json"
#define MAX_FILE 4096
#define FAR 100000 /* pixels; nobody's screen is there */

static cJSON *canvas_window_sensible(const cJSON *geometry) {
    static const char *const keys[] = { "x", "y", "width", "height" };
    cJSON *o = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        double v;
        if (oc_json_as_num(oc_json_get(geometry, keys[i]), i < 2 ? -FAR : 1, FAR, &v)) {
            cJSON_AddNumberToObject(o, keys[i], round(v));
        }
    }
    if (!o->child) {
        cJSON_Delete(oc_take(&o));
    }
    return o;
}

cJSON *nd_canvas_window_load(const char *state_dir) {
    OC_AUTO_FREE char *path = state_dir ? oc_path_join(state_dir, FILE_NAME) : NULL;
    OC_AUTO_BUF struct oc_buf text = { 0 };
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    if (!path || oc_file_read(path, MAX_FILE, &text, &err) != OC_OK ||
            oc_json_parse(text.data, text.len, &o, &err) != OC_OK) {
        return NULL;
    }
    return canvas_window_sensible(o);
}

void nd_canvas_window_save(const char *state_dir, const cJSON *geometry) {
    OC_AUTO_FREE char *path = state_dir ? oc_path_join(state_dir, FILE_NAME) : NULL;
    OC_AUTO_JSON cJSON *o = canvas_window_sensible(geometry);
    struct oc_error err;
    if (!path || !o) {
        return;
    }
    OC_AUTO_FREE char *text = oc_json_print(o, false);
    if (oc_file_write_private(path, text, strlen(text), &err) != OC_OK) {
        oc_log(OC_LOG_INFO, "node.canvas", "%s", err.text);
    }
}
