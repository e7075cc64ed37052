/* Effective set = (defaults of the platform ∪ allow) − deny. */
#include "gateway/settings/policy.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    UNKNOWN = 1 << GW_PLAT_UNKNOWN,
    LINUX = 1 << GW_PLAT_LINUX,
    MACOS = 1 << GW_PLAT_MACOS,
    WINDOWS = 1 << GW_PLAT_WINDOWS,
    IOS = 1 << GW_PLAT_IOS,
    ANDROID = 1 << GW_PLAT_ANDROID,
};

static const struct policy_row {
    const char *name;
    unsigned classes;
} defaults[] = {
#define GW_PLATFORM_COMMAND(command, where) { command, where },
#include "gateway/settings/platform_commands.def"
#undef GW_PLATFORM_COMMAND
};

/* Known, but open nowhere unless the owner says so; system.execApprovals.* not even then. */
static const char *const closed[] = { "calendar.add", "camera.ptz.control", "contacts.add",
    "health.summary", "reminders.add", "sms.search", "sms.send", "system.execApprovals.get",
    "system.execApprovals.set" };

static const struct hint {
    const char *text;
    enum gw_platform_class class;
} platform_prefixes[] = {
    { "ios", GW_PLAT_IOS },
    { "android", GW_PLAT_ANDROID },
    { "mac", GW_PLAT_MACOS },
    { "darwin", GW_PLAT_MACOS },
    { "win", GW_PLAT_WINDOWS },
    { "linux", GW_PLAT_LINUX },
}, family_parts[] = {
    { "iphone", GW_PLAT_IOS },
    { "ipad", GW_PLAT_IOS },
    { "ios", GW_PLAT_IOS },
    { "android", GW_PLAT_ANDROID },
    { "mac", GW_PLAT_MACOS },
    { "windows", GW_PLAT_WINDOWS },
    { "linux", GW_PLAT_LINUX },
};

enum gw_platform_class gw_platform_classify(const char *platform, const char *device_family) {
    OC_AUTO_FREE char *platform_copy = oc_strdup(platform ? platform : "");
    OC_AUTO_FREE char *family = oc_strdup(device_family ? device_family : "");
    oc_ascii_lower(platform_copy);
    oc_ascii_lower(family);
    const char *name = oc_trim(platform_copy);
    for (size_t i = 0; i < OC_COUNT(platform_prefixes); i++) {
        if (oc_starts_with(name, platform_prefixes[i].text)) {
            return platform_prefixes[i].class;
        }
    }
    for (size_t i = 0; i < OC_COUNT(family_parts); i++) {
        if (strstr(family, family_parts[i].text)) {
            return family_parts[i].class;
        }
    }
    return GW_PLAT_UNKNOWN;
}

static void add_names(struct oc_strv *names, const cJSON *config, const char *path) {
    const cJSON *list = oc_json_path(config, path), *entry = NULL;
    cJSON_ArrayForEach(entry, list) {
        if (!cJSON_IsArray(list) || !cJSON_IsString(entry)) {
            continue;
        }
        OC_AUTO_FREE char *copy = oc_strdup(entry->valuestring);
        const char *name = oc_trim(copy);
        if (*name) {
            oc_strv_add_unique(names, name);
        }
    }
}

void gw_policy_load(struct gw_policy *p, const cJSON *config) {
    *p = (struct gw_policy){ 0 };
    add_names(&p->allow, config, "gateway.nodes.allowCommands");
    add_names(&p->allow, config, "gateway.nodes.commands.allow");
    add_names(&p->deny, config, "gateway.nodes.denyCommands");
    add_names(&p->deny, config, "gateway.nodes.commands.deny");
}

void gw_policy_finish(struct gw_policy *p) {
    oc_strv_finish(&p->allow);
    oc_strv_finish(&p->deny);
}

static int by_name(const void *key, const void *row) {
    return strcmp(key, ((const struct policy_row *)row)->name);
}

void gw_policy_known(struct oc_strv *ret) {
    for (size_t i = 0; i < OC_COUNT(defaults); i++) {
        oc_strv_add(ret, defaults[i].name);
    }
    for (size_t i = 0; i < OC_COUNT(closed); i++) {
        oc_strv_add(ret, closed[i]);
    }
}

bool gw_policy_allows(const struct gw_policy *p, enum gw_platform_class c, const char *command) {
    if (oc_strv_has(&p->deny, command)) {
        return false;
    }
    const struct policy_row *row =
            bsearch(command, defaults, OC_COUNT(defaults), sizeof(defaults[0]), by_name);
    return (row && (row->classes & (1u << c)) != 0) || oc_strv_has(&p->allow, command);
}

void gw_policy_filter(const struct gw_policy *p, enum gw_platform_class c,
        const struct oc_strv *declared, struct oc_strv *ret) {
    for (size_t i = 0; i < declared->count; i++) {
        if (gw_policy_allows(p, c, declared->items[i])) {
            oc_strv_add(ret, declared->items[i]);
        }
    }
    oc_strv_sort_unique(ret);
}
