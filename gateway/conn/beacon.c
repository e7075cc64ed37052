#include "gateway/conn/beacon.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/protocol/limits.h"

#include <string.h>
#include <strings.h>

#define DOT "·"
#define MAX_SECONDS INT32_MAX

/* The next part of a text that is divided by dots; NULL when there is none. */
static char *next_part(char **rest) {
    if (!*rest) {
        return NULL;
    }
    char *part = *rest, *dot = strstr(part, DOT);
    *rest = dot ? dot + strlen(DOT) : NULL;
    if (dot) {
        *dot = '\0';
    }
    return oc_trim(part);
}

/* What follows a word, without the white space between them; NULL when there is nothing or it is
 * another word. */
static char *beacon_after(char *part, const char *word) {
    if (!part || strncasecmp(part, word, strlen(word)) != 0) {
        return NULL;
    }
    char *value = oc_trim(part + strlen(word));
    return *value ? value : NULL;
}

static bool read_host(char *part, cJSON *into) {
    char *host = beacon_after(part, "Node:");
    char *open = host ? strchr(host, '(') : NULL, *close = open ? strchr(open, ')') : NULL;
    if (!close || close == open + 1 || open == host) {
        return false;
    }
    *open = *close = '\0';
    oc_json_set_str(into, "host", oc_trim(host));
    oc_json_set_str(into, "ip", oc_trim(open + 1));
    return true;
}

/* All of it or nothing. */
static void read_text(const char *text, cJSON *into) {
    OC_AUTO_FREE char *copy = oc_strdup(text);
    OC_AUTO_JSON cJSON *found = cJSON_CreateObject();
    char *rest = copy;
    bool has_host = read_host(next_part(&rest), found);
    const char *version = beacon_after(next_part(&rest), "app");
    char *input = beacon_after(next_part(&rest), "last input");
    const char *mode = beacon_after(next_part(&rest), "mode");
    const char *reason = rest ? beacon_after(oc_trim(rest), "reason") : NULL;
    char *unit = input ? strstr(input, "s ago") : NULL;
    int64_t seconds;
    if (!has_host || !version || !mode || !reason || !unit) {
        return;
    }
    *unit = '\0';
    if (!oc_parse_int(input, 0, MAX_SECONDS, &seconds)) {
        return;
    }
    oc_json_set_str(into, "host", oc_json_get_str(found, "host"));
    oc_json_set_str(into, "ip", oc_json_get_str(found, "ip"));
    oc_json_set_str(into, "version", version);
    oc_json_set_int(into, "lastInputSeconds", seconds);
    oc_json_set_str(into, "mode", mode);
    oc_json_set_str(into, "reason", reason);
}

static enum oc_code read_string(
        const cJSON *params, const char *key, cJSON *into, struct oc_error *err) {
    const char *value = oc_json_get_str(params, key);
    if (oc_str_blank(value)) {
        return OC_OK;
    }
    if (strlen(value) > OC_MAX_NAME_BYTES) {
        return oc_fail(
                err, OC_E_INVALID, "at /%s: must be at most %d bytes", key, OC_MAX_NAME_BYTES);
    }
    oc_json_set_str(into, key, value);
    return OC_OK;
}

static enum oc_code read_list(
        const cJSON *params, const char *key, cJSON *into, struct oc_error *err) {
    const cJSON *list = oc_json_get(params, key), *item = NULL;
    OC_AUTO_STRV struct oc_strv kept = { 0 };
    if (!cJSON_IsArray(list)) {
        return OC_OK;
    }
    cJSON_ArrayForEach(item, list) {
        if (!cJSON_IsString(item)) {
            return OC_OK; /* one that is none: the whole list counts as not given */
        }
        if (strlen(item->valuestring) > OC_MAX_NAME_BYTES || kept.count == OC_MAX_SCOPES) {
            return oc_fail(err, OC_E_INVALID, "at /%s: at most %d of at most %d bytes each", key,
                    OC_MAX_SCOPES, OC_MAX_NAME_BYTES);
        }
        if (!oc_str_blank(item->valuestring)) {
            oc_strv_add_unique(&kept, item->valuestring);
        }
    }
    if (kept.count > 0) {
        oc_json_set_strv(into, key, &kept);
    }
    return OC_OK;
}

enum oc_code gw_beacon_read(const cJSON *params, cJSON **ret, struct oc_error *err) {
    static const char *const strings[] = { "deviceId", "instanceId", "host", "ip", "mode",
        "version", "platform", "deviceFamily", "modelIdentifier", "reason" };
    static const char *const lists[] = { "roles", "scopes", "tags" };
    const char *given = oc_json_get_str(params, "text");
    if (oc_str_blank(given)) {
        return oc_fail(err, OC_E_INVALID, "text required");
    }
    if (strlen(given) > OC_MAX_BEACON_BYTES) {
        return oc_fail(err, OC_E_INVALID, "text must be at most %d bytes", OC_MAX_BEACON_BYTES);
    }
    OC_AUTO_FREE char *copy = oc_strdup(given);
    const char *text = oc_trim(copy);
    OC_AUTO_JSON cJSON *fields = cJSON_CreateObject();
    read_text(text, fields);
    oc_json_set_str(fields, "text", text);
    for (size_t i = 0; i < OC_COUNT(strings); i++) {
        enum oc_code rc = read_string(params, strings[i], fields, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    for (size_t i = 0; i < OC_COUNT(lists); i++) {
        enum oc_code rc = read_list(params, lists[i], fields, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    double idle_s;
    if (oc_json_as_num(oc_json_get(params, "lastInputSeconds"), 0, MAX_SECONDS, &idle_s)) {
        oc_json_set_int(fields, "lastInputSeconds", (int64_t)idle_s);
    }
    *ret = oc_take(&fields);
    return OC_OK;
}
