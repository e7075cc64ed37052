#include "node/policy/exec_list.h"

#include "tests/unit/node/policy/exec_scene.h"

static const char *const files[] = { "/bin>/usr/bin", "/usr>/elsewhere/usr", NULL };

static bool allows(const char *entry, const char *path, const char *cwd, const char *arg) {
    OC_AUTO_FREE char *text = oc_strfmt("[%s]", entry);
    OC_AUTO_JSON cJSON *list = NULL;
    assert_int_equal(oc_json_parse(text, strlen(text), &list, NULL), OC_OK);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, path);
    if (arg) {
        oc_strv_add(&argv, arg);
    }
    struct nd_exec_fs fs = {
        .user = (void *)(uintptr_t)files, .check = oc_scene_check, .real = oc_scene_real
    };
    struct nd_exec_tops tops = { 0 };
    struct nd_exec_subject s = {
        .real_path = path, .argv = &argv, .cwd = cwd, .home = "/home/u", .fs = &fs, .tops = &tops
    };
    bool is_allowed = nd_exec_list_find(list, &s) != NULL;
    nd_exec_tops_finish(&tops);
    return is_allowed;
}

static void entries(void **state) {
    (void)state;
    static const struct {
        const char *entry, *path;
        bool allows;
    } cases[] = {
        { "\"/opt/git\"", "/opt/git", true },
        { "{\"pattern\":\"/opt/git\"}", "/opt/git", true },
        { "{\"pattern\":\" /opt/git \"}", "/opt/git", true },
        { "{\"pattern\":\"/opt/git\",\"id\":\"x\",\"note\":\"kept\"}", "/opt/git", true },
        { "{\"pattern\":\"/opt/git\"}", "/opt/GIT", false },
        { "{\"pattern\":\"/bin/git\"}", "/usr/bin/git", true },
        { "{\"pattern\":\"/bin/*\"}", "/usr/bin/git", true },
        { "{\"pattern\":\"/b*/git\"}", "/usr/bin/git", false },
        { "{\"pattern\":\"~/bin/x\"}", "/home/u/bin/x", true },
        { "{\"pattern\":\"~\"}", "/home/u", false },
        { "{\"pattern\":\"~v/bin/x\"}", "/home/v/bin/x", false },
        { "{\"pattern\":\"*\"}", "/any/thing", true },
        { "{\"pattern\":\"**\"}", "/any/thing", false },
        { "{\"pattern\":\"git\"}", "/usr/bin/git", false },
        { "{\"pattern\":\"*git\"}", "/usr/bin/git", false },
        { "{\"pattern\":\"\"}", "/usr/bin/git", false },
        { "{\"pattern\":7}", "/usr/bin/git", false },
        { "{}", "/usr/bin/git", false },
        { "null", "/usr/bin/git", false },
        { "7", "/usr/bin/git", false },
        /* restrictions we cannot keep */
        { "{\"pattern\":\"/opt/git\",\"argPattern\":\"^status$\"}", "/opt/git", false },
        { "{\"pattern\":\"*\",\"argPattern\":\".*\"}", "/opt/git", false },
        { "{\"pattern\":\"/opt/git\",\"argPattern\":7}", "/opt/git", false },
        { "{\"pattern\":\"/opt/git\",\"argPattern\":\"sha256:argv:00\"}", "/opt/git", false },
        { "{\"pattern\":\"/opt/git\",\"source\":\"allow-always\"}", "/opt/git", false },
        { "{\"pattern\":\"=command:/opt/git\",\"source\":\"allow-always\"}", "/opt/git", false },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        if (allows(cases[i].entry, cases[i].path, "/w", NULL) != cases[i].allows) {
            fail_msg("%s on %s", cases[i].entry, cases[i].path);
        }
    }
}

/* As 2026.9.6 writes it for `/opt/git status` in /w. */
static void what_newer_nodes_remember(void **state) {
    (void)state;
#define HASH "9cd0183093e1a8aecb9339dfb4987afdabae40db6d4e47a6cd34b2b1e700a023"
    static const char entry[] = "{\"pattern\":\"/opt/git\",\"source\":\"allow-always\","
                                "\"argPattern\":\"sha256:cwd-argv:v1:" HASH "\"}";
    assert_true(allows(entry, "/opt/git", "/w", "status"));
    assert_false(allows(entry, "/opt/git", "/w", "push"));
    assert_false(allows(entry, "/opt/git", "/w", NULL));
    assert_false(allows(entry, "/opt/git", "/other", "status"));
    assert_false(allows(entry, "/opt/other", "/w", "status"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries),
        cmocka_unit_test(what_newer_nodes_remember),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
