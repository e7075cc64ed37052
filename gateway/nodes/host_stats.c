#include "gateway/nodes/host_stats.h"

#include "lib/base/mem.h"

#define MAX_LOAD 100000.0
#define NOT_GIVEN (-1)

struct stats {
    int64_t cpus, memory_total, memory_free, disk_total, disk_available;
    const cJSON *load;
};
#define T struct stats
static const struct oc_json_field fields[] = {
    OC_INT(T, cpus, "cpuCount", OC_REQUIRED, 1, 4096),
    OC_ANY(T, load, "loadAverage", 0),
    OC_INT(T, memory_total, "memoryTotalBytes", OC_REQUIRED, 0, OC_JSON_MAX_EXACT),
    OC_INT(T, memory_free, "memoryFreeBytes", OC_REQUIRED, 0, OC_JSON_MAX_EXACT),
    OC_INT(T, disk_total, "diskTotalBytes", 0, 0, OC_JSON_MAX_EXACT),
    OC_INT(T, disk_available, "diskAvailableBytes", 0, 0, OC_JSON_MAX_EXACT),
};
#undef T

static bool is_load(const cJSON *load) {
    const cJSON *v = NULL;
    double one;
    cJSON_ArrayForEach(v, load) {
        if (!oc_json_as_num(v, 0, MAX_LOAD, &one)) {
            return false;
        }
    }
    return cJSON_IsArray(load) && cJSON_GetArraySize(load) == 3;
}

cJSON *gw_host_stats_read(const cJSON *payload, int64_t now_ms) {
    struct stats s = { .disk_total = NOT_GIVEN, .disk_available = NOT_GIVEN };
    struct oc_error ignored;
    if (!cJSON_IsObject(payload) ||
            oc_json_decode(payload, "", fields, OC_COUNT(fields), &s, &ignored) != OC_OK) {
        return NULL;
    }
    bool is_sound = s.memory_free <= s.memory_total && s.disk_available <= s.disk_total &&
                    (s.disk_total == NOT_GIVEN) == (s.disk_available == NOT_GIVEN) &&
                    (!s.load || is_load(s.load));
    if (!is_sound) {
        return NULL;
    }
    cJSON *kept = cJSON_CreateObject(); /* and nothing else that may have come along */
    for (size_t i = 0; i < OC_COUNT(fields); i++) {
        const cJSON *v = oc_json_get(payload, fields[i].key);
        oc_json_set(kept, fields[i].key, v ? cJSON_Duplicate(v, true) : NULL);
    }
    oc_json_set_int(kept, "updatedAtMs", now_ms);
    return kept;
}
