#include "lib/state/exec_approvals.h"

#include "lib/files/file.h"
#include "tests/any_int.h"
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/wait.h>

#define EMPTY_HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    struct oc_error err;
    if (oc_json_parse(text, strlen(text), &v, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    return v;
}

static char *text_of(const char *path) {
    struct oc_buf b = { 0 };
    struct oc_error err;
    assert_int_equal(oc_file_read(path, 100000, &b, &err), OC_OK);
    return oc_buf_take(&b);
}

static void looking_makes_nothing(void **state) {
    OC_AUTO_FREE char *path = oc_exec_approvals_path(*state);
    assert_true(oc_ends_with(path, "/.openclaw/exec-approvals.json"));
    OC_AUTO_JSON cJSON *snapshot = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_snapshot(path, &snapshot, &err), OC_OK);
    assert_false(oc_json_get_bool(snapshot, "exists", true));
    assert_string_equal(oc_json_get_str(snapshot, "hash"), EMPTY_HASH);
    assert_string_equal(oc_json_get_str(snapshot, "path"), path);
    assert_int_equal(any_int(oc_json_get(snapshot, "file"), "version", 0), 1);
    assert_false(oc_file_exists(path));
}

static void saving_normalizes(void **state) {
    OC_AUTO_FREE char *path = oc_exec_approvals_path(*state);
    OC_AUTO_JSON cJSON *file = parse(
            "{\"version\":1,\"agents\":{\"default\":{\"security\":\"full\",\"allowlist\":["
            "{\"pattern\":\"/a\"},{\"pattern\":\"/b\"},{\"note\":\"none\"}]},\"main\":{\"ask\":"
            "\"off\",\"allowlist\":[{\"id\":\"x\",\"pattern\":\"/a\",\"lastUsedAt\":1}]}}}");
    OC_AUTO_JSON cJSON *snapshot = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &snapshot, &err), OC_OK);
    assert_int_equal(oc_mode_of(path), 0600);
    const cJSON *saved = oc_json_get(snapshot, "file");
    const cJSON *agent = oc_json_path(saved, "agents.main");
    assert_null(oc_json_path(saved, "agents.default"));
    assert_string_equal(oc_json_get_str(agent, "security"), "full");
    assert_string_equal(oc_json_get_str(agent, "ask"), "off");
    const cJSON *list = oc_json_get(agent, "allowlist");
    assert_int_equal(cJSON_GetArraySize(list), 2);
    assert_string_equal(oc_json_get_str(cJSON_GetArrayItem(list, 0), "id"), "x");
    assert_string_equal(oc_json_get_str(cJSON_GetArrayItem(list, 1), "pattern"), "/b");
    assert_non_null(oc_json_get_str(cJSON_GetArrayItem(list, 1), "id"));
    const cJSON *socket = oc_json_get(saved, "socket");
    assert_true(oc_ends_with(oc_json_get_str(socket, "path"), "/.openclaw/exec-approvals.sock"));
    assert_null(oc_json_get(socket, "token"));
    OC_AUTO_FREE char *text = text_of(path);
    assert_non_null(strstr(text, "\"token\":"));
    assert_true(oc_ends_with(text, "}\n"));
}

static void only_over_what_was_seen(void **state) {
    OC_AUTO_FREE char *path = oc_exec_approvals_path(*state);
    OC_AUTO_JSON cJSON *file = parse("{\"version\":1}");
    OC_AUTO_JSON cJSON *a = NULL, *b = NULL, *c = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &a, &err), OC_OK);
    OC_AUTO_FREE char *before = text_of(path);
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &b, &err), OC_E_EXISTS);
    assert_int_equal(oc_exec_approvals_replace(path, file, EMPTY_HASH, &b, &err), OC_E_CANCELLED);
    assert_null(b);
    OC_AUTO_FREE char *after = text_of(path);
    assert_string_equal(before, after);
    const char *hash = oc_json_get_str(a, "hash");
    assert_int_equal(oc_exec_approvals_replace(path, file, hash, &c, &err), OC_OK);
    OC_AUTO_FREE char *same = text_of(path);
    assert_string_equal(before, same); /* the socket and its token are kept */
}

