#include "platform/linux/media/gst_errors.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <string.h>

const char *os_gst_package(const char *element) {
    static const char *const table[][2] = { /* what its name begins with */
        { "aacparse", "gstreamer1.0-plugins-good" }, { "avenc", "gstreamer1.0-libav" },
        { "h264parse", "gstreamer1.0-plugins-bad" }, { "jpeg", "gstreamer1.0-plugins-good" },
        { "mp4mux", "gstreamer1.0-plugins-good" }, { "openh264", "gstreamer1.0-plugins-bad" },
        { "pipewire", "gstreamer1.0-pipewire" }, { "png", "gstreamer1.0-plugins-good" },
        { "v4l2", "gstreamer1.0-plugins-good" }, { "videoflip", "gstreamer1.0-plugins-good" },
        { "voaac", "gstreamer1.0-plugins-bad" }, { "x264", "gstreamer1.0-plugins-ugly" },
        { "waylandsink", "gstreamer1.0-plugins-bad" }, { "ximagesink", "gstreamer1.0-x" },
        { "ximagesrc", "gstreamer1.0-plugins-good" }
    };
    for (size_t i = 0; i < OC_COUNT(table); i++) {
        if (oc_starts_with(element, table[i][0])) {
            return table[i][1];
        }
    }
    return "gstreamer1.0-plugins-base";
}

bool os_gst_says_busy(const char *message) {
    return strcasestr(message, "busy") != NULL;
}
