/* V4L2 cameras, for machines without PipeWire. GStreamer's provider knows which of the /dev/video* take pictures. */
#include "platform/linux/media/cameras.h"

#include "base/mem.h"
#include "base/str.h"

#include <gst/gst.h>
#include <string.h>

/* Goes into a gst-launch line. */
static bool is_plain_path(const char *path) {
    return path && path[0] == '/' &&
           strspn(path, "/-_.:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
                   strlen(path);
}

static void add(struct oc_cameras *cameras, GstDevice *device) {
    GstStructure *props = gst_device_get_properties(device);
    const char *path = props ? gst_structure_get_string(props, "device.path") : NULL;
    if (gst_device_has_classes(device, "Video/Source") && is_plain_path(path)) {
        gchar *name = gst_device_get_display_name(device);
        oc_cameras_add(cameras, &(struct oc_camera){ .id = oc_strdup(path),
                                        .name = oc_strdup(name ? name : path),
                                        .device_type = oc_strdup("v4l2") });
        g_free(name);
    }
    if (props) {
        gst_structure_free(props);
    }
}

void oc_cameras_add_v4l2(struct oc_cameras *cameras) {
    gst_init(NULL, NULL);
    GstDeviceProvider *provider = gst_device_provider_factory_get_by_name("v4l2deviceprovider");
    if (!provider) {
        return;
    }
    GList *devices = gst_device_provider_get_devices(provider);
    for (GList *d = devices; d; d = d->next) {
        add(cameras, GST_DEVICE(d->data));
    }
    g_list_free_full(devices, gst_object_unref);
    gst_object_unref(provider);
}
