/* A GStreamer pipeline whose source may hang: it is started and stopped from threads of their own,
 * and waited for only so long. */
#ifndef PLATFORM_LINUX_MEDIA_PIPELINE_H
#define PLATFORM_LINUX_MEDIA_PIPELINE_H

#include "lib/base/error.h"

#include <gst/gst.h>
#include <stdbool.h>
#include <stdint.h>

struct os_stopping;

struct os_pipeline {
    GstElement *bin;
    struct os_stopping *stopping;
    const char *wire; /* code of an error of its source: "CAMERA_UNAVAILABLE" */
};

/* As gst-launch(1) takes it. A plugin that is missing is named with its package. */
enum oc_code os_pipeline_open(const char *line, const char *wire, struct os_pipeline *ret,
        struct oc_error *err) OC_MUST_USE;
void os_pipeline_play(struct os_pipeline *p);
/* Waits up to wait_ms for an error (returned) or the end. */
enum oc_code os_pipeline_watch(
        struct os_pipeline *p, int wait_ms, bool *ret_ended, struct oc_error *err) OC_MUST_USE;
/* Begins to let go of the source, while there is something else to do; os_pipeline_leave waits for
 * it, but not forever. A source that is left without being stopped may be useless to those who come
 * next: PipeWire does not get the buffers back that were with us. */
void os_pipeline_begin_leave(struct os_pipeline *p);
void os_pipeline_leave(struct os_pipeline *p);
/* Stops it and waits; only for pipelines without a live source. */
void os_pipeline_close(struct os_pipeline *p);

bool os_pipeline_has_element(const char *factory);
int64_t os_pipeline_now_ms(void);

#endif
