/* The tasks of openclaw-media, one file each. Each answers exactly once. */
#ifndef PLATFORM_LINUX_MEDIA_TASKS_H
#define PLATFORM_LINUX_MEDIA_TASKS_H

#include "lib/base/error.h"
#include "lib/json/json.h"
#include "platform/linux/helper/serve.h"

void os_media_camera_clip(const struct os_serve_request *request);
void os_media_camera_list(const struct os_serve_request *request);
void os_media_camera_snap(const struct os_serve_request *request);
void os_media_check(const struct os_serve_request *request);
void os_media_play(const struct os_serve_request *request);
void os_media_screen_record(const struct os_serve_request *request);
void os_media_screen_snapshot(const struct os_serve_request *request);

extern const struct oc_param os_play_params[];

/* Parts of os_media_check: what each finds goes into the array. */
void os_media_check_camera(cJSON *checks);
void os_media_check_screen(cJSON *checks);

/* Answers with the error's wire code, text and grounds. */
void os_media_fail(const struct oc_error *err);

#endif
