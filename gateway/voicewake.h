/* The words that wake a listening node. Fixed: nothing here sets them yet, but nodes ask. */
#ifndef GATEWAY_VOICEWAKE_H
#define GATEWAY_VOICEWAKE_H

#include "base/json.h"
#include "base/mem.h"

static inline cJSON *oc_voicewake_build(void) {
    static const char *const words[] = { "openclaw", "claude", "computer" };
    cJSON *o = cJSON_CreateObject();
    oc_json_set(o, "triggers", cJSON_CreateStringArray(words, (int)OC_COUNT(words)));
    return o;
}

#endif
