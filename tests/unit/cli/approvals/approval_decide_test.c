#include "cli/approvals/approval_decide.h"

#include "tests/unit/unit.h"

/* An item of exec.approval.list; what a person looks at while the gateway may already mean
 * something else. */
static cJSON *item(const char *id, int created, const char *request) {
    OC_AUTO_FREE char *text =
            oc_strfmt("{\"id\":\"%s\",\"createdAtMs\":%d,\"expiresAtMs\":%d,\"request\":%s}", id,
                    created, created + 1000, request);
    cJSON *o = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &o, NULL), OC_OK);
    return o;
}

#define UNAME                                                           \
    "{\"command\":\"x\",\"commandArgv\":[\"uname\",\"-a\"],\"cwd\":\"/" \
    "srv\",\"nodeId\":\"n\",\"agentId\":\"main\"}"

static void an_id_is_not_enough(void **state) {
    (void)state;
    static const struct {
        const char *id, *request;
        int created;
        bool is_same;
    } rows[] = {
        { "a", UNAME, 5, true },
        { "b", UNAME, 5, false },
        { "a", UNAME, 6, false }, /* asked for again */
        /* the words count, not how they are called */
        { "a",
                "{\"command\":\"y\",\"commandArgv\":[\"uname\",\"-a\"],\"cwd\":\"/"
                "srv\",\"nodeId\":\"n\",\"agentId\":\"main\"}",
                5, true },
        { "a",
                "{\"command\":\"x\",\"commandArgv\":[\"uname "
                "-a\"],\"cwd\":\"/srv\",\"nodeId\":\"n\",\"agentId\":\"main\"}",
                5, false },
        { "a",
                "{\"command\":\"x\",\"commandArgv\":[\"rm\",\"-a\"],\"cwd\":\"/"
                "srv\",\"nodeId\":\"n\",\"agentId\":\"main\"}",
                5, false },
        { "a",
                "{\"command\":\"x\",\"commandArgv\":[\"uname\",\"-a\"],\"cwd\":\"/"
                "\",\"nodeId\":\"n\",\"agentId\":\"main\"}",
                5, false },
        { "a",
                "{\"command\":\"x\",\"commandArgv\":[\"uname\",\"-a\"],\"cwd\":\"/"
                "srv\",\"nodeId\":\"m\",\"agentId\":\"main\"}",
                5, false },
        { "a",
                "{\"command\":\"x\",\"commandArgv\":[\"uname\",\"-a\"],\"cwd\":\"/"
                "srv\",\"nodeId\":\"n\"}",
                5, false },
    };
    OC_AUTO_JSON cJSON *seen = item("a", 5, UNAME);
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_JSON cJSON *now = item(rows[i].id, rows[i].created, rows[i].request);
        if (cli_approval_is_same(seen, now) != rows[i].is_same) {
            fail_msg("row %zu", i);
        }
    }
    OC_AUTO_JSON cJSON *empty = cJSON_CreateObject();
    assert_false(
            cli_approval_is_same(empty, empty)); /* nothing is not something one can agree to */
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(an_id_is_not_enough) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
