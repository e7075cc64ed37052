/* The exec engine on a machine made of words. */
#include "lib/files/file.h"
#include "tests/unit/node/policy/exec_scene.h"

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The reference's own cases, with what we say: tests/data/shell-allowlist.json. */
static void cases_of_the_reference(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(
            oc_file_read(OC_TEST_DIR "/data/shell-allowlist.json", 1u << 20, &text, NULL), OC_OK);
    OC_AUTO_JSON cJSON *doc = NULL;
    assert_int_equal(oc_json_parse(text.data, text.len, &doc, NULL), OC_OK);
    OC_AUTO_STRV struct oc_strv names = { 0 }, patterns = { 0 }, files = { 0 };
    oc_json_get_strv(doc, "programs", &names);
    oc_json_get_strv(doc, "allowlist", &patterns);
    const char *paths[64] = { NULL }, *listed[16] = { NULL };
    for (size_t i = 0; i < names.count; i++) {
        OC_AUTO_FREE char *path = oc_strfmt("/tmp/oc-fixture-bin/%s", names.items[i]);
        oc_strv_add(&files, path);
        paths[i] = files.items[i];
    }
    for (size_t i = 0; i < patterns.count; i++) {
        listed[i] = patterns.items[i];
    }
    OC_AUTO_JSON cJSON *list = oc_scene_list(listed), *none = cJSON_CreateArray();
    OC_AUTO_JSON cJSON *trusted = cJSON_CreateArray();
    cJSON_AddItemToArray(trusted, cJSON_CreateString("/tmp/oc-fixture-bin"));
    struct nd_exec_fs fs = { .user = paths, .check = oc_scene_check, .real = oc_scene_real };
    struct nd_exec_scene scene = { .fs = &fs,
        .cwd = "/tmp",
        .path_env = "/tmp/oc-fixture-bin",
        .own = list,
        .safe_bins = { .bins = none, .trusted_dirs = trusted } };
    int count = 0;
    const cJSON *c, *cases = oc_json_get(doc, "cases");
    cJSON_ArrayForEach(c, cases) {
        const char *command = oc_json_get_str(c, "command"), *runs = oc_json_get_str(c, "runs");
        struct nd_exec_judgement j;
        oc_scene_judge(&scene, ARGV("sh", "-c", command), &j);
        OC_AUTO_FREE char *line = oc_scene_line(&j);
        bool ours = oc_json_get_bool(c, "ours", false);
        if (j.is_satisfied != ours || !oc_streq(line, runs)) {
            fail_msg("%s: %s (%s)", command, line ? line : "refused", j.why ? j.why : "");
        }
        bool differs = ours != oc_json_get_bool(c, "reference", false);
        assert_true(!differs || oc_json_get_str(c, "why")); /* every difference is explained */
        nd_exec_judgement_finish(&j);
        count++;
    }
    assert_int_equal(count, 70);
}

static const char *const files[] = { "/usr/bin/git", "/usr/bin/ls", "/usr/bin/wc", "/usr/bin/nice",
    "/usr/bin/timeout", "/usr/bin/nohup", "/usr/bin/stdbuf", "/usr/bin/env",
    "/usr/bin/sh>/usr/bin/dash", "/usr/bin/dash", "/usr/bin/bash", "/usr/bin/fish",
    "/usr/bin/python3>/usr/bin/python3.11", "/usr/bin/python3.11", "/usr/bin/busybox",
    "/usr/bin/vi>/usr/bin/vim.basic", "/usr/bin/vim.basic", "/usr/bin/sudo", "/usr/bin/flock",
    "/usr/bin/setsid", "/usr/bin/xargs", "/usr/bin/find", "/opt/bin/timeout", "/opt/bin/tool",
    "/home/u/bin/mine", "/srv/job/run.sh", "/srv/job/git", "/opt/a=b/tool",
    "/opt/link>/opt/bin/tool", "/opt/mybox>/usr/bin/busybox", "/bin>/usr/bin", "/opt/bin/it's",
    "/opt/bin", "/home/u", "/srv/job/sub", "/srv/job/sub/git", NULL };

