/* Whether there is a camera, for `check`. */
#include "platform/linux/media/camera/cameras.h"
#include "platform/linux/media/tasks.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

enum { MAX_TEXT = 1024 };

static void add_names(const struct os_cameras *cameras, struct oc_buf *out) {
    for (size_t i = 0; i < cameras->count; i++) {
        oc_buf_printf(out, "%s%s", i > 0 ? ", " : "", cameras->items[i].name);
    }
    oc_buf_puts(out, cameras->nodes.has_audio_source ? "; a microphone for the sound of clips"
                                                     : "; no microphone, so clips have no sound");
}

void os_media_check_camera(cJSON *checks) {
    struct os_cameras cameras;
    struct oc_error err;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_TEXT);
    OC_AUTO_JSON cJSON *nobody_is_asked = cJSON_CreateObject();
    oc_json_set_int(nobody_is_asked, "consentMs", 0);
    enum oc_code rc = os_cameras_list(nobody_is_asked, &cameras, &err);
    if (rc == OC_OK && cameras.count > 0) {
        add_names(&cameras, &text);
        os_serve_add_check(checks, "camera", true, text.data, NULL);
    } else if (rc == OC_E_DENIED && cameras.refused) {
        OC_AUTO_FREE char *why = oc_strfmt("%s is not for this user", cameras.refused);
        os_serve_add_check(checks, "camera", false, why,
                "sudo usermod -aG video \"$USER\", then log in again");
    } else if (rc == OC_OK) {
        os_serve_add_check(checks, "camera", false,
                "PipeWire runs, but it shows no camera, unless the desktop's camera portal has "
                "one: "
                "that asks the person at the machine",
                "connect a camera; openclaw nodes camera list shows what is seen");
    } else {
        os_serve_add_check(checks, "camera", false, err.text,
                "systemctl --user enable --now pipewire.socket wireplumber.service");
    }
    os_cameras_finish(&cameras);
}
