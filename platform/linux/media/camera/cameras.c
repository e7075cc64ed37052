#include "platform/linux/media/camera/cameras.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNAVAILABLE "CAMERA_UNAVAILABLE"
enum { MAX_CONSENT_MS = 600000, DEFAULT_CONSENT_MS = 30000 };

void os_cameras_add(struct os_cameras *cameras, const struct os_camera *camera) {
    cameras->items = oc_realloc(cameras->items, (cameras->count + 1) * sizeof(cameras->items[0]));
    cameras->items[cameras->count++] = *camera;
}

const char *os_camera_position(const char *name) {
    OC_AUTO_FREE char *text = oc_strdup(name);
    if (!text) {
        return NULL;
    }
    oc_ascii_lower(text);
    if (strstr(text, "front")) {
        return "front";
    }
    return strstr(text, "back") || strstr(text, "rear") ? "back" : NULL;
}

/* Screen casts are video sources too. */
static bool is_camera(const struct os_pw_node *n) {
    return !n->role || strcmp(n->role, "Camera") == 0;
}

static int by_priority(const void *a, const void *b) {
    const struct os_camera *x = a, *y = b;
    if (x->priority != y->priority) {
        return x->priority > y->priority ? -1 : 1;
    }
    return strcmp(x->id, y->id);
}

static void add_nodes(struct os_cameras *ret, const struct os_camera_portal *portal) {
    for (size_t i = 0; i < ret->nodes.count; i++) {
        const struct os_pw_node *n = &ret->nodes.video_sources[i];
        if (is_camera(n)) {
            const char *name = oc_str_blank(n->description) ? n->name : n->description;
            /* libcamera knows where it looks; others at most say it in their name. */
            os_cameras_add(ret, &(struct os_camera){ .id = oc_strdup(n->name),
                                        .name = oc_strdup(name),
                                        .position = os_camera_position(
                                                n->location ? n->location : n->description),
                                        .device_type = oc_strdup(n->api ? n->api : "pipewire"),
                                        .priority = n->priority,
                                        .node = n,
                                        .portal = portal });
        }
    }
}

/* As os_camera_portal_ask, when there is none. */
static enum oc_code add_from_portal(
        struct os_cameras *ret, int64_t consent_ms, struct oc_error *err) {
    struct os_pw_nodes nodes = { 0 };
    struct oc_error pw;
    int fd = -1;
    enum oc_code rc = os_camera_portal_ask(consent_ms, &ret->portal, err);
    rc = rc == OC_OK ? os_camera_portal_open(&ret->portal, &fd, err) : rc;
    if (rc != OC_OK) {
        return rc;
    }
    rc = os_pw_nodes_list(fd, &nodes, &pw);
    if (rc != OC_OK) {
        return oc_fail_wire(err, rc, UNAVAILABLE, "by the desktop's portal: %s", pw.text);
    }
    /* There is a microphone where there was one: the portal shows cameras and nothing else. */
    nodes.has_audio_source = ret->nodes.has_audio_source;
    os_pw_nodes_finish(&ret->nodes);
    ret->nodes = nodes;
    add_nodes(ret, &ret->portal);
    return ret->count > 0 ? OC_OK
                          : oc_fail_wire(err, OC_E_UNAVAILABLE, UNAVAILABLE,
                                    "the desktop's portal allows the camera, but "
                                    "PipeWire does not show it");
}

static enum oc_code cameras_complain(enum oc_code rc, const struct oc_error *pw,
        const struct oc_error *portal, struct oc_error *err) {
    const char *also = portal ? "; " : "", *text = portal ? portal->text : "";
    if (rc == OC_E_DENIED) {
        return oc_fail_wire(err, rc, "CAMERA_PERMISSION_REQUIRED", "%s%s%s", pw->text, also, text);
    }
    return oc_fail_wire(err, rc, UNAVAILABLE, "no V4L2 camera, and %s%s%s", pw->text, also, text);
}

enum oc_code os_cameras_list(const cJSON *params, struct os_cameras *ret, struct oc_error *err) {
    *ret = (struct os_cameras){ 0 };
    struct oc_error pw, portal;
    enum oc_code rc = os_pw_nodes_list(-1, &ret->nodes, &pw), asked = OC_E_NOT_FOUND;
    add_nodes(ret, NULL);
    if (ret->count == 0) {
        os_cameras_add_v4l2(ret);
    }
    /* A PipeWire that hangs hangs behind the portal too: nobody is asked in vain. */
    int64_t consent_ms =
            oc_json_clamp_int(params, "consentMs", 0, MAX_CONSENT_MS, DEFAULT_CONSENT_MS);
    if (ret->count == 0 && rc != OC_E_TIMEOUT && consent_ms > 0) {
        asked = add_from_portal(ret, consent_ms, &portal);
    }
    if (ret->count == 0 && asked != OC_E_NOT_FOUND && asked != OC_E_CLOSED) {
        *err = portal;
        return asked;
    }
    if (ret->count == 0 && ret->refused) {
        return oc_fail_wire(err, OC_E_DENIED, "CAMERA_PERMISSION_REQUIRED",
                "%s is not for this user; sudo usermod -aG video "
                "\"$USER\", then log in again",
                ret->refused);
    }
    if (ret->count == 0 && rc == OC_OK && !ret->nodes.has_manager) {
        return oc_fail_wire(err, OC_E_UNAVAILABLE, UNAVAILABLE, "no camera, and " OS_PW_NO_MANAGER);
    }
    if (ret->count == 0 && rc != OC_OK) {
        return cameras_complain(rc, &pw, asked == OC_E_CLOSED ? &portal : NULL, err);
    }
    if (ret->count > 0) {
        qsort(ret->items, ret->count, sizeof(ret->items[0]), by_priority);
    }
    return OC_OK;
}

