/* Whole commands under an allowlist, with wrappers in front and shells inside; one argument per
 * line. What the engine allows is made of listed programs and the system's own wrappers, and
 * judging what it says shall run says the same again. What is read out of the words alone, of all
 * of them and of none, is read as well. */
#include "lib/base/mem.h"
#include "node/argv/exec_forms.h"
#include "node/argv/exec_pieces.h"
#include "node/argv/exec_quiet.h"
#include "node/argv/exec_readers.h"
#include "node/argv/exec_words.h"
#include "node/argv/exec_wrappers.h"
#include "node/policy/exec_judge.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <string.h>

static bool is_listed(const char *path) {
    return strcmp(path, "/b/a") == 0 || strcmp(path, "/b/b") == 0;
}

static bool is_wrapper(const char *path) {
    static const char *const all[] = { "/usr/bin/env", "/usr/bin/nice", "/usr/bin/nohup",
        "/usr/bin/stdbuf", "/usr/bin/timeout" };
    for (size_t i = 0; i < OC_COUNT(all); i++) {
        if (strcmp(path, all[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Every file of one letter in /b is a program; a and b are listed, s is a shell and n a wrapper by
 * their links. */
static int check(void *user, const char *path) {
    (void)user;
    bool is_letter = strncmp(path, "/b/", 3) == 0 && path[3] && path[3] != '/' && !path[4];
    return is_letter || is_wrapper(path) ? 0 : ENOENT;
}

static char *real(void *user, const char *path) {
    (void)user;
    return oc_strdup(strcmp(path, "/b/s") == 0   ? "/bin/sh"
                     : strcmp(path, "/b/n") == 0 ? "/usr/bin/nice"
                                                 : path);
}

static void check_allowed(const struct nd_exec_scene *scene, const struct nd_exec_judgement *j) {
    CHECK(j->path && j->argv.count > 0 && j->count > 0);
    CHECK(is_listed(j->path) || is_wrapper(j->path) || strcmp(j->path, "/bin/sh") == 0);
    for (size_t i = 0; i < j->count; i++) {
        CHECK(j->parts[i].is_satisfied && !j->parts[i].is_carrier && is_listed(j->parts[i].path));
    }
    struct nd_exec_scene there = *scene;
    there.cwd = j->cwd ? j->cwd : scene->cwd;
    struct nd_exec_judgement again;
    nd_exec_judge(&there, &j->argv, &again);
    CHECK(again.is_satisfied && again.count == j->count && again.argv.count == j->argv.count);
    CHECK(strcmp(again.path, j->path) == 0);
    for (size_t i = 0; i < j->argv.count; i++) {
        CHECK(strcmp(again.argv.items[i], j->argv.items[i]) == 0);
    }
    nd_exec_judgement_finish(&again);
}

static void read_words(const struct oc_strv *argv) {
    char name[64];
    struct nd_exec_script script;
    struct nd_exec_behind behind;
    nd_exec_plain_name(argv->items[0], name);
    nd_exec_script_of(argv, NULL, &script);
    CHECK(script.operand < argv->count);
    nd_exec_behind_wrapper(name, argv, &behind);
    CHECK(behind.at < argv->count && !(behind.at > 0 && behind.twist));
    oc_free(behind.twist);
    CHECK(!nd_exec_runs_nothing(argv->items[0]) || !nd_exec_reads_data(argv->items[0]));
    for (size_t i = 1; i < argv->count; i++) {
        const char *word = argv->items[i];
        OC_AUTO_STRV struct oc_strv pieces = { 0 };
        CHECK(word[0] || !nd_exec_is_code_option(name, word));
        CHECK(word[0] || !nd_exec_word_runs(name, argv, i));
        CHECK(nd_exec_word_runs(name, argv, i) || !nd_exec_is_pipe_word(word));
        nd_exec_word_pieces(word, &pieces);
        CHECK(strcmp(pieces.items[0], word) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static cJSON *list;
    if (!list) {
        list = cJSON_CreateArray();
        cJSON_AddItemToArray(list, cJSON_CreateString("/b/a"));
        cJSON_AddItemToArray(list, cJSON_CreateString("/b/b"));
    }
    static const struct nd_exec_fs fs = { .check = check, .real = real };
    struct nd_exec_scene scene = { .fs = &fs, .cwd = "/b", .path_env = "/b:/usr/bin", .own = list };
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    OC_AUTO_FREE char *text = oc_strndup((const char *)data, size);
    for (char *line = text, *end; line && argv.count < 32; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        oc_strv_add(&argv, line);
    }
    read_words(&argv);
    if (oc_str_blank(argv.items[0])) {
        return 0; /* the command's params refuse that */
    }
    struct nd_exec_judgement j;
    nd_exec_judge(&scene, &argv, &j);
    CHECK(j.is_satisfied == (j.why == NULL));
    if (j.is_satisfied) {
        check_allowed(&scene, &j);
    }
    nd_exec_judgement_finish(&j);
    return 0;
}