struct world {
    struct nd_exec_fs fs;
    struct nd_exec_scene scene;
    cJSON *own, *shared;
};

static void world_init(struct world *w, const char *const *own, const char *const *shared) {
    *w = (struct world){ 0 };
    w->fs = (struct nd_exec_fs){
        .user = (void *)(uintptr_t)files, .check = oc_scene_check, .real = oc_scene_real
    };
    w->own = oc_scene_list(own);
    w->shared = oc_scene_list(shared);
    w->scene = (struct nd_exec_scene){ .fs = &w->fs,
        .cwd = "/srv/job",
        .path_env = "/usr/bin:/opt/bin",
        .home = "/home/u",
        .own = w->own,
        .shared = w->shared };
}

static void world_finish(struct world *w) {
    cJSON_Delete(w->own);
    cJSON_Delete(w->shared);
}

/* runs: the words that run, joined by spaces; NULL: refused, and `why` is part of the reason. */
struct expectation {
    const char *argv[8];
    const char *runs, *path_or_why;
};

static void check(const struct world *w, const struct expectation *e) {
    struct nd_exec_judgement j;
    oc_scene_judge(&w->scene, e->argv, &j);
    OC_AUTO_FREE char *line = j.is_satisfied ? oc_strv_join(&j.argv, " ") : NULL;
    const char *said = j.is_satisfied ? j.path : j.why;
    if (!oc_streq(line, e->runs) || !strstr(said, e->path_or_why)) {
        fail_msg("%s %s: %s (%s)", e->argv[0], e->argv[1] ? e->argv[1] : "",
                line ? line : "refused", said);
    }
    nd_exec_judgement_finish(&j);
}

