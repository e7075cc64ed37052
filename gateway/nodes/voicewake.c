#include "gateway/nodes/voicewake.h"

#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define META_KEY "voicewake.triggers"

static cJSON *default_words(void) {
    static const char *const words[] = { "openclaw", "claude", "computer" };
    return cJSON_CreateStringArray(words, (int)OC_COUNT(words));
}

static cJSON *saved_words(struct gw_store *store) {
    OC_AUTO_FREE char *text = NULL;
    cJSON *words = NULL;
    struct oc_error err;
    enum oc_code rc = gw_store_get_meta(store, META_KEY, &text, &err);
    if (rc == OC_OK) {
        rc = oc_json_parse(text, strlen(text), &words, &err);
    }
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        oc_log(OC_LOG_ERROR, "gateway.voicewake", "cannot read the wake words, ignoring: %s",
                err.text);
    }
    return words;
}

cJSON *gw_voicewake_build(struct gw_store *store) {
    cJSON *o = cJSON_CreateObject();
    cJSON *words = saved_words(store);
    oc_json_set(o, "triggers", words ? words : default_words());
    return o;
}

/* Trimmed, at most so many, each at most so long; none left means the defaults. */
static cJSON *clean_words(const cJSON *given) {
    cJSON *words = cJSON_CreateArray();
    const cJSON *v;
    cJSON_ArrayForEach(v, given) {
        const char *text = cJSON_GetStringValue(v);
        if (oc_str_blank(text) || cJSON_GetArraySize(words) >= OC_MAX_WAKE_WORDS) {
            continue;
        }
        OC_AUTO_FREE char *copy = oc_strdup(text);
        char *word = oc_trim(copy);
        word[oc_utf8_cut(word, strlen(word), OC_MAX_WAKE_WORD_BYTES)] = '\0';
        cJSON_AddItemToArray(words, cJSON_CreateString(word));
    }
    if (cJSON_GetArraySize(words) == 0) {
        cJSON_Delete(words);
        words = default_words();
    }
    return words;
}

void gw_voicewake_import(struct gw_store *store, const char *state_dir) {
    OC_AUTO_FREE char *path = oc_path_join(state_dir, "settings/voicewake.json");
    OC_AUTO_FREE char *known = NULL;
    OC_AUTO_BUF struct oc_buf text = { 0 };
    OC_AUTO_JSON cJSON *doc = NULL;
    struct oc_error err;
    if (gw_store_get_meta(store, META_KEY, &known, &err) != OC_E_NOT_FOUND) {
        return;
    }
    enum oc_code rc = oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, &err);
    if (rc == OC_E_NOT_FOUND) {
        return;
    }
    if (rc == OC_OK) {
        rc = oc_json_parse(text.data ? text.data : "", text.len, &doc, &err);
    }
    if (rc == OC_OK && cJSON_IsArray(oc_json_get(doc, "triggers"))) {
        OC_AUTO_JSON cJSON *words = clean_words(oc_json_get(doc, "triggers"));
        OC_AUTO_FREE char *saved = oc_json_print(words, false);
        rc = gw_store_set_meta(store, META_KEY, saved, &err);
    } else if (rc == OC_OK) {
        rc = oc_fail(&err, OC_E_CORRUPT, "it has no triggers");
    }
    if (rc == OC_OK) {
        oc_log(OC_LOG_INFO, "gateway.voicewake", "took over the wake words of %s", path);
    } else {
        oc_log(OC_LOG_WARN, "gateway.voicewake", "cannot take over the wake words of %s: %s", path,
                err.text);
    }
}

enum oc_code gw_voicewake_set(struct gw_store *store, const cJSON *given, struct oc_error *err) {
    OC_AUTO_JSON cJSON *words = clean_words(given);
    OC_AUTO_FREE char *text = oc_json_print(words, false);
    return gw_store_set_meta(store, META_KEY, text, err);
}
