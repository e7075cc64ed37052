#include "gateway/settings/config_schema_cache.h"

#include "lib/base/mem.h"
#include "lib/config/config_schema.h"
#include "lib/protocol/limits.h"

#include <time.h>

const cJSON *gw_config_schema_tree(struct gw_config_schema_cache *c) {
    if (!c->tree) {
        c->tree = oc_config_json_schema();
    }
    return c->tree;
}

struct oc_blob *gw_config_schema_text(
        struct gw_config_schema_cache *c, const struct oc_clock *clock) {
    if (c->text) {
        return c->text;
    }
    char when[32] = "";
    time_t now = (time_t)(oc_wall_ms(clock) / 1000);
    struct tm utc;
    if (gmtime_r(&now, &utc)) {
        (void)strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S.000Z", &utc);
    }
    OC_AUTO_JSON cJSON *hints = oc_config_ui_hints();
    struct oc_buf b = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
    (void)oc_buf_puts(&b, "{\"schema\":");
    (void)oc_json_append(&b, gw_config_schema_tree(c), false);
    (void)oc_buf_puts(&b, ",\"uiHints\":");
    (void)oc_json_append(&b, hints, false);
    (void)oc_buf_printf(&b, ",\"version\":\"%s\",\"generatedAt\":\"%s\"}", OC_VERSION, when);
    c->text = oc_blob_from_buf(&b);
    return c->text;
}

void gw_config_schema_cache_finish(struct gw_config_schema_cache *c) {
    cJSON_Delete(c->tree);
    oc_blob_unref(c->text);
    *c = (struct gw_config_schema_cache){ 0 };
}