static void the_owner_keeps_the_last_word(void **state) {
    OC_AUTO_FREE char *path = oc_exec_approvals_path(*state);
    OC_AUTO_JSON cJSON *file = parse("{\"version\":1}");
    OC_AUTO_JSON cJSON *a = NULL, *b = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &a, &err), OC_OK);
    assert_int_equal(chmod(path, 0400), 0);
    const char *hash = oc_json_get_str(a, "hash");
    assert_int_equal(oc_exec_approvals_replace(path, file, hash, &b, &err), OC_E_DENIED);
    assert_non_null(strstr(err.text, "read-only"));
    assert_int_equal(oc_exec_approvals_allow(path, "main", "/bin/x", 1, &err), OC_E_DENIED);
    assert_int_equal(chmod(path, 0600), 0);
    oc_write_text(path, "{\"version\":1,");
    assert_int_equal(oc_exec_approvals_snapshot(path, &b, &err), OC_E_CORRUPT);
    assert_int_equal(oc_exec_approvals_replace(path, file, hash, &b, &err), OC_E_CORRUPT);
    assert_int_equal(oc_exec_approvals_allow(path, "main", "/bin/x", 1, &err), OC_E_CORRUPT);
    OC_AUTO_FREE char *kept = text_of(path);
    assert_string_equal(kept, "{\"version\":1,");
}

static void allowing_one_more(void **state) {
    OC_AUTO_FREE char *path = oc_exec_approvals_path(*state);
    OC_AUTO_JSON cJSON *file = parse("{\"version\":1,\"defaults\":{\"security\":\"allowlist\"}}");
    OC_AUTO_JSON cJSON *a = NULL, *b = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &a, &err), OC_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(oc_exec_approvals_allow(path, "main", "/bin/x", 5, &err), OC_OK);
    }
    assert_int_equal(oc_exec_approvals_snapshot(path, &b, &err), OC_OK);
    const cJSON *list = oc_json_path(b, "file.agents.main.allowlist");
    assert_int_equal(cJSON_GetArraySize(list), 1);
    assert_int_equal(any_int(cJSON_GetArrayItem(list, 0), "lastUsedAt", 0), 5);
    assert_string_equal(oc_json_get_str(oc_json_path(b, "file.defaults"), "security"), "allowlist");
}

/* A file that the node could not read again would deny everything from then on. */
static void nothing_unreadable_is_written(void **state) {
    OC_AUTO_FREE char *path = oc_exec_approvals_path(*state);
    OC_AUTO_JSON cJSON *file = parse("{\"version\":1,\"agents\":{\"main\":{\"allowlist\":"
                                     "[{\"pattern\":\"/ws/*\"}]}}}");
    OC_AUTO_JSON cJSON *a = NULL, *b = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &a, &err), OC_OK);
    OC_AUTO_FREE char *before = text_of(path);
    assert_int_equal(oc_exec_approvals_allow(path, "main", "/ws/odd\xff", 5, &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, "is not UTF-8 text"));
    assert_int_equal(oc_exec_approvals_allow(path, "odd\xff", "/ws/x", 5, &err), OC_E_INVALID);
    struct oc_exec_use use = { .pattern = "/ws/*", .resolved_path = "/ws/odd\xff" };
    assert_int_equal(
            oc_exec_approvals_note_use(path, "main", &use, 1, "odd", 5, &err), OC_E_INVALID);
    OC_AUTO_FREE char *after = text_of(path);
    assert_string_equal(after, before);
    assert_int_equal(oc_exec_approvals_snapshot(path, &b, &err), OC_OK);
}

