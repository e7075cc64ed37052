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

static void assert_table(const struct cli_table *t, size_t width, bool colour, const char *want) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(65536);
    cli_table_render(t, width, colour, &out);
    assert_string_equal(out.data, want);
}

static void test_plain(void **state) {
    (void)state;
    static const char *const headers[] = { "Name", "Position", "ID" };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create(headers, 3);
    cli_table_add(t, "FaceTime HD");
    cli_table_add(t, "front");
    cli_table_add(t, "cam0");
    cli_table_add(t, "Kamera ü");
    cli_table_add(t, NULL);
    cli_table_add(t, "カメラ");
    assert_int_equal(cli_table_rows(t), 2);
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
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create(headers, 2);
    cli_table_add(t, "PATH");
    cli_table_add(t, "/usr/local/bin:/usr/bin:/bin");
    cli_table_add(t, "Caps");
    cli_table_add(t, "browser, system, camera");
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
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create(headers, 2);
    cli_table_add(t, "Build Node");
    cli_table_add(t, ID);
    assert_table(t, 60, false,
            "┌────────────┬──────────────┐\n"
            "│ Node       │ ID           │\n"
            "├────────────┼──────────────┤\n"
            "│ Build Node │ 8767a619aadb │\n"
            "└────────────┴──────────────┘\n");
    OC_AUTO_BUF struct oc_buf wide = OC_BUF_INIT(65536);
    cli_table_render(t, 119, false, &wide);
    assert_non_null(strstr(wide.data, ID));
}

static void test_never_wider_than_asked(void **state) {
    (void)state;
    static const char *const headers[] = { "Node", "#ID", "IP", "Detail", "Status", "Caps" };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create(headers, 6);
    for (int row = 0; row < 3; row++) {
        cli_table_add(t, "A node with a rather long name");
        cli_table_add(t, ID);
        cli_table_add(t, "2001:db8:1234:5678:9abc:def0:1234:5678");
        cli_table_add(t, "linux · Linux · v2026.9.6");
        cli_table_add(t, "paired · connected (12m ago) · approval pending");
        cli_table_add(t, "browser, camera, canvas, location, screen, system");
    }
    for (size_t width = 80; width <= 240; width += 20) {
        OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(65536);
        cli_table_render(t, width, false, &out);
        for (char *line = out.data; *line; line = strchr(line, '\n') + 1) {
            size_t len = (size_t)(strchr(line, '\n') - line);
            assert_true(cli_text_width(line, len) <= width);
        }
    }
}

static void test_colour_does_not_shift_columns(void **state) {
    (void)state;
    static const char *const headers[] = { "A", "B" };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create(headers, 2);
    cli_table_add_styled(t, "ok", CLI_STYLE_GOOD);
    cli_table_add(t, "x");
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
