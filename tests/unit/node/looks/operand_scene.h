/* A directory with scripts, programs and data of all kinds, and what a look finds of a command
 * there. */
#ifndef TESTS_UNIT_NODE_LOOKS_OPERAND_SCENE_H
#define TESTS_UNIT_NODE_LOOKS_OPERAND_SCENE_H

#include "node/looks/exec_operand.h"

#include "lib/files/file.h"
#include "tests/unit/unit.h"

#define PATH_ENV "/usr/bin:/bin"

/* As commands see it; the state directory is "state" in there. */
static inline bool find_operand(
        const struct oc_strv *v, const char *dir, struct nd_exec_operand *ret) {
    OC_AUTO_FREE char *state = oc_path_join(dir, "state"), *bin = oc_path_join(dir, "bin");
    OC_AUTO_FREE char *path_env = oc_strfmt("%s:%s", bin, PATH_ENV);
    return nd_exec_operand_find(v,
            &(struct nd_exec_place){ .cwd = dir, .path_env = path_env, .state_dir = state }, ret);
}

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static inline void fill_words(struct oc_strv *v, const char *const *argv) {
    for (; *argv; argv++) {
        oc_strv_add(v, *argv);
    }
}

static inline void expect_change(
        const char *dir, const struct oc_strv *v, char last[65], bool changes) {
    struct nd_exec_operand o;
    assert_true(find_operand(v, dir, &o));
    assert_int_equal(strcmp(o.all, last) != 0, changes);
    memcpy(last, o.all, sizeof(o.all));
    nd_exec_operand_finish(&o);
}

static inline void write_script(const char *dir, const char *name, const char *text) {
    OC_AUTO_FREE char *path = oc_path_join(dir, name);
    oc_write_text(path, text);
    assert_int_equal(chmod(path, 0700), 0);
}

static inline void write_tool(const char *dir, const char *name) {
    write_script(dir, name, "#!/bin/sh\n");
}

static inline void make_scene(const char *dir) {
    static const char *const dirs[] = { "bin", "sub", "proj", "app", "app/lib", "plain", "broken",
        "both", "escaped", "slash", "slash/sub", "twice", "typed", "state", "state/workspace" };
    static const char *const tools[] = { "bin/deploy", "bin/node", "bin/make", "bin/npm", "bin/npx",
        "bin/pip", "bin/cargo", "bin/zsh", "bin/ruby", "bin/fish", "bin/ksh", "bin/mksh", "bin/php",
        "bin/perl", "bin/tool", "bin/tclsh", "bin/guile", "bin/escript", "slash/sub.js",
        "slash/sub/index.js", "typed.ts", "typed/index.js", "bin/rscript", "bin/chrt", "bin/time",
        "own", "both.js", "both/index.js", "escaped/index.js", "twice/index.js", "x.sh", "sub/y.sh",
        "x.py", "proj/__main__.py", "app/lib/run.js", "plain/index.js", "state/key",
        "state/workspace/x.sh" };
    for (size_t i = 0; i < OC_COUNT(dirs); i++) {
        OC_AUTO_FREE char *path = oc_path_join(dir, dirs[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < OC_COUNT(tools); i++) {
        write_tool(dir, tools[i]);
    }
    OC_AUTO_FREE char *app = oc_path_join(dir, "app/package.json"),
                      *broken = oc_path_join(dir, "broken/package.json"),
                      *link = oc_path_join(dir, "to-state");
    static const struct {
        const char *name, *text;
    } scripts[] = {
        { "both/package.json", "{\"main\":\"index.js\"}" },
        { "by-env", "#!/usr/bin/env deploy\n" },
        { "by-split", "#!/usr/bin/env -S sh ./x.sh\n" },
        { "by-make", "#! make -f\n" },
        { "by-itself", "#!./by-itself\n" },
        { "escaped/package.json", "{\"main\":\"\\u0072eal.js\"}" },
        { "slash/package.json", "{\"main\":\"sub/\"}" },
        { "twice/package.json", "{\"main\":\"index.js\",\"main\":\"real.js\"}" },
    };
    for (size_t i = 0; i < OC_COUNT(scripts); i++) {
        write_script(dir, scripts[i].name, scripts[i].text);
    }
    OC_AUTO_FREE char *own = oc_strfmt("#!%s/own\n", dir), *far = oc_strfmt("#!/%0300d\n", 0);
    write_script(dir, "by-own", own);
    write_script(dir, "by-long", far);
    write_script(dir, "big", "");
    write_script(dir, "make", "");
    static const char *const data[][2] = { { "data.txt", "a\n" }, { "plain.py", "print(1)\n" },
        { "line", "#!/bin/sh\n" }, { "data.c", "int x;\n" },
        { "data.desktop", "[Desktop Entry]\n" } };
    for (size_t i = 0; i < OC_COUNT(data); i++) {
        OC_AUTO_FREE char *path = oc_path_join(dir, data[i][0]);
        oc_write_text(path, data[i][1]);
    }
    OC_AUTO_FREE char *big = oc_path_join(dir, "big"), *pipe = oc_path_join(dir, "pipe"),
                      *lnk = oc_path_join(dir, "lnk"), *login = oc_path_join(dir, "bin/-sh");
    assert_int_equal(truncate(big, (16 << 20) + 1), 0);
    assert_int_equal(mkfifo(pipe, 0600) | symlink("sub", lnk) | symlink("/bin/sh", login), 0);
    oc_write_text(app, "{\"main\":\"./lib/run\"}");
    oc_write_text(broken, "{\"main\":\"gone\"}");
    assert_int_equal(symlink("state", link), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, oc_temp_setup, oc_temp_teardown)

#endif
