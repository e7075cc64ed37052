#include "node/owner/switches.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/json/json.h"
#include "node/owner/screen_token.h"

#include <string.h>
#include <time.h>

#define MAX_FILE ((size_t)64 * 1024)
enum { LOCK_TRIES = 300 };

static const struct nd_switch kinds[] = {
    { "announce", "", true, "Tell the person at the machine about every capture" },
    { "approvals", "APPROVALS_DISABLED", false,
            "Changes of exec-approvals.json through a gateway (your own on this machine may "
            "anyway)" },
    { "camera", "CAMERA_DISABLED", false,
            "Pictures of the cameras, and clips with the sound of the microphone" },
    { "canvas", "CANVAS_DISABLED", false, "A canvas on the screen" },
    { "location", "LOCATION_DISABLED", false, "Where this machine is" },
    { "screen", "SCREEN_DISABLED", false,
            "Pictures of the screen, and recordings with the sound that is played" },
};

const struct nd_switch *nd_switches(size_t *ret_count) {
    *ret_count = OC_COUNT(kinds);
    return kinds;
}

const struct nd_switch *nd_switch_find(const char *name) {
    for (size_t i = 0; i < OC_COUNT(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static enum oc_code switches_load(const char *path, cJSON **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    enum oc_code rc = oc_file_read(path, MAX_FILE, &text, err);
    if (rc == OC_E_NOT_FOUND) {
        *ret = cJSON_CreateObject();
        return OC_OK;
    }
    rc = rc == OC_OK ? oc_json_parse(text.data, text.len, ret, err) : rc;
    if (rc == OC_OK && !cJSON_IsObject(*ret)) {
        cJSON_Delete(oc_take(ret));
        rc = oc_fail(err, OC_E_CORRUPT, "%s: not an object", path);
    }
    return rc;
}

bool nd_switch_is_on(const char *path, const char *name) {
    const struct nd_switch *kind = nd_switch_find(name);
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    return kind && path && switches_load(path, &o, &err) == OC_OK &&
           oc_json_get_bool(o, name, kind->is_on_at_first);
}

enum oc_code nd_switches_check(const char *path, struct oc_error *err) {
    OC_AUTO_JSON cJSON *o = NULL;
    return switches_load(path, &o, err);
}

/* Two who change switches at a time must both have their way. Each holds it for one write. */
static enum oc_code take_lock(const char *path, int *ret_fd, struct oc_error *err) {
    OC_AUTO_FREE char *beside = oc_strfmt("%s.lock", path);
    enum oc_code rc;
    for (int i = 0; i < LOCK_TRIES; i++) {
        rc = oc_file_lock(beside, ret_fd, err);
        if (rc != OC_E_UNAVAILABLE) {
            return rc;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    return oc_fail(err, OC_E_UNAVAILABLE, "%s: somebody else is changing it", path);
}

enum oc_code nd_switch_set(const char *path, const char *name, bool on, struct oc_error *err) {
    if (!nd_switch_find(name)) {
        return oc_fail(err, OC_E_NOT_FOUND, "there is no switch '%s'", name);
    }
    OC_AUTO_FD int lock = -1;
    enum oc_code rc = take_lock(path, &lock, err);
    OC_AUTO_JSON cJSON *o = NULL;
    rc = rc == OC_OK ? switches_load(path, &o, err) : rc;
    if (rc != OC_OK) {
        return rc;
    }
    oc_json_set_int(o, "version", 1);
    oc_json_set_bool(o, name, on);
    OC_AUTO_FREE char *text = oc_json_print(o, true);
    rc = oc_file_write_private(path, text, strlen(text), err);
    if (rc == OC_OK && !on && strcmp(name, "screen") == 0) {
        nd_screen_token_forget(path); /* switched on again, the desktop asks again */
    }
    return rc;
}
