/* What is shown of the commands that an approval opens. */
#include "cli/nodes/command_change.h"

#include "tests/unit/unit.h"

/* record: what was approved before, NULL: nothing; both as JSON. */
static void check_change(
        const char *record, const char *asked, const char *lines, const char *json) {
    OC_AUTO_JSON cJSON *before = record ? cJSON_Parse(record) : NULL, *now = cJSON_Parse(asked),
                       *doc = cJSON_CreateObject();
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(65536);
    CLI_AUTO_COMMAND_CHANGE struct cli_command_change c;
    cli_command_change_of(before, now, &c);
    cli_command_change_print(&c, &out);
    cli_command_change_json(&c, doc);
    OC_AUTO_FREE char *text = oc_json_print(doc, false);
    assert_string_equal(out.data ? out.data : "", lines);
    assert_string_equal(text, json);
}

static void the_first_is_grouped(void **state) {
    (void)state;
    check_change(NULL,
            "[\"system.run\",\"camera.snap\",\"camera.list\",\"device\",\"canvas.a2ui.push\","
            "\"canvas.present\",\"system.run.prepare\",\"system.which\"]",
            "  commands  camera: list, snap\n"
            "            canvas: a2ui.push, present\n"
            "            device\n"
            "            system: run, run.prepare, which\n",
            "{}");
    check_change("{\"nodeId\":\"n\",\"commands\":[]}", "[\"a.b\"]", "  commands  a: b\n", "{}");
    check_change(NULL,
            "[\"canvas.present\",\"canvas.hide\",\"canvas.navigate\",\"canvas.eval\","
            "\"canvas.snapshot\",\"canvas.a2ui.push\",\"canvas.a2ui.pushJSONL\"]",
            "  commands  canvas: a2ui.push, a2ui.pushJSONL, eval, hide, navigate, present,\n"
            "            snapshot\n",
            "{}");
}

static void later_ones_tell_the_difference(void **state) {
    (void)state;
    check_change("{\"commands\":[\"system.run\",\"system.which\",\"canvas.eval\"]}",
            "[\"system.which\",\"camera.snap\",\"system.run\",\"camera.list\"]",
            "  new       + camera.list\n"
            "            + camera.snap\n"
            "  goes      - canvas.eval\n"
            "  stays     2 commands as before\n",
            "{\"added\":[\"camera.list\",\"camera.snap\"],\"removed\":[\"canvas.eval\"]}");
    check_change("{\"commands\":[\"a.b\"]}", "[\"a.b\"]", "  stays     1 command as before\n",
            "{\"added\":[],\"removed\":[]}");
}

/* Names are a node's own words. */
static void nonsense_is_harmless(void **state) {
    (void)state;
    check_change(NULL, "[7,null,\"\",\"a.\\u001b[2J\"]", "  commands  a: \\x1b[2J\n", "{}");
    check_change("[]", "{}", "", "{}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_is_grouped),
        cmocka_unit_test(later_ones_tell_the_difference),
        cmocka_unit_test(nonsense_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