static void wrong_shapes(void **state) {
    (void)state;
    static const struct {
        const char *file, *text;
    } cases[] = {
        { "[]", "at /file: must be object" },
        { "{}", "at /file/version: must be equal to constant" },
        { "{\"version\":2}", "at /file/version: must be equal to constant" },
        { "{\"version\":1,\"socket\":\"x\"}", "at /file/socket: must be object" },
        { "{\"version\":1,\"agents\":[]}", "at /file/agents: must be object" },
        { "{\"version\":1,\"agents\":{\"*\":1}}", "at /file/agents/*: must be object" },
        { "{\"version\":1,\"agents\":{\"*\":{\"allowlist\":{}}}}", "allowlist: must be array" },
        { "{\"version\":1,\"agents\":{\"*\":{\"allowlist\":[\"/a\"]}}}",
                "at /file/agents/*/allowlist/0: must be object" },
        { "{\"version\":1,\"agents\":{\"*\":{\"allowlist\":[{\"pattern\":1}]}}}",
                "at /file/agents/*/allowlist/0/pattern: must be string" },
        { "{\"version\":1,\"defaults\":{\"security\":\"ful\"}}",
                "at /file/defaults/security: must be one of" },
        { "{\"version\":1,\"defaults\":{\"security\":\"deny allowlist\"}}", "must be one of" },
        { "{\"version\":1,\"defaults\":{\"security\":\"\"}}", "must be one of" },
        { "{\"version\":1,\"defaults\":{\"ask\":true}}", "at /file/defaults/ask: must be string" },
        { "{\"version\":1,\"defaults\":{\"autoAllowSkills\":1}}", "must be boolean" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_JSON cJSON *file = parse(cases[i].file);
        struct oc_error err;
        assert_int_equal(oc_exec_approvals_check(file, "/file", &err), OC_E_INVALID);
        if (!strstr(err.text, cases[i].text)) {
            fail_msg("%s gives %s", cases[i].file, err.text);
        }
    }
    OC_AUTO_JSON cJSON *fine = parse("{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":"
                                     "\"on-miss\",\"askFallback\":\"deny\"},\"agents\":{}}");
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_check(fine, "/file", &err), OC_OK);
}