void os_cameras_finish(struct os_cameras *cameras) {
    for (size_t i = 0; i < cameras->count; i++) {
        oc_free(cameras->items[i].id);
        oc_free(cameras->items[i].name);
        oc_free(cameras->items[i].device_type);
        oc_free(cameras->items[i].path);
        os_camera_formats_finish(&cameras->items[i].formats);
    }
    oc_free(cameras->refused);
    oc_free(cameras->items);
    os_pw_nodes_finish(&cameras->nodes);
    *cameras = (struct os_cameras){ 0 };
}

static const struct os_camera *cameras_looking(
        const struct os_cameras *cameras, const char *facing) {
    for (size_t i = 0; i < cameras->count; i++) {
        if (oc_streq(cameras->items[i].position, facing)) {
            return &cameras->items[i];
        }
    }
    return NULL;
}

/* A machine that does not know which way its cameras look still has one to use. */
static const struct os_camera *cameras_for(const struct os_cameras *cameras, const char *facing) {
    const struct os_camera *found = facing ? cameras_looking(cameras, facing) : NULL;
    found = found ? found : cameras_looking(cameras, NULL);
    return found ? found : &cameras->items[0];
}

bool os_cameras_is_both_sides(const struct os_cameras *cameras, const struct os_camera *camera) {
    return cameras_for(cameras, "front") == camera && cameras_for(cameras, "back") == camera;
}

enum oc_code os_cameras_pick(const struct os_cameras *cameras, const char *device_id,
        const char *facing, const struct os_camera **ret, struct oc_error *err) {
    for (size_t i = 0; device_id && i < cameras->count; i++) {
        if (strcmp(cameras->items[i].id, device_id) == 0 ||
                oc_streq(cameras->items[i].path, device_id)) {
            *ret = &cameras->items[i];
            return OC_OK;
        }
    }
    if (device_id) {
        return oc_fail_wire(err, OC_E_NOT_FOUND, UNAVAILABLE,
                "there is no camera '%s'; camera.list tells the ids", device_id);
    }
    if (cameras->count == 0) {
        return oc_fail_wire(err, OC_E_NOT_FOUND, UNAVAILABLE, "no camera is connected");
    }
    *ret = cameras_for(cameras, facing);
    return OC_OK;
}

static char *node_source(const struct os_camera *camera) {
    OC_AUTO_FREE char *remote =
            camera->portal ? oc_strfmt("fd=%d ", camera->portal->capture_fd) : oc_strdup("");
    /* always-copy: the memory of a camera that is unplugged goes while its last pictures are still
     * being looked at. */
    return oc_strfmt("pipewiresrc %starget-object=%s do-timestamp=true always-copy=true", remote,
            camera->node->serial);
}

static char *v4l2_source(const struct os_camera *camera) {
    return oc_strfmt("v4l2src device=%s%s do-timestamp=true", camera->path,
            camera->has_no_aspect ? " pixel-aspect-ratio=1/1" : "");
}

char *os_camera_source(const struct os_camera *camera, int wanted_width, double fluent_fps) {
    const struct os_camera_format *f = os_camera_formats_choose(
            camera->node ? &camera->node->formats : &camera->formats, wanted_width, fluent_fps);
    OC_AUTO_FREE char *source = camera->node ? node_source(camera) : v4l2_source(camera);
    if (!f) {
        return oc_strfmt("%s ! decodebin", source);
    }
    /* V4L2's would take the highest rate. */
    OC_AUTO_FREE char *rate = camera->node || f->fps == 0
                                      ? oc_strdup("")
                                      : oc_strfmt(",framerate=[0/1,%d/1]", (int)ceil(f->fps));
    return oc_strfmt("%s ! %s,width=%d,height=%d%s%s", source,
            f->is_jpeg ? "image/jpeg" : "video/x-raw", f->width, f->height, rate,
            f->is_jpeg ? " ! jpegdec" : "");
}

static char *cameras_reason(const struct os_camera *camera) {
    struct oc_error err;
    int fd = -1;
    if (!camera->node) {
        return oc_strdup(access(camera->path, F_OK) == 0 ? "" : ": it was unplugged");
    }
    if (camera->portal && os_camera_portal_open(camera->portal, &fd, &err) != OC_OK) {
        return oc_strfmt("; %s", err.text);
    }
    return os_pw_node_complaint(fd, camera->node->serial);
}

void os_camera_explain(const struct os_camera *camera, struct oc_error *err) {
    if (oc_streq(err->wire, UNAVAILABLE)) {
        OC_AUTO_FREE char *why = cameras_reason(camera);
        size_t len = strlen(err->text);
        len -= len > 0 && why[0] && err->text[len - 1] == '.'; /* GStreamer's own words */
        OC_AUTO_FREE char *text = oc_strfmt("%.*s%s", (int)len, err->text, why);
        struct oc_grounds grounds = err->grounds;
        oc_fail_wire(err, err->code, err->wire, "%s", text);
        err->grounds = grounds;
    }
}
