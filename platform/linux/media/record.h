/* A film of what a live source sends: H.264 and AAC in an MP4 file that browsers play while it
 * loads, in memory only.
 *
 *   start ─▶ first frame ─▶ … ─▶ duration over ─▶ end of stream ─▶ file
 *     │                       └─ no frame for a while (unplugged) ─▶ error that says after how long
 *     └─ no frame, or an error ─▶ error */
#ifndef PLATFORM_LINUX_MEDIA_RECORD_H
#define PLATFORM_LINUX_MEDIA_RECORD_H

#include "lib/base/error.h"

#include <gst/gst.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The microphone that the session prefers. */
#define OS_RECORD_MICROPHONE \
    "pipewiresrc do-timestamp=true stream-properties=\"props,media.class=Stream/Input/Audio\""

struct os_record_opts {
    const char *what;  /* "the camera", in error texts */
    const char *wire;  /* code when the source fails */
    const char *video; /* as a part of a gst-launch line: ends in raw video */
    const char *audio; /* the same for sound; NULL: none */
    int64_t duration_ms;
    int fps;
    int max_width;
    /* A frame like the last one is not encoded; the last one is shown for longer. The source must
     * keep to source_fps, a multiple of fps. */
    bool skips_unchanged;
    int source_fps;
    /* A machine too slow to encode them all loses frames. The source does not wait for it: one that
     * waits looks as if it were gone. */
    bool drops_late;
    int64_t stall_ms; /* no frame for so long: the source is gone */
    size_t max_bytes; /* of the file: decides about its quality */
    /* Before it starts, for what does not go into a line; may be NULL. */
    void (*prepare)(GstElement *pipeline, void *user);
    void *user;
};

struct os_recording {
    int fd; /* a memfd */
    int64_t duration_ms;
    bool has_audio;
    bool is_silent; /* it has, but nothing at all is to be heard */
};

enum oc_code os_record(const struct os_record_opts *opts, struct os_recording *ret,
        struct oc_error *err) OC_MUST_USE;

#endif
