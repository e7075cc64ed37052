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
    cli_table_render(t, &(struct cli_table_look){ width, colour, true }, &out);
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
    cli_table_render(t, &(struct cli_table_look){ 119, false, true }, &wide);
    assert_non_null(strstr(wide.data, ID));
}

/* As `nodes status` has it, with names and addresses that are long. */
static struct cli_table *status_table(void) {
    static const struct cli_column columns[] = {
        { "Node", CLI_COLUMN_NAME, 0 },
        { "ID", CLI_COLUMN_ID, 4 },
        { "IP", CLI_COLUMN_FIXED, 2 },
        { "Detail", CLI_COLUMN_TEXT, 3 },
        { "Status", CLI_COLUMN_TEXT, 0 },
        { "Caps", CLI_COLUMN_TEXT, 1 },
    };
    struct cli_table *t = cli_table_create_of(columns, OC_COUNT(columns));
    cli_table_add(t, "A node with a rather long name");
    cli_table_add(t, ID);
    cli_table_add(t, "2001:db8:1234:5678:9abc:def0:1234:5678");
    cli_table_add(t, "linux\u00a0· Linux\u00a0· v2026.9.6");
    cli_table_add(t, "paired\u00a0· connected\u00a0(12m\u00a0ago)\u00a0· approval\u00a0pending");
    cli_table_add(t, "browser, camera, canvas, location, screen, system");
    cli_table_add(t, "büro-日本語のコンピュータ");
    cli_table_add(t, "e\xcc\x81" ID);
    cli_table_add(t, "10.0.0.7");
    cli_table_add(t, "macos");
    cli_table_add(t, "paired\u00a0· disconnected");
    cli_table_add(t, "");
    return t;
}

static void assert_fits(const struct cli_table *t, size_t width, size_t max_lines) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 20);
    cli_table_render(t, &(struct cli_table_look){ width, false, true }, &out);
    size_t lines = 0;
    for (char *line = out.data; *line; line = strchr(line, '\n') + 1) {
        size_t len = (size_t)(strchr(line, '\n') - line);
        assert_true(cli_text_width(line, len) <= width);
        lines++;
    }
    assert_true(lines <= max_lines);
}

static void test_never_wider_than_asked(void **state) {
    (void)state;
    CLI_AUTO_TABLE struct cli_table *t = status_table();
    for (size_t width = 40; width <= 200; width++) {
        assert_fits(t, width, 4 + 2 * 3); /* a row has three lines at most */
    }
}

static void test_columns_give_way_to_what_matters(void **state) {
    (void)state;
    CLI_AUTO_TABLE struct cli_table *t = status_table();
    assert_table(t, 80, false,
            "┌───────────────────┬──────────────┬───────────────────┬───────────────────────┐\n"
            "│ Node              │ ID           │ Detail            │ Status                │\n"
            "├───────────────────┼──────────────┼───────────────────┼───────────────────────┤\n"
            "│ A node with a ra… │ 8767a619aadb │ linux · Linux ·   │ paired ·              │\n"
            "│                   │              │ v2026.9.6         │ connected (12m ago) · │\n"
            "│                   │              │                   │ approval pending      │\n"
            "│ büro-日本語のコ…  │ e\xcc\x81"
            "8767a619aad │ macos             │ paired · disconnected │\n"
            "└───────────────────┴──────────────┴───────────────────┴───────────────────────┘\n");
    assert_table(t, 60, false,
            "┌───────────────────┬──────────────┬───────────────────────┐\n"
            "│ Node              │ ID           │ Status                │\n"
            "├───────────────────┼──────────────┼───────────────────────┤\n"
            "│ A node with a ra… │ 8767a619aadb │ paired ·              │\n"
            "│                   │              │ connected (12m ago) · │\n"
            "│                   │              │ approval pending      │\n"
            "│ büro-日本語のコ…  │ e\xcc\x81"
            "8767a619aad │ paired · disconnected │\n"
            "└───────────────────┴──────────────┴───────────────────────┘\n");
}

static void test_an_empty_column_goes_first(void **state) {
    (void)state;
    static const struct cli_column columns[] = {
        { "Node", CLI_COLUMN_NAME, 0 },
        { "Platform", CLI_COLUMN_TEXT, 1 },
        { "Address", CLI_COLUMN_FIXED, 2 },
        { "Last seen", CLI_COLUMN_FIXED, 0 },
    };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create_of(columns, OC_COUNT(columns));
    cli_table_add(t, "workshop");
    cli_table_add(t, "linux");
    cli_table_add(t, "");
    cli_table_add(t, "just now");
    assert_table(t, 40, false,
            "┌──────────┬──────────┬───────────┐\n"
            "│ Node     │ Platform │ Last seen │\n"
            "├──────────┼──────────┼───────────┤\n"
            "│ workshop │ linux    │ just now  │\n"
            "└──────────┴──────────┴───────────┘\n");
}

/* Runs and times: a time stays whole, a command is cut where it would fill the screen. */
static void test_long_texts_end_in_an_ellipsis(void **state) {
    (void)state;
    static const struct cli_column columns[] = {
        { "When", CLI_COLUMN_FIXED, 0 },
        { "Command", CLI_COLUMN_TEXT, 0 },
        { "Took", CLI_COLUMN_FIXED, 1 },
    };
    CLI_AUTO_TABLE struct cli_table *t = cli_table_create_of(columns, OC_COUNT(columns));
    cli_table_add(t, "2026-11-18 15:49:20");
    cli_table_add(t,
            "find / -name 'a very long name' -exec grep -l something {} + -print -or -size "
            "+100M -exec ls -l {} + and so on, and so on, until nobody reads it any more");
    cli_table_add(t, "2h 4m");
    assert_table(t, 60, false,
            "┌─────────────────────┬────────────────────────────┬───────┐\n"
            "│ When                │ Command                    │ Took  │\n"
            "├─────────────────────┼────────────────────────────┼───────┤\n"
            "│ 2026-11-18 15:49:20 │ find / -name 'a very long  │ 2h 4m │\n"
            "│                     │ name' -exec grep -l        │       │\n"
            "│                     │ something {} + -print -or… │       │\n"
            "└─────────────────────┴────────────────────────────┴───────┘\n");
}

/* Into a pipe nothing is left out. */
static void test_all_of_it_into_a_pipe(void **state) {
    (void)state;
    CLI_AUTO_TABLE struct cli_table *t = status_table();
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 20);
    cli_table_render(t, &(struct cli_table_look){ 80, false, false }, &out);
    static const char *const headers[] = { "Node", "ID", "IP", "Detail", "Status", "Caps" };
    for (size_t i = 0; i < OC_COUNT(headers); i++) {
        assert_non_null(strstr(out.data, headers[i]));
    }
    assert_null(strstr(out.data, "…"));
    assert_null(strstr(out.data, "\u00a0"));
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
        cmocka_unit_test(test_columns_give_way_to_what_matters),
        cmocka_unit_test(test_an_empty_column_goes_first),
        cmocka_unit_test(test_long_texts_end_in_an_ellipsis),
        cmocka_unit_test(test_all_of_it_into_a_pipe),
        cmocka_unit_test(test_colour_does_not_shift_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
