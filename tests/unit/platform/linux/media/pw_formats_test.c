/* What a node says about its pictures, by a program that lies: values that are smaller than their
 * type, of no size, of another type. Under the sanitizers a byte too far ends the test. */
#include "platform/linux/media/pw_formats.h"

#include "tests/unit/unit.h"

#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>

enum { CHILDREN = 4 };

/* A format whose size is a choice of rectangles that have so many bytes each. */
static struct spa_pod *format_with(uint32_t child_size, uint32_t child_type, bool is_choice) {
    struct prop {
        uint32_t key, flags;
        struct spa_pod value;
    };
    uint32_t type = SPA_MEDIA_TYPE_video, subtype = SPA_MEDIA_SUBTYPE_raw;
    size_t body = is_choice ? sizeof(struct spa_pod_choice_body) + (size_t)child_size * CHILDREN
                            : child_size;
    size_t padded = (body + 7) / 8 * 8;
    size_t total = sizeof(struct spa_pod_object) + 2 * (sizeof(struct prop) + 8) +
                   sizeof(struct prop) + padded;
    /* exactly as long as it says, so that what is behind it belongs to somebody else */
    struct spa_pod_object *object = calloc(1, total);
    object->pod.size = (uint32_t)(total - sizeof(struct spa_pod));
    object->pod.type = SPA_TYPE_Object;
    object->body.type = SPA_TYPE_OBJECT_Format;
    object->body.id = SPA_PARAM_EnumFormat;
    char *at = (char *)(object + 1);
    const uint32_t ids[][2] = { { SPA_FORMAT_mediaType, type },
        { SPA_FORMAT_mediaSubtype, subtype } };
    for (size_t i = 0; i < OC_COUNT(ids); i++) {
        struct prop p = { .key = ids[i][0], .value = { .size = 4, .type = SPA_TYPE_Id } };
        memcpy(at, &p, sizeof(p));
        memcpy(at + sizeof(p), &ids[i][1], 4);
        at += sizeof(p) + 8;
    }
    struct prop size = { .key = SPA_FORMAT_VIDEO_size,
        .value = { .size = (uint32_t)body, .type = is_choice ? SPA_TYPE_Choice : child_type } };
    memcpy(at, &size, sizeof(size));
    at += sizeof(size);
    if (is_choice) {
        struct spa_pod_choice_body choice = { .type = SPA_CHOICE_Enum,
            .child = { .size = child_size, .type = child_type } };
        memcpy(at, &choice, sizeof(choice));
        at += sizeof(choice);
    }
    for (size_t i = 0; i + 4 <= (size_t)child_size * (is_choice ? CHILDREN : 1); i += 4) {
        at[i] = 64;
    }
    return &object->pod;
}

static size_t formats_of(uint32_t child_size, uint32_t child_type, bool is_choice) {
    struct spa_pod *pod = format_with(child_size, child_type, is_choice);
    struct os_pw_node node = { 0 };
    os_pw_formats_add(&node, pod);
    size_t count = node.formats.count;
    os_camera_formats_finish(&node.formats);
    free(pod);
    return count;
}

static void values_of_the_wrong_size_are_not_read(void **state) {
    (void)state;
    for (uint32_t size = 0; size < 8; size += 1) {
        assert_int_equal(formats_of(size, SPA_TYPE_Rectangle, true), 0);
        assert_int_equal(formats_of(size, SPA_TYPE_Rectangle, false), 0);
    }
    assert_int_equal(formats_of(16, SPA_TYPE_Rectangle, true), 0);
    assert_int_equal(formats_of(8, SPA_TYPE_Int, true), 0);
    assert_int_equal(
            formats_of(8, SPA_TYPE_Rectangle, true), CHILDREN - 1); /* all but the default */
}

static void honest_ones_are(void **state) {
    (void)state;
    uint8_t bytes[1024];
    struct spa_pod_builder b = SPA_POD_BUILDER_INIT(bytes, sizeof(bytes));
    const struct spa_pod *pod = spa_pod_builder_add_object(&b, SPA_TYPE_OBJECT_Format,
            SPA_PARAM_EnumFormat, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
            SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_mjpg), SPA_FORMAT_VIDEO_size,
            SPA_POD_CHOICE_ENUM_Rectangle(3, &SPA_RECTANGLE(640, 480), &SPA_RECTANGLE(640, 480),
                    &SPA_RECTANGLE(320, 240)),
            SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&SPA_FRACTION(30, 1)));
    struct os_pw_node node = { 0 };
    os_pw_formats_add(&node, pod);
    assert_int_equal(node.formats.count, 2);
    assert_int_equal(node.formats.items[1].width, 320);
    assert_true(node.formats.items[0].is_jpeg && node.formats.items[0].fps > 29);
    os_camera_formats_finish(&node.formats);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_the_wrong_size_are_not_read),
        cmocka_unit_test(honest_ones_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
