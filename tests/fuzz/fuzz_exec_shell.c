/* Scripts that a caller wants to run under an allowlist. What the engine allows must be made of
 * listed programs only, must say the same when it is judged again, and must be nothing but quoted
 * words and operators. */
#include "lib/base/mem.h"
#include "node/argv/shell/exec_shell.h"
#include "node/policy/exec_judge.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <string.h>

/* On this machine every file of one letter in /b is a program; a, b and c are listed, s is a shell
 * by its link. */
static int check(void *user, const char *path) {
    (void)user;
    return strncmp(path, "/b/", 3) == 0 && path[3] && !path[4] ? 0 : ENOENT;
}

static char *real(void *user, const char *path) {
    (void)user;
    return oc_strdup(strcmp(path, "/b/s") == 0 ? "/b/sh" : path);
}

static bool is_listed(const char *path) {
    return strcmp(path, "/b/a") == 0 || strcmp(path, "/b/b") == 0 || strcmp(path, "/b/c") == 0;
}

/* 'word' 'word' && 'word' …: reads back the first word of every command by the quotes alone. */
static void check_script(const char *text) {
    bool is_first = true;
    while (*text) {
        char word[64] = "";
        size_t len = 0;
        CHECK(*text == '\'');
        for (;;) {
            const char *end = strchr(text + 1, '\'');
            CHECK(end);
            size_t n = (size_t)(end - text - 1);
            if (len + n < sizeof(word)) {
                memcpy(word + len, text + 1, n);
            }
            len += n;
            text = end + 1;
            if (strncmp(text, "\\''", 3) != 0) {
                break;
            }
            len++;
            text += 2;
        }
        CHECK(!is_first || (len < sizeof(word) && is_listed(word)));
        is_first = false;
        static const char *const ops[] = { " && ", " || ", " ; ", " | " };
        for (size_t i = 0; i < OC_COUNT(ops); i++) {
            if (strncmp(text, ops[i], strlen(ops[i])) == 0) {
                text += strlen(ops[i]);
                is_first = true;
                break;
            }
        }
        if (!is_first && *text) {
            CHECK(*text == ' ');
            text++;
        }
    }
    CHECK(!is_first);
}

static void check_allowed(const struct nd_exec_scene *scene, const struct nd_exec_judgement *j) {
    CHECK(j->path && j->argv.count > 0 && j->count > 0);
    for (size_t i = 0; i < j->count; i++) {
        CHECK(j->parts[i].is_satisfied && !j->parts[i].is_carrier && is_listed(j->parts[i].path));
    }
    if (strcmp(j->path, "/bin/sh") != 0) {
        CHECK(is_listed(j->path));
        return;
    }
    CHECK(j->argv.count == 3);
    check_script(j->argv.items[2]);
    struct nd_exec_judgement again;
    nd_exec_judge(scene, &j->argv, &again);
    CHECK(again.is_satisfied && again.count == j->count);
    CHECK(strcmp(again.argv.items[2], j->argv.items[2]) == 0);
    nd_exec_judgement_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static cJSON *list;
    if (!list) {
        list = cJSON_CreateArray();
        cJSON_AddItemToArray(list, cJSON_CreateString("/b/[abc]")); /* brackets mean themselves */
        cJSON_AddItemToArray(list, cJSON_CreateString("/b/a"));
        cJSON_AddItemToArray(list, cJSON_CreateString("/b/b"));
        cJSON_AddItemToArray(list, cJSON_CreateString("/b/c"));
    }
    static const struct nd_exec_fs fs = { .check = check, .real = real };
    struct nd_exec_scene scene = { .fs = &fs, .cwd = "/b", .path_env = "/b", .own = list };
    OC_AUTO_FREE char *script = oc_strndup((const char *)data, size);
    char *items[] = { "/bin/sh", "-c", script };
    struct oc_strv argv = { .items = items, .count = OC_COUNT(items) };
    struct nd_exec_judgement j;
    nd_exec_judge(&scene, &argv, &j);
    CHECK(j.is_satisfied == (j.why == NULL));
    if (j.is_satisfied) {
        check_allowed(&scene, &j);
    }
    nd_exec_judgement_finish(&j);
    return 0;
}
