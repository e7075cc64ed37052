/* What can be set in openclaw.json: one table (config_keys.def), and what follows from it. */
#ifndef LIB_CONFIG_CONFIG_SCHEMA_H
#define LIB_CONFIG_CONFIG_SCHEMA_H

#include "lib/json/json.h"

#include <stdbool.h>
#include <stddef.h>

enum oc_config_type {
    OC_CONFIG_TEXT,
    OC_CONFIG_FLAG,
    OC_CONFIG_INTEGER,
    OC_CONFIG_NUMBER,
    OC_CONFIG_TEXTS,
    OC_CONFIG_SIZE, /* lib/config/size.h */
    OC_CONFIG_ANYTHING
};
enum {
    OC_CONFIG_HOT = 1 << 0,
    OC_CONFIG_RESTART = 1 << 1,
    OC_CONFIG_READ = 1 << 2,
    OC_CONFIG_FOREIGN = 1 << 3, /* the reference's; kept, not used here and not checked */
    OC_CONFIG_SECRET = 1 << 4,
};

struct oc_config_key {
    const char *path;
    enum oc_config_type type;
    unsigned flags;
    const char *def, *allowed, *summary;
};
const struct oc_config_key *oc_config_keys(size_t *ret_count);
/* The row of exactly this path, or of the open section it is in; NULL when there is none. */
const struct oc_config_key *oc_config_key_find(const char *path);

/* Settings that have moved work under both names. The other name of a path, or of what it is below;
 * NULL when there is none. Caller frees. */
char *oc_config_other_spelling(const char *path);

/* Errors: a setting of ours has the wrong type or a value it cannot have, or is an unknown one of
 * node, where a mistyped key would open the sandbox. Warnings: other keys nobody knows, with the
 * one that was probably meant. Both are arrays of {"path","message"} and must exist; either may be
 * NULL when it is not wanted. */
void oc_config_check(const cJSON *config, cJSON *errors, cJSON *warnings);

/* Takes out what is not in the table or belongs to other programs: their sections hold what we
 * cannot judge. */
void oc_config_keep_ours(cJSON *config);

/* What a difference between two configs means: 0, OC_CONFIG_HOT, OC_CONFIG_RESTART or both. */
unsigned oc_config_changes(const cJSON *before, const cJSON *after);

/* A JSON schema (draft 2020-12) of the whole table. */
cJSON *oc_config_json_schema(void);
/* {"<path>": {"help","sensitive"?}} for the pages that show settings. */
cJSON *oc_config_ui_hints(void);

#endif
