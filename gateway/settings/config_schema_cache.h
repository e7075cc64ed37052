/* The schema of the config as clients ask for it. It is the same for all and slow to make, so it is
 * made once; answers share one copy of the text, also while they wait to be read. */
#ifndef GATEWAY_SETTINGS_CONFIG_SCHEMA_CACHE_H
#define GATEWAY_SETTINGS_CONFIG_SCHEMA_CACHE_H

#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/json/json.h"

struct gw_config_schema_cache {
    cJSON *tree;          /* NULL: nobody has asked yet */
    struct oc_blob *text; /* the whole answer of config.schema; likewise */
};

const cJSON *gw_config_schema_tree(struct gw_config_schema_cache *c);
struct oc_blob *gw_config_schema_text(
        struct gw_config_schema_cache *c, const struct oc_clock *clock);
void gw_config_schema_cache_finish(struct gw_config_schema_cache *c);

#endif
