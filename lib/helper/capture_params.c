#include "lib/helper/capture_params.h"

#define PICTURE_QUALITY \
    { .name = "quality", OC_PARAM_NUMBER, 0.9, 0.05, 1 }
#define SCREEN \
    { .name = "screenIndex", OC_PARAM_INDEX, 0, 0, 63 } /* the helper knows how many */
#define SOUND \
    { .name = "includeAudio", OC_PARAM_BOOL, .missing = 1 }

static const char *const facings[] = { "front", "back", NULL };
static const char *const pictures[] = { "jpg", "jpeg", "png", NULL };
static const char *const films[] = { "mp4", NULL };
static const char *const priorities[] = { "passive", "active", "timeSensitive", NULL };
static const char *const deliveries[] = { "system", "overlay", "auto", NULL };
static const char *const accuracies[] = { "coarse", "balanced", "precise", NULL };

const struct oc_param oc_camera_snap_params[] = {
    { .name = "format", OC_PARAM_WORD, .word = "jpg", .words = pictures },
    { .name = "facing", OC_PARAM_WORD, .words = facings },
    { .name = "deviceId", OC_PARAM_WORD },
    { .name = "maxWidth", OC_PARAM_INT, 1600, OC_PICTURE_MIN_WIDTH, OC_PICTURE_MAX_WIDTH },
    { .name = "delayMs", OC_PARAM_INT, OC_SNAP_DELAY_MS, 0, OC_SNAP_MAX_DELAY_MS },
    PICTURE_QUALITY,
    { .name = "phases", OC_PARAM_BOOL }, /* for who measures */
    { 0 },
};

const struct oc_param oc_camera_clip_params[] = {
    { .name = "format", OC_PARAM_WORD, .word = "mp4", .words = films },
    { .name = "facing", OC_PARAM_WORD, .words = facings },
    { .name = "deviceId", OC_PARAM_WORD },
    { .name = "durationMs", OC_PARAM_INT, OC_CLIP_MS, OC_FILM_MIN_MS, OC_FILM_MAX_MS },
    SOUND,
    { 0 },
};

const struct oc_param oc_screen_record_params[] = {
    { .name = "format",
            OC_PARAM_WORD,
            .word = "mp4",
            .words = films,
            .must = "screen format must be mp4" },
    SCREEN,
    { .name = "durationMs", OC_PARAM_INT, OC_RECORD_MS, OC_FILM_MIN_MS, OC_FILM_MAX_MS },
    { .name = "fps", OC_PARAM_INT, OC_RECORD_FPS, 1, OC_RECORD_MAX_FPS },
    SOUND,
    { 0 },
};

const struct oc_param oc_screen_snapshot_params[] = {
    { .name = "format",
            OC_PARAM_WORD,
            .word = "jpg",
            .words = pictures,
            .must = "screen format must be jpg or png" },
    SCREEN,
    { .name = "maxWidth",
            OC_PARAM_INT,
            OC_PICTURE_MAX_WIDTH,
            OC_PICTURE_MIN_WIDTH,
            OC_PICTURE_MAX_WIDTH },
    PICTURE_QUALITY,
    { 0 },
};

const struct oc_param oc_notify_params[] = {
    { .name = "title", OC_PARAM_TEXT },
    { .name = "body", OC_PARAM_TEXT },
    { .name = "sound", OC_PARAM_TEXT },
    { .name = "priority",
            OC_PARAM_WORD,
            .words = priorities,
            .must = "priority must be passive, active or timeSensitive" },
    { .name = "delivery",
            OC_PARAM_WORD,
            .words = deliveries,
            .must = "delivery must be system, overlay or auto" },
    { 0 },
};

#define LOCATE_TIME \
    { .name = "timeoutMs", OC_PARAM_INT, OC_LOCATE_MS, OC_LOCATE_MIN_MS, OC_LOCATE_MAX_MS }
#define ACCURACY                                                                           \
    {                                                                                      \
        .name = "desiredAccuracy", OC_PARAM_WORD, .word = "balanced", .words = accuracies, \
        .must = "desiredAccuracy must be coarse, balanced or precise"                      \
    }

const struct oc_param oc_location_params[] = {
    LOCATE_TIME,
    { .name = "maxAgeMs", OC_PARAM_INT, 0, 0, 24.0 * 3600 * 1000 },
    ACCURACY,
    { 0 },
};

const struct oc_param oc_locate_params[] = {
    LOCATE_TIME,
    ACCURACY,
    { .name = "gpsd", OC_PARAM_WORD },
    { 0 },
};
