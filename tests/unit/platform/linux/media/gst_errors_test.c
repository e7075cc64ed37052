/* Which package an element is in, and what a text of GStreamer says. */
#include "platform/linux/media/gst_errors.h"

#include "lib/base/error.h"
#include "lib/base/mem.h"
#include "lib/helper/failure.h"
#include "tests/unit/unit.h"

static void elements_have_packages(void **state) {
    static const char *const cases[][2] = {
        { "x264enc", "gstreamer1.0-plugins-ugly" },
        { "openh264enc", "gstreamer1.0-plugins-bad" },
        { "h264parse", "gstreamer1.0-plugins-bad" },
        { "avenc_aac", "gstreamer1.0-libav" },
        { "pngenc", "gstreamer1.0-plugins-good" },
        { "ximagesink", "gstreamer1.0-x" },
        { "ximagesrc", "gstreamer1.0-plugins-good" },
        { "playbin", "gstreamer1.0-plugins-base" },
        { "pipewiresrc", "gstreamer1.0-pipewire" },
        { "videoconvert", "gstreamer1.0-plugins-base" },
    };
    (void)state;
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        const char *package = os_gst_package(cases[i][0]);
        assert_string_equal(package, cases[i][1]);
        /* The node passes it on. */
        struct oc_error err;
        struct oc_grounds got;
        OC_AUTO_JSON cJSON *answer = cJSON_CreateObject();
        (void)oc_fail_not_installed(&err, package, "no %s", cases[i][0]);
        oc_failure_put(answer, &err.grounds);
        oc_failure_read(answer, &got);
        assert_int_equal(got.remedy, OC_REMEDY_INSTALL_PACKAGE);
        assert_string_equal(got.subject, package);
    }
}

static void busy_is_said_in_words(void **state) {
    (void)state;
    assert_true(os_gst_says_busy("stream error: Device or resource busy"));
    assert_true(os_gst_says_busy("Device '/dev/video0' is busy"));
    assert_false(os_gst_says_busy("stream error: no target node available"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_have_packages),
        cmocka_unit_test(busy_is_said_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
