/* camera.list → {devices:[{id,name,position?,deviceType}]} */
#include "platform/linux/media/camera/cameras.h"
#include "platform/linux/media/tasks.h"

void oc_media_camera_list(const struct oc_serve_request *request) {
    struct oc_cameras cameras;
    struct oc_error err;
    if (oc_cameras_list(request->params, &cameras, &err) != OC_OK) {
        oc_media_fail(&err);
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
    oc_cameras_finish(&cameras);
    cJSON *result = cJSON_CreateObject();
    oc_json_set(result, "devices", devices);
    oc_serve_result(result, -1);
}
