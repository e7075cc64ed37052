/* system.which: where programs are on this machine's PATH (docs/PROTOCOL.md#node-commands). */
#include "node/call/command.h"

#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "node/argv/paths/exec_path.h"

#include <limits.h>
#include <string.h>

enum { MAX_BINS = 512 }; /* each costs a look into every directory of PATH */

static void add_found(cJSON *found, const char *name) {
    OC_AUTO_FREE char *copy = oc_strdup(name);
    const char *bin = oc_trim(copy);
    OC_AUTO_FREE char *path = NULL;
    if (strlen(bin) > NAME_MAX || strchr(bin, '/') || oc_json_get(found, bin)) {
        return;
    }
    if (nd_exec_find(bin, NULL, nd_exec_search_path(), &path) == 0) {
        oc_json_set_str(found, bin, path);
    }
}

static void system_which_start(struct nd_call *call) {
    const cJSON *bins = oc_json_get(call->params, "bins"), *bin;
    if (!cJSON_IsArray(bins)) {
        nd_call_reply_error(call, OC_WIRE_INVALID, "Error: INVALID_REQUEST: bins required");
        return;
    }
    OC_AUTO_JSON cJSON *found = cJSON_CreateObject();
    int count = 0;
    cJSON_ArrayForEach(bin, bins) {
        if (!cJSON_IsString(bin)) {
            nd_call_reply_error(
                    call, OC_WIRE_INVALID, "Error: INVALID_REQUEST: bins must be strings");
            return;
        }
        if (++count > MAX_BINS) {
            nd_call_reply_error(call, OC_WIRE_INVALID, "Error: INVALID_REQUEST: at most 512 bins");
            return;
        }
        add_found(found, bin->valuestring);
    }
    cJSON *payload = cJSON_CreateObject();
    oc_json_set(payload, "bins", oc_take(&found));
    nd_call_reply_json(call, payload);
}

const struct nd_command nd_command_system_which = {
    .name = "system.which",
    .cap = "system",
    .summary = "Find programs on this machine's PATH",
    .needs_params = true,
    .is_pure = true,
    .start = system_which_start,
};