static void use_is_noted(void **state) {
    OC_AUTO_FREE char *path = oc_exec_approvals_path(*state);
    OC_AUTO_JSON cJSON *file = parse(
            "{\"version\":1,\"agents\":{\"*\":{\"allowlist\":[{\"pattern\":\"/a\"}]},\"main\":{"
            "\"allowlist\":[{\"pattern\":\"/a\"},{\"pattern\":\"/b\"},{\"pattern\":\"/c/*\"}]}}}");
    OC_AUTO_JSON cJSON *before = NULL, *after = NULL, *later = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &before, &err), OC_OK);
    struct oc_exec_use uses[] = { { "/a", "/a" }, { "/c/*", "/c/x" } };
    char command[1000];
    memset(command, 'x', sizeof(command));
    command[sizeof(command) - 1] = '\0';
    assert_int_equal(
            oc_exec_approvals_note_use(path, "main", uses, 2, command, 1000000, &err), OC_OK);
    assert_int_equal(oc_exec_approvals_snapshot(path, &after, &err), OC_OK);
    const cJSON *list = oc_json_path(after, "file.agents.main.allowlist");
    const cJSON *a = cJSON_GetArrayItem(list, 0), *c = cJSON_GetArrayItem(list, 2);
    assert_int_equal(any_int(a, "lastUsedAt", 0), 1000000);
    assert_string_equal(oc_json_get_str(c, "lastResolvedPath"), "/c/x");
    assert_int_equal(strlen(oc_json_get_str(c, "lastUsedCommand")), 200);
    assert_null(oc_json_get(cJSON_GetArrayItem(list, 1), "lastUsedAt"));
    const cJSON *shared = oc_json_path(after, "file.agents.*.allowlist");
    assert_null(oc_json_get(cJSON_GetArrayItem(shared, 0), "lastUsedAt"));
    /* within a minute nothing new is written, unless it was another file */
    OC_AUTO_FREE char *text = text_of(path);
    assert_int_equal(oc_exec_approvals_note_use(path, "main", uses, 2, "y", 1059999, &err), OC_OK);
    assert_int_equal(oc_exec_approvals_note_use(path, "main", uses, 0, "y", 2000000, &err), OC_OK);
    OC_AUTO_FREE char *same = text_of(path);
    assert_string_equal(text, same);
    uses[1].resolved_path = "/c/y";
    assert_int_equal(oc_exec_approvals_note_use(path, "main", uses, 2, "z", 1059999, &err), OC_OK);
    assert_int_equal(oc_exec_approvals_snapshot(path, &later, &err), OC_OK);
    list = oc_json_path(later, "file.agents.main.allowlist");
    assert_string_equal(oc_json_get_str(cJSON_GetArrayItem(list, 2), "lastUsedCommand"), "z");
    assert_int_equal(any_int(cJSON_GetArrayItem(list, 0), "lastUsedAt", 0), 1000000);
    /* the owner's read-only file is left alone, and that is no error */
    OC_AUTO_FREE char *kept = text_of(path);
    assert_int_equal(chmod(path, 0400), 0);
    assert_int_equal(oc_exec_approvals_note_use(path, "main", uses, 2, "w", 9000000, &err), OC_OK);
    OC_AUTO_FREE char *still = text_of(path);
    assert_string_equal(kept, still);
    OC_AUTO_FREE char *elsewhere = oc_path_join(*state, "elsewhere.json");
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(chmod(elsewhere, 0600), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    assert_int_equal(oc_exec_approvals_note_use(path, "main", uses, 2, "w", 9000000, &err), OC_OK);
    OC_AUTO_FREE char *through = text_of(path);
    assert_string_equal(kept, through);
    unlink(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, oc_temp_setup, oc_temp_teardown)

/* What is allowed for all agents is noted there, unless the agent has an entry of its own. */
static void use_of_everyones_entry_is_noted(void **state) {
    OC_AUTO_FREE char *path = oc_exec_approvals_path(*state);
    OC_AUTO_JSON cJSON *file = parse("{\"version\":1,\"agents\":{\"*\":{\"allowlist\":["
                                     "{\"pattern\":\"/a\"},{\"pattern\":\"/b\"}]}}}");
    OC_AUTO_JSON cJSON *before = NULL, *after = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &before, &err), OC_OK);
    struct oc_exec_use use = { "/a", "/a" };
    assert_int_equal(oc_exec_approvals_note_use(path, "main", &use, 1, "a", 1000000, &err), OC_OK);
    assert_int_equal(oc_exec_approvals_snapshot(path, &after, &err), OC_OK);
    const cJSON *list = oc_json_path(after, "file.agents.*.allowlist");
    assert_int_equal(any_int(cJSON_GetArrayItem(list, 0), "lastUsedAt", 0), 1000000);
    assert_null(oc_json_get(cJSON_GetArrayItem(list, 1), "lastUsedAt"));
    assert_null(oc_json_path(after, "file.agents.main"));
}

static void one_changes_it_at_a_time(void **state) {
    OC_AUTO_FREE char *path = oc_exec_approvals_path(*state);
    OC_AUTO_FREE char *lock = oc_strfmt("%s.lock", path);
    OC_AUTO_JSON cJSON *file =
            parse("{\"version\":1,\"agents\":{\"*\":{\"allowlist\":[{\"pattern\":\"/a\"}]}}}");
    OC_AUTO_JSON cJSON *a = NULL, *b = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &a, &err), OC_OK);
    assert_int_equal(oc_mode_of(lock), 0600);
    OC_AUTO_FREE char *before = text_of(path);
    int fd = -1;
    assert_int_equal(oc_file_lock(lock, &fd, &err), OC_OK);
    struct oc_exec_use use = { "/a", "/a" };
    const char *hash = oc_json_get_str(a, "hash");
    assert_int_equal(oc_exec_approvals_replace(path, file, hash, &b, &err), OC_E_UNAVAILABLE);
    assert_int_equal(oc_exec_approvals_allow(path, "main", "/b", 1, &err), OC_E_UNAVAILABLE);
    assert_int_equal(oc_exec_approvals_note_use(path, "main", &use, 1, "a", 1000000, &err), OC_OK);
    OC_AUTO_FREE char *after = text_of(path);
    assert_string_equal(before, after);
    close(fd);
    assert_int_equal(oc_exec_approvals_allow(path, "main", "/b", 1, &err), OC_OK);
    /* a link in the lock's place is not followed */
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(symlink(path, lock), 0);
    assert_int_equal(oc_exec_approvals_allow(path, "main", "/c", 1, &err), OC_E_IO);
}

