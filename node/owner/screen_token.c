#include "node/owner/screen_token.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/json/json.h"

#include <string.h>
#include <unistd.h>

enum { MAX_FILE = 4096, MAX_TOKEN = 256 };

static char *token_path(const char *switches_path) {
    const char *slash = strrchr(switches_path, '/');
    int folder_len = slash ? (int)(slash - switches_path) + 1 : 0;
    return oc_strfmt("%.*s%s", folder_len, switches_path, ND_SCREEN_TOKEN_FILE);
}

char *nd_screen_token_load(const char *switches_path) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    if (!switches_path) {
        return NULL;
    }
    OC_AUTO_FREE char *path = token_path(switches_path);
    if (oc_file_read(path, MAX_FILE, &text, &err) != OC_OK ||
            oc_json_parse(text.data, text.len, &o, &err) != OC_OK) {
        return NULL; /* the person is asked again */
    }
    return oc_strdup(oc_json_get_str(o, "restoreToken"));
}

enum oc_code nd_screen_token_save(
        const char *switches_path, const char *token, struct oc_error *err) {
    if (!switches_path || !*token || strlen(token) > MAX_TOKEN) {
        return oc_fail(err, OC_E_INVALID, "not a token");
    }
    OC_AUTO_FREE char *old = nd_screen_token_load(switches_path);
    if (old && strcmp(old, token) == 0) {
        return OC_OK;
    }
    OC_AUTO_FREE char *path = token_path(switches_path);
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "version", 1);
    oc_json_set_str(o, "restoreToken", token);
    OC_AUTO_FREE char *text = oc_json_print(o, true);
    return oc_file_write_private(path, text, strlen(text), err);
}

void nd_screen_token_forget(const char *switches_path) {
    OC_AUTO_FREE char *path = token_path(switches_path);
    unlink(path);
}
