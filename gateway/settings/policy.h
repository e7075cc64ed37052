/* Gate 3, gateway command policy: which commands may go to a node of which platform at all
 * (docs/PROTOCOL.md#command-policy).
 *
 * The defaults are the reference's (platform_commands.def), but that a Linux node may offer camera and screen: there the
 * node's owner has switched them on. Elsewhere what it calls dangerous takes a word of the gateway's owner. */
#ifndef GATEWAY_SETTINGS_POLICY_H
#define GATEWAY_SETTINGS_POLICY_H

#include "lib/base/str.h"
#include "lib/json/json.h"

enum oc_platform_class {
    OC_PLAT_UNKNOWN,
    OC_PLAT_LINUX,
    OC_PLAT_MACOS,
    OC_PLAT_WINDOWS,
    OC_PLAT_IOS,
    OC_PLAT_ANDROID
};

enum oc_platform_class oc_platform_classify(const char *platform, const char *device_family);

struct oc_policy {
    struct oc_strv allow, deny;
};
/* Reads gateway.nodes.allowCommands/denyCommands and gateway.nodes.commands.allow/deny. */
void oc_policy_load(struct oc_policy *p, const cJSON *config);
void oc_policy_finish(struct oc_policy *p);
bool oc_policy_allows(const struct oc_policy *p, enum oc_platform_class c, const char *command);
/* Keeps what is allowed; sorted, unique. ret must be empty. */
void oc_policy_filter(const struct oc_policy *p, enum oc_platform_class c,
        const struct oc_strv *declared, struct oc_strv *ret);

#endif