static void programs_and_wrappers(void **state) {
    (void)state;
    struct world w;
    world_init(&w, ARGV("/usr/bin/git", "/opt/**/tool", "~/bin/*", "/bin/ls"),
            ARGV("/srv/job/run.sh"));
    static const struct expectation cases[] = {
        { { "git", "status" }, "git status", "/usr/bin/git" },
        { { "/usr/bin/git" }, "/usr/bin/git", "/usr/bin/git" },
        { { "./run.sh" }, "./run.sh", "/srv/job/run.sh" },
        { { "./git" }, NULL, "/srv/job/git is not on the list" }, /* same name, other program */
        { { "ls" }, "ls", "/usr/bin/ls" }, /* the entry says /bin, which is a link to /usr/bin */
        { { "/home/u/bin/mine" }, "/home/u/bin/mine", "/home/u/bin/mine" },
        { { "/opt/link" }, "/opt/link", "/opt/bin/tool" },
        { { "vi" }, NULL, "can run any other command" },
        { { "/opt/mybox", "sh" }, NULL, "can run any other command" },
        { { "gone" }, NULL, "not found" },
        { { "nice", "git" }, "/usr/bin/nice /usr/bin/git", "/usr/bin/nice" },
        { { "nice", "-n", "5", "git", "x" }, "/usr/bin/nice -n 5 /usr/bin/git x", "/usr/bin/nice" },
        { { "nice", "-5", "git" }, "/usr/bin/nice -5 /usr/bin/git", "/usr/bin/nice" },
        { { "timeout", "-k", "5", "9", "git" }, "/usr/bin/timeout -k 5 9 /usr/bin/git",
                "/timeout" },
        { { "timeout", "9", "gone" }, NULL, "not found" },
        { { "timeout", "--wat", "9", "git" }, NULL, "timeout has options" },
        { { "timeout" }, NULL, "timeout has options" },
        { { "timeout", "9" }, NULL, "timeout has options" },
        { { "/opt/bin/timeout", "9", "git" }, NULL, "is not a program of the system" },
        { { "stdbuf", "-oL", "git" }, "/usr/bin/stdbuf -oL /usr/bin/git", "/usr/bin/stdbuf" },
        { { "nohup", "--", "git" }, "/usr/bin/nohup -- /usr/bin/git", "/usr/bin/nohup" },
        { { "env", "git" }, "git", "/usr/bin/git" },
        { { "env", "/opt/a=b/tool" }, NULL, "env has options" }, /* env takes it for a variable */
        { { "/opt/a=b/tool" }, "/opt/a=b/tool", "/opt/a=b/tool" },
        { { "env", "A=b", "git" }, NULL, "env has options" },
        { { "env", "-i", "git" }, NULL, "env has options" },
        { { "env", "-", "git" }, NULL, "env has options" },
        { { "env", "-u", "A", "git" }, NULL, "env has options" },
        { { "env", "nice", "env", "git" }, "/usr/bin/nice /usr/bin/git", "/usr/bin/nice" },
        { { "env", "env", "env", "env", "git" }, "git", "/usr/bin/git" },
        { { "env", "env", "env", "env", "env", "git" }, NULL, "too many" },
        { { "nice", "python3", "-c", "x" }, NULL, "python3 can run any other command" },
        { { "sudo", "git" }, NULL, "sudo can run any other command" },
        { { "flock", "/f", "git" }, NULL, "flock can run any other command" },
        { { "setsid", "git" }, NULL, "setsid can run any other command" },
        { { "xargs", "git" }, NULL, "xargs can run any other command" },
        { { "find", ".", "-exec", "git" }, NULL, "find can run any other command" },
        { { "busybox", "ls" }, NULL, "busybox can run any other command" },
        { { "busybox", "nice", "git" }, NULL, "busybox has options" },
        { { "" }, NULL, "not found" },
        { { "wc", "-l" }, "wc -l", "/usr/bin/wc" },
        { { "wc", "/etc/passwd" }, NULL, "/usr/bin/wc is not on the list" },
        { { "wc", "/etc/passwd" }, NULL, "/etc/passwd names a file" },
        { { "wc", "-l", "notes" }, NULL, "notes is one argument too many" },
        { { "wc", "--files0-from=x" }, NULL, "--files0-from=x is an option that is not known" },
        { { "wc", "/etc/passwd" }, NULL, "An entry allows it any argument" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        check(&w, &cases[i]);
    }
    world_finish(&w);
}

static void scripts(void **state) {
    (void)state;
    struct world w;
    world_init(&w, ARGV("/usr/bin/git", "/opt/bin/*", "/usr/bin/ls"), ARGV(NULL));
    static const struct expectation cases[] = {
        { { "sh", "-c", "git status" }, "git status", "/usr/bin/git" }, /* needs no shell */
        { { "/bin/sh", "-lc", "git status" }, "git status", "/usr/bin/git" },
        { { "bash", "-ec", "git; ls" }, "/bin/sh -ec '/usr/bin/git' ; '/usr/bin/ls'", "/bin/sh" },
        { { "bash", "-e", "-u", "-c", "git|wc -l" },
                "/bin/sh -euc '/usr/bin/git' | '/usr/bin/wc' '-l'", "/bin/sh" },
        { { "sh", "-xc", "git" }, "/bin/sh -xc '/usr/bin/git'", "/bin/sh" },
        { { "bash", "--norc", "--noprofile", "-c", "git" }, "git", "/usr/bin/git" },
        { { "sh", "-c", "git && it\\'s \"$\"" }, NULL, "an expansion in double quotes" },
        { { "sh", "-c", "git && it\\'s a" }, "/bin/sh -c '/usr/bin/git' && '/opt/bin/it'\\''s' 'a'",
                "/bin/sh" },
        { { "sh", "-c", "timeout 9 git | nice tool" },
                "/bin/sh -c '/usr/bin/timeout' '9' '/usr/bin/git' | '/usr/bin/nice' "
                "'/opt/bin/tool'",
                "/bin/sh" },
        { { "nice", "sh", "-c", "git;ls" },
                "/usr/bin/nice /bin/sh -c '/usr/bin/git' ; '/usr/bin/ls'", "/usr/bin/nice" },
        { { "nice", "sh", "-c", "timeout 9 git" }, "/usr/bin/nice /usr/bin/timeout 9 /usr/bin/git",
                "/usr/bin/nice" },
        { { "busybox", "sh", "-c", "git" }, "git", "/usr/bin/git" },
        { { "sh", "-c", "git; python3 x" }, NULL, "python3 can run any other command" },
        { { "sh", "-c", "git; sh -c git" }, NULL, "sh can run any other command" },
        { { "sh", "-c", "git; vi" }, NULL, "vi can run any other command" },
        { { "sh", "-c", "env A=b git" }, NULL, "env has options" },
        { { "sh", "-c", "git", "x" }, NULL, "x stands behind the script" },
        { { "sh", "-c" }, NULL, "sh has options" },
        { { "sh", "-ic", "git" }, NULL, "sh has options" },
        { { "bash", "-o", "pipefail", "-c", "git" }, NULL, "bash has options" },
        { { "bash", "--rcfile", "/f", "-c", "git" }, NULL, "bash has options" },
        { { "fish", "-c", "git" }, NULL, "fish has options, or a language" },
        { { "sh", "git" }, NULL, "sh can run any other command" },
        { { "sh" }, NULL, "sh can run any other command" },
        { { "sh", "-s" }, NULL, "sh can run any other command" },
        { { "sh", "-c", "gone" }, NULL, "gone was not found" },
        { { "sh", "-c", "" }, NULL, "without a command" },
        { { "env", "A=b", "sh", "-c", "git" }, NULL, "env has options" },
        { { "env", "sh", "-c", "git" }, "git", "/usr/bin/git" },
        { { "cmd", "/c", "git" }, NULL, "cmd has options, or a language" },
        { { "cmd.exe", "/d", "/s", "/c", "git" }, NULL, "cmd.exe has options, or a language" },
        { { "pwsh", "-c", "git" }, NULL, "pwsh has options, or a language" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        check(&w, &cases[i]);
    }
    world_finish(&w);
}

static void scripts_that_start_elsewhere(void **state) {
    (void)state;
    struct world w;
    world_init(&w, ARGV("/usr/bin/git", "/opt/bin/tool"), ARGV(NULL));
    static const struct {
        const char *script, *cwd, *path; /* NULL: refused */
    } cases[] = {
        { "cd /opt/bin && git status", "/opt/bin", "/usr/bin/git" },
        { "cd /opt/bin && ./tool", "/opt/bin", "/opt/bin/tool" },
        { "cd sub && git", "/srv/job/sub", "/usr/bin/git" },
        { "cd sub && ./git", NULL, NULL }, /* that is another git */
        { "cd /gone && git", NULL, NULL },
        { "cd /opt/bin && git && python3", NULL, NULL },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        struct nd_exec_judgement j;
        oc_scene_judge(&w.scene, ARGV("sh", "-lc", cases[i].script), &j);
        if (j.is_satisfied != (cases[i].path != NULL) ||
                (j.is_satisfied &&
                        (!oc_streq(j.cwd, cases[i].cwd) || !oc_streq(j.path, cases[i].path)))) {
            fail_msg("%s: %s", cases[i].script, j.is_satisfied ? j.path : j.why);
        }
        nd_exec_judgement_finish(&j);
    }
    world_finish(&w);
}

/* Which programs the command was made of is known also when the list does not allow them. */
static void parts(void **state) {
    (void)state;
    struct world w;
    world_init(&w, ARGV("/usr/bin/git"), ARGV("/usr/bin/ls"));
    struct nd_exec_judgement j;
    oc_scene_judge(&w.scene, ARGV("sh", "-c", "git && ls | tool; python3 x; gone; wc"), &j);
    assert_false(j.is_satisfied);
    assert_string_equal(j.missing, "/opt/bin/tool");
    assert_int_equal(j.count, 6);
    assert_ptr_equal(j.parts[0].entry, cJSON_GetArrayItem(w.own, 0));
    assert_ptr_equal(j.parts[1].entry, cJSON_GetArrayItem(w.shared, 0));
    assert_true(j.parts[1].is_satisfied);
    assert_false(j.parts[2].is_satisfied);
    assert_string_equal(j.parts[2].path, "/opt/bin/tool");
    assert_true(j.parts[3].is_carrier);
    assert_null(j.parts[4].path);
    assert_true(j.parts[5].is_satisfied);
    nd_exec_judgement_finish(&j);
    oc_scene_judge(&w.scene, ARGV("sh", "-c", "tool $(x)"), &j);
    assert_int_equal(j.count, 0);
    nd_exec_judgement_finish(&j);
    world_finish(&w);
}

static void skills(void **state) {
    (void)state;
    struct world w;
    world_init(&w, ARGV(NULL), ARGV(NULL));
    OC_AUTO_STRV struct oc_strv names = { 0 };
    oc_strv_add(&names, "tool");
    oc_strv_add(&names, "python3");
    oc_strv_add(&names, "gone");
    w.scene.skills = &names;
    static const struct expectation cases[] = {
        { { "tool", "x" }, "tool x", "/opt/bin/tool" },
        { { "sh", "-c", "tool x" }, "tool x", "/opt/bin/tool" },
        { { "/opt/bin/tool" }, NULL, "is not on the list" }, /* skills name programs, not paths */
        { { "git" }, NULL, "is not on the list" },
        { { "python3" }, NULL, "can run any other command" },
        { { "gone" }, NULL, "not found" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        check(&w, &cases[i]);
    }
    world_finish(&w);
}

struct counted {
    int calls;
};

static int count_check(void *user, const char *path) {
    struct counted *c = user;
    c->calls++;
    return oc_starts_with(path, "/usr/bin/") ? 0 : ENOENT;
}

static char *count_real(void *user, const char *path) {
    struct counted *c = user;
    c->calls++;
    return oc_strdup(strcmp(path, "/bin") == 0 ? "/usr/bin" : path);
}

/* The files are asked for the programs of the command, not for the entries of the list. */
static void long_lists(void **state) {
    (void)state;
    enum { ENTRIES = 500, COMMANDS = 60 };
    OC_AUTO_JSON cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < ENTRIES; i++) {
        static const char *const tops[] = { "bin", "sbin", "opt" };
        OC_AUTO_FREE char *pattern = oc_strfmt("/%s/%d*", tops[i % 3], i);
        cJSON_AddItemToArray(list, cJSON_CreateString(pattern));
    }
    cJSON_AddItemToArray(list, cJSON_CreateString("/bin/tool*"));
    struct oc_buf script = OC_BUF_INIT(1u << 16);
    for (int i = 0; i < COMMANDS; i++) {
        oc_buf_printf(&script, "%stool%d", i ? "; " : "", i);
    }
    OC_AUTO_FREE char *text = oc_buf_take(&script);
    struct counted counted = { 0 };
    struct nd_exec_fs fs = { .user = &counted, .check = count_check, .real = count_real };
    struct nd_exec_scene scene = { .fs = &fs, .cwd = "/w", .path_env = "/usr/bin", .own = list };
    struct nd_exec_judgement j;
    oc_scene_judge(&scene, ARGV("sh", "-c", text), &j);
    assert_true(j.is_satisfied);
    assert_int_equal(j.count, COMMANDS);
    assert_true(counted.calls <= 2 * COMMANDS + 3); /* found, resolved; and three directories */
    nd_exec_judgement_finish(&j);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_of_the_reference),
        cmocka_unit_test(programs_and_wrappers),
        cmocka_unit_test(scripts),
        cmocka_unit_test(scripts_that_start_elsewhere),
        cmocka_unit_test(parts),
        cmocka_unit_test(skills),
        cmocka_unit_test(long_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
