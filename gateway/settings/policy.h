/* Gate 3, gateway command policy: which commands may go to a node of which platform at all
 * (docs/PROTOCOL.md#command-policy).
 *
 * The defaults are the reference's (platform_commands.def), but that a Linux node may offer camera
 * and screen: there the node's owner has switched them on. Elsewhere what it calls dangerous takes
 * a word of the gateway's owner. */
#ifndef GATEWAY_SETTINGS_POLICY_H
#define GATEWAY_SETTINGS_POLICY_H

#include "lib/base/str.h"
#include "lib/json/json.h"

enum gw_platform_class {
    GW_PLAT_UNKNOWN,
    GW_PLAT_LINUX,
    GW_PLAT_MACOS,
    GW_PLAT_WINDOWS,
    GW_PLAT_IOS,
    GW_PLAT_ANDROID
};

enum gw_platform_class gw_platform_classify(const char *platform, const char *device_family);

struct gw_policy {
    struct oc_strv allow, deny;
};
/* Reads gateway.nodes.allowCommands/denyCommands and gateway.nodes.commands.allow/deny. */
void gw_policy_load(struct gw_policy *p, const cJSON *config);
void gw_policy_finish(struct gw_policy *p);
/* Every command that some node of some platform is known to offer. ret must be empty. */
void gw_policy_known(struct oc_strv *ret);
bool gw_policy_allows(const struct gw_policy *p, enum gw_platform_class c, const char *command);
/* Keeps what is allowed; sorted, unique. ret must be empty. */
void gw_policy_filter(const struct gw_policy *p, enum gw_platform_class c,
        const struct oc_strv *declared, struct oc_strv *ret);

#endif