/* Child: uses of a command, as a busy node notes them. */
static _Noreturn void use_for_ever(const char *path) {
    struct oc_exec_use use = { "/a", "/a" };
    for (int64_t at = 1000000;; at += 3600000) {
        if (oc_exec_approvals_note_use(path, "main", &use, 1, "a", at, NULL) != OC_OK) {
            _exit(1);
        }
    }
}

/* The owner's word, as the command line gives it: again, when the file changed meanwhile. */
static void say(const char *path, const char *security) {
    enum oc_code rc;
    do {
        OC_AUTO_JSON cJSON *seen = NULL, *now = NULL;
        struct oc_error err;
        assert_int_equal(oc_exec_approvals_snapshot(path, &seen, &err), OC_OK);
        cJSON *file = cJSON_GetObjectItemCaseSensitive(seen, "file");
        oc_json_set_str(cJSON_GetObjectItemCaseSensitive(file, "defaults"), "security", security);
        rc = oc_exec_approvals_replace(path, file, oc_json_get_str(seen, "hash"), &now, &err);
    } while (rc == OC_E_CANCELLED || rc == OC_E_UNAVAILABLE);
    assert_int_equal(rc, OC_OK);
}

static int64_t last_use(const char *path, char *ret_security, size_t size) {
    OC_AUTO_JSON cJSON *now = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_snapshot(path, &now, &err), OC_OK);
    snprintf(ret_security, size, "%s",
            oc_json_get_str(oc_json_path(now, "file.defaults"), "security"));
    return any_int(
            cJSON_GetArrayItem(oc_json_path(now, "file.agents.*.allowlist"), 0), "lastUsedAt", 0);
}

static void notes_of_use_never_undo_a_denial(void **state) {
    enum { ROUNDS = 60, NOTES_AFTER = 2 };
    OC_AUTO_FREE char *path = oc_exec_approvals_path(*state);
    OC_AUTO_JSON cJSON *file = parse("{\"version\":1,\"defaults\":{\"security\":\"full\"},"
                                     "\"agents\":{\"*\":{\"allowlist\":[{\"pattern\":\"/a\"}]}}}");
    OC_AUTO_JSON cJSON *made = NULL;
    struct oc_error err;
    assert_int_equal(oc_exec_approvals_replace(path, file, NULL, &made, &err), OC_OK);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        use_for_ever(path);
    }
    int lost = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char word[16];
        say(path, "full");
        say(path, "deny");
        int64_t at = last_use(path, word, sizeof(word));
        for (int notes = 0;
                notes < NOTES_AFTER;) { /* whoever had read "full" has written by then */
            int64_t now = last_use(path, word, sizeof(word));
            notes += now != at;
            at = now;
        }
        lost += strcmp(word, "deny") != 0;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(lost, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(looking_makes_nothing),
        TEST(saving_normalizes),
        TEST(only_over_what_was_seen),
        TEST(the_owner_keeps_the_last_word),
        TEST(allowing_one_more),
        TEST(nothing_unreadable_is_written),
        TEST(wrong_shapes),
        TEST(use_is_noted),
        TEST(use_of_everyones_entry_is_noted),
        TEST(one_changes_it_at_a_time),
        TEST(notes_of_use_never_undo_a_denial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
