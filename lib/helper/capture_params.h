/* What may be asked of captures and of the desktop, the same for the node that is asked, for the
 * helper programs run by hand and for the command line. docs/PROTOCOL.md#node-commands. */
#ifndef LIB_HELPER_CAPTURE_PARAMS_H
#define LIB_HELPER_CAPTURE_PARAMS_H

#include "lib/helper/params.h"

enum {
    OC_FILM_MIN_MS = 250,
    OC_FILM_MAX_MS = 60000,
    OC_CLIP_MS = 3000, /* unless given */
    OC_RECORD_MS = 10000,
    OC_RECORD_FPS = 10,
    OC_RECORD_MAX_FPS = 60,
    OC_SNAP_DELAY_MS = 2000,
    OC_SNAP_MAX_DELAY_MS = 10000,
    OC_PICTURE_MIN_WIDTH = 16,
    OC_PICTURE_MAX_WIDTH = 16384,
    OC_PLAY_MAX_BYTES = 64 * 1024 * 1024,
    OC_PLAY_MAX_MS = 30 * 60 * 1000,
    OC_LOCATE_MIN_MS = 250,
    OC_LOCATE_MAX_MS = 60000,
    OC_LOCATE_MS = 10000,
};

extern const struct oc_param oc_camera_snap_params[], oc_camera_clip_params[],
        oc_screen_record_params[], oc_screen_snapshot_params[], oc_location_params[],
        oc_locate_params[], /* what openclaw-desktop is asked for location.get */
        oc_notify_params[];

#endif
