/* The tasks of openclaw-media, one file each. Each answers exactly once. */
#ifndef PLATFORM_LINUX_MEDIA_TASKS_H
#define PLATFORM_LINUX_MEDIA_TASKS_H

#include "lib/base/error.h"
#include "platform/linux/helper/serve.h"

void oc_media_camera_clip(const struct oc_serve_request *request);
void oc_media_camera_list(const struct oc_serve_request *request);
void oc_media_camera_snap(const struct oc_serve_request *request);
void oc_media_check(const struct oc_serve_request *request);
void oc_media_play(const struct oc_serve_request *request);
void oc_media_screen_record(const struct oc_serve_request *request);
void oc_media_screen_snapshot(const struct oc_serve_request *request);

extern const struct oc_param oc_play_params[];

/* Answers with the error's wire code and text. */
void oc_media_fail(const struct oc_error *err);

#endif
