/* camera.list → {devices:[{id,name,position?,deviceType}]} */
#include "platform/linux/media/camera/cameras.h"
#include "platform/linux/media/tasks.h"

void os_media_camera_list(const struct os_serve_request *request) {
    struct os_cameras cameras;
    struct oc_error err;
    if (os_cameras_list(request->params, &cameras, &err) != OC_OK) {
        os_media_fail(&err);
        return;
    }
    cJSON *devices = cJSON_CreateArray();
    for (size_t i = 0; i < cameras.count; i++) {
        cJSON *o = cJSON_CreateObject();
        oc_json_set_str(o, "id", cameras.items[i].id);
        oc_json_set_str(o, "name", cameras.items[i].name);
        oc_json_set_str(o, "position", cameras.items[i].position);
        oc_json_set_str(o, "deviceType", cameras.items[i].device_type);
        cJSON_AddItemToArray(devices, o);
    }
    os_cameras_finish(&cameras);
    cJSON *result = cJSON_CreateObject();
    oc_json_set(result, "devices", devices);
    os_serve_result(result, -1);
}
