/* Which files decide what a command does, in a small world of programs, scripts and packages; one
 * argument per line, and what stands before the first form feed is the package.json of a directory
 * there. A line "\1<n>x" is the rest of it, n + 1 times 16 times. Looking twice sees the same, a
 * look that nobody waits for ends, and words of no length are no files. */
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/looks/exec_operand.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/temp_dir.h"

#include <string.h>
#include <sys/stat.h>

enum { MAX_WORDS = 48, MAX_LONG = 4096 };

static char *world;

static void leave(void) {
    temp_dir_remove(world);
}

static char *put(const char *name, const char *text, mode_t mode) {
    char *path = oc_path_join(world, name);
    FILE *f = fopen(path, "we");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0 && chmod(path, mode) == 0);
    return path;
}

static void put_dir(const char *name) {
    OC_AUTO_FREE char *path = oc_path_join(world, name);
    CHECK(mkdir(path, 0700) == 0);
}

static void make_world(void) {
    static const char *const dirs[] = { "a", "b", "b/a", "bin", "state" };
    static const char *const programs[] = { "x", "a.js", "bin/t", "bin/node", "bin/tclsh",
        "b/a/x" };
    world = temp_dir_make();
    (void)atexit(leave);
    for (size_t i = 0; i < OC_COUNT(dirs); i++) {
        put_dir(dirs[i]);
    }
    for (size_t i = 0; i < OC_COUNT(programs); i++) {
        oc_free(put(programs[i], "#!/bin/sh\n", 0700));
    }
    oc_free(put("d", "data\n", 0600));
    oc_free(put("state/k", "secret\n", 0600));
    oc_free(put("e", "#!/usr/bin/env t\n", 0700));
    oc_free(put("b/index.js", "1\n", 0600));
    oc_free(put("b/a/index.js", "1\n", 0600));
}

static void add_word(struct oc_strv *argv, const char *line) {
    if (line[0] != '\1' || !line[1]) {
        oc_strv_add(argv, line);
        return;
    }
    OC_AUTO_BUF struct oc_buf word = OC_BUF_INIT(MAX_LONG);
    for (unsigned i = 0; i < ((unsigned char)line[1] + 1u) * 16; i++) {
        oc_buf_puts(&word, line + 2);
    }
    oc_strv_add(argv, word.data ? word.data : "");
}

static void look(const struct oc_strv *argv, const struct nd_exec_place *place) {
    struct nd_exec_operand one, two;
    bool is_found = nd_exec_operand_find(argv, place, &one);
    CHECK(nd_exec_operand_find(argv, place, &two) == is_found);
    CHECK(is_found == (one.count > 0) && strcmp(one.all, two.all) == 0);
    CHECK(!one.path || (one.index < argv->count && argv->items[one.index][0]));
    CHECK(one.files.count <= ND_MAX_BOUND_SHOWN && one.unbound.count == two.unbound.count);
    for (size_t i = 0; i < one.files.count; i++) {
        CHECK(!strstr(one.files.items[i], "/state/"));
    }
    nd_exec_operand_finish(&one);
    nd_exec_operand_finish(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!world) {
        make_world();
    }
    OC_AUTO_FREE char *text = oc_strndup((const char *)data, size);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    char *line = text, *package = NULL, *behind = strchr(text, '\f');
    if (behind) {
        *behind = '\0';
        package = put("b/package.json", text, 0600);
        line = behind + 1;
    }
    for (char *end; line && argv.count < MAX_WORDS; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        add_word(&argv, line);
    }
    OC_AUTO_FREE char *path_env = oc_strfmt("%s/bin:/usr/bin", world),
                      *state_dir = oc_path_join(world, "state");
    atomic_bool is_cancelled = false;
    look(&argv, &(struct nd_exec_place){ .cwd = world,
                        .path_env = path_env,
                        .state_dir = state_dir,
                        .is_cancelled = &is_cancelled });
    if (package) {
        (void)remove(package);
    }
    oc_free(package);
    return 0;
}
