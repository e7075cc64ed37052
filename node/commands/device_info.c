/* device.info (docs/PROTOCOL.md#node-commands): what this machine is. */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "node/commands/host.h"

#include <stdlib.h>
#include <string.h>

static bool is_available(const struct nd_machine *machine) {
    return machine->platform->device_info != NULL;
}

/* "de_AT.UTF-8@euro" as the rest of the world writes it: "de-AT"; "und", undetermined, for the
 * language of the machine. */
static char *device_info_locale(void) {
    static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
    const char *value = NULL;
    for (size_t i = 0; i < OC_COUNT(names) && oc_str_blank(value); i++) {
        value = getenv(names[i]);
    }
    size_t len = value ? strcspn(value, ".@") : 0;
    if (len == 0 || strncmp(value, "C", len) == 0 || strncmp(value, "POSIX", len) == 0) {
        return oc_strdup("und");
    }
    char *tag = oc_strfmt("%.*s", (int)(len < 32 ? len : 32), value);
    for (char *c = tag; *c; c++) {
        if (*c == '_') {
            *c = '-';
        }
    }
    return tag;
}

static void device_info_start(struct nd_call *call) {
    struct os_device_info d;
    call->host->machine.platform->device_info(&d);
    OC_AUTO_FREE char *tag = device_info_locale();
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "deviceName", d.name);
    oc_json_set_str(o, "modelIdentifier", d.model);
    oc_json_set_str(o, "systemName", d.system_name);
    oc_json_set_str(o, "systemVersion", d.system_version);
    oc_json_set_str(o, "appVersion", OC_VERSION);
    oc_json_set_str(o, "appBuild", OC_VERSION);
    oc_json_set_str(o, "locale", tag);
    oc_json_set_str(o, "kernelVersion", d.kernel); /* these two are ours */
    oc_json_set_str(o, "architecture", d.machine);
    nd_call_reply_json(call, o);
}

const struct nd_command nd_command_device_info = {
    .name = "device.info",
    .cap = "device",
    .summary = "What this machine is",
    .is_pure = true,
    .available = is_available,
    .start = device_info_start,
};
