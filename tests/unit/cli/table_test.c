#include "cli/table.h"

#include "cli/text.h"
#include "lib/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ID "8767a619aadbe7f3ea24740262c170d63a67425528b0df34161ce665fbe1ba08"

static void assert_table(const struct oc_table *t, size_t width, bool colour, const char *want) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(65536);
    oc_table_render(t, width, colour, &out);
    assert_string_equal(out.data, want);
}

static void test_plain(void **state) {
    (void)state;
    static const char *const headers[] = { "Name", "Position", "ID" };
    OC_AUTO_TABLE struct oc_table *t = oc_table_create(headers, 3);
    oc_table_add(t, "FaceTime HD");
    oc_table_add(t, "front");
    oc_table_add(t, "cam0");
    oc_table_add(t, "Kamera ü");
    oc_table_add(t, NULL);
    oc_table_add(t, "カメラ");
    assert_int_equal(oc_table_rows(t), 2);
    assert_table(t, 119, false,
            "┌─────────────┬──────────┬────────┐\n"
            "│ Name        │ Position │ ID     │\n"
            "├─────────────┼──────────┼────────┤\n"
            "│ FaceTime HD │ front    │ cam0   │\n"
            "│ Kamera ü    │          │ カメラ │\n"
            "└─────────────┴──────────┴────────┘\n");
}

static void test_wraps_at_words(void **state) {
    (void)state;
    static const char *const headers[] = { "Field", "Value" };
    OC_AUTO_TABLE struct oc_table *t = oc_table_create(headers, 2);
    oc_table_add(t, "PATH");
    oc_table_add(t, "/usr/local/bin:/usr/bin:/bin");
    oc_table_add(t, "Caps");
    oc_table_add(t, "browser, system, camera");
    assert_table(t, 30, false,
            "┌───────┬────────────────────┐\n"
            "│ Field │ Value              │\n"
            "├───────┼────────────────────┤\n"
            "│ PATH  │ /usr/local/bin:/   │\n"
            "│       │ usr/bin:/bin       │\n"
            "│ Caps  │ browser, system,   │\n"
            "│       │ camera             │\n"
            "└───────┴────────────────────┘\n");
}

static void test_ids_are_cut_not_wrapped(void **state) {
    (void)state;
    static const char *const headers[] = { "Node", "#ID" };
    OC_AUTO_TABLE struct oc_table *t = oc_table_create(headers, 2);
    oc_table_add(t, "Build Node");
    oc_table_add(t, ID);
    assert_table(t, 60, false,
            "┌────────────┬──────────────┐\n"
            "│ Node       │ ID           │\n"
            "├────────────┼──────────────┤\n"
            "│ Build Node │ 8767a619aadb │\n"
            "└────────────┴──────────────┘\n");
    OC_AUTO_BUF struct oc_buf wide = OC_BUF_INIT(65536);
    oc_table_render(t, 119, false, &wide);
    assert_non_null(strstr(wide.data, ID));
}

static void test_never_wider_than_asked(void **state) {
    (void)state;
    static const char *const headers[] = { "Node", "#ID", "IP", "Detail", "Status", "Caps" };
    OC_AUTO_TABLE struct oc_table *t = oc_table_create(headers, 6);
    for (int row = 0; row < 3; row++) {
        oc_table_add(t, "A node with a rather long name");
        oc_table_add(t, ID);
        oc_table_add(t, "2001:db8:1234:5678:9abc:def0:1234:5678");
        oc_table_add(t, "linux · Linux · v2026.9.6");
        oc_table_add(t, "paired · connected (12m ago) · approval pending");
        oc_table_add(t, "browser, camera, canvas, location, screen, system");
    }
    for (size_t width = 80; width <= 240; width += 20) {
        OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(65536);
        oc_table_render(t, width, false, &out);
        for (char *line = out.data; *line; line = strchr(line, '\n') + 1) {
            size_t len = (size_t)(strchr(line, '\n') - line);
            assert_true(oc_text_width(line, len) <= width);
        }
    }
}

static void test_colour_does_not_shift_columns(void **state) {
    (void)state;
    static const char *const headers[] = { "A", "B" };
    OC_AUTO_TABLE struct oc_table *t = oc_table_create(headers, 2);
    oc_table_add_styled(t, "ok", OC_STYLE_GOOD);
    oc_table_add(t, "x");
    assert_table(t, 80, true,
            "┌────┬───┐\n"
            "│ \x1b[1mA\x1b[0m  │ \x1b[1mB\x1b[0m │\n"
            "├────┼───┤\n"
            "│ \x1b[32mok\x1b[0m │ x │\n"
            "└────┴───┘\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_wraps_at_words),
        cmocka_unit_test(test_ids_are_cut_not_wrapped),
        cmocka_unit_test(test_never_wider_than_asked),
        cmocka_unit_test(test_colour_does_not_shift_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
