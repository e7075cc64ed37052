#include "node/enrolled.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "protocol/identity.h"
#include "protocol/limits.h"
#include "protocol/scopes.h"

static cJSON *read_object(const char *state_dir, const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(state_dir, name);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    cJSON *doc = NULL;
    if (oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, NULL) != OC_OK || text.len == 0 ||
            oc_json_parse(text.data, text.len, &doc, NULL) != OC_OK) {
        return NULL;
    }
    return doc;
}

bool oc_node_is_enrolled(const char *state_dir, const char *host, uint16_t port) {
    OC_AUTO_JSON cJSON *node = read_object(state_dir, "node.json");
    OC_AUTO_JSON cJSON *device = read_object(state_dir, "identity/device.json");
    const cJSON *gateway = oc_json_get(node, "gateway");
    const char *device_id = oc_json_get_str(device, "deviceId");
    if (!device_id || !oc_streq(oc_json_get_str(gateway, "host"), host) ||
            oc_json_get_int(gateway, "port", 0) != port) {
        return false;
    }
    OC_AUTO_SECRET char *token = oc_device_auth_load(state_dir, device_id, OC_ROLE_NODE);
    return token != NULL;
}
