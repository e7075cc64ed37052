#include "node/policy/exec_judge.h"

#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/files/file.h"
#include "node/argv/exec_argv.h"
#include "node/argv/exec_carriers.h"
#include "node/argv/shell/exec_shell.h"

#include <string.h>

/* The first reason stays: "what" is a word of the command or a path, NULL when there is none to
 * name. */
static void exec_judge_miss(struct nd_exec_judgement *j, const char *what, const char *why) {
    j->is_satisfied = false;
    if (!j->why) {
        OC_AUTO_FREE char *shown = what ? oc_printable(what, strlen(what), 200) : NULL;
        j->why = oc_strfmt("%s%s%s", shown ? shown : "", shown ? " " : "", why);
    }
}

static struct nd_exec_part *add_part(struct nd_exec_judgement *j) {
    j->parts = oc_realloc(j->parts, (j->count + 1) * sizeof(j->parts[0]));
    struct nd_exec_part *p = &j->parts[j->count++];
    *p = (struct nd_exec_part){ 0 };
    return p;
}

/* The real file behind a name; NULL when there is none. */
static char *exec_judge_locate(const struct nd_exec_scene *scene, const char *name) {
    OC_AUTO_FREE char *found = NULL;
    if (nd_exec_find_in(scene->fs, name, scene->cwd, scene->path_env, &found) != 0) {
        return NULL;
    }
    return scene->fs->real(scene->fs->user, found);
}

static bool is_private(const struct nd_exec_scene *scene, const char *name) {
    OC_AUTO_FREE char *path = name[0] == '/' ? oc_strdup(name) : oc_path_join(scene->cwd, name);
    return scene->fs->is_private && strchr(name, '/') &&
           scene->fs->is_private(scene->fs->user, path);
}

static bool is_carrier(const char *name, const char *real) {
    return nd_exec_is_carrier(nd_path_name(name)) ||
           (real && nd_exec_is_carrier(nd_path_name(real)));
}

/* A command without its wrappers. */
struct inner {
    struct oc_strv prefix; /* the wrappers that stay, each program by its real path */
    enum nd_argv_layer layer;
    size_t at, script; /* where the program is, and its script if it is a shell */
};

/* A wrapper stays in the command that runs, so it must be the system's own: as such it does what
 * its manual says. */
static bool keep_wrapper(const struct nd_exec_scene *scene, const struct oc_strv *argv, size_t at,
        size_t next, struct oc_strv *prefix) {
    OC_AUTO_FREE char *real = exec_judge_locate(scene, argv->items[at]);
    if (!real || !nd_safe_bins_trusts_dir_of(&scene->safe_bins, real) ||
            strcmp(nd_path_name(real), nd_path_name(argv->items[at])) != 0) {
        return false;
    }
    oc_strv_add(prefix, real);
    for (size_t i = at + 1; i < next; i++) {
        oc_strv_add(prefix, argv->items[i]);
    }
    return true;
}

static bool exec_judge_peel(const struct nd_exec_scene *scene, const struct oc_strv *argv,
        struct inner *ret, struct nd_exec_judgement *j) {
    for (int depth = 0;; depth++) {
        size_t next = 0;
        const char *name = argv->items[ret->at];
        ret->layer = nd_argv_layer_at(argv, ret->at, &next);
        switch (ret->layer) {
        case ND_ARGV_PROGRAM:
            return true;
        case ND_ARGV_SHELL:
            ret->script = next;
            return true;
        case ND_ARGV_OPAQUE:
            exec_judge_miss(
                    j, name, "has options that are not understood or change the environment");
            return false;
        case ND_ARGV_WRAPPER:
            if (!keep_wrapper(scene, argv, ret->at, next, &ret->prefix)) {
                exec_judge_miss(j, name,
                        "is not a program of the system (tools.exec.safeBinTrustedDirs names more "
                        "directories)");
                return false;
            }
            break;
        case ND_ARGV_EMPTY:
            break;
        }
        if (depth + 1 > ND_ARGV_MAX_LAYERS) {
            exec_judge_miss(j, name, "is one wrapper too many");
            return false;
        }
        ret->at = next;
    }
}

static bool is_skill(
        const struct nd_exec_scene *scene, const char *name, const struct nd_exec_part *part) {
    return scene->skills && part->path && !strchr(name, '/') && oc_strv_has(scene->skills, name);
}

/* ret_why: of a safe bin, which argument was too much. Caller frees. */
static bool exec_judge_satisfies(const struct nd_exec_scene *scene, const struct oc_strv *argv,
        struct nd_exec_part *part, char **ret_why) {
    *ret_why = NULL;
    struct nd_exec_subject subject = { .real_path = part->path,
        .argv = argv,
        .cwd = scene->cwd,
        .home = scene->home,
        .fs = scene->fs,
        .tops = scene->tops };
    part->entry = nd_exec_list_find(scene->own, &subject);
    part->entry = part->entry ? part->entry : nd_exec_list_find(scene->shared, &subject);
    return part->entry || nd_safe_bin_allows(&scene->safe_bins, part->path, argv, ret_why) ||
           is_skill(scene, argv->items[0], part);
}

/* argv without wrappers: one program, satisfied or not. */
static void judge_program(const struct nd_exec_scene *scene, const struct oc_strv *argv,
        struct nd_exec_judgement *j) {
    const char *name = argv->items[0];
    OC_AUTO_FREE char *harm = NULL;
    struct nd_exec_part *part = add_part(j);
    part->path = exec_judge_locate(scene, name);
    if (part->path && is_private(scene, name) && !exec_judge_satisfies(scene, argv, part, &harm)) {
        oc_free(oc_take(&part->path)); /* as if it were not there */
    }
    oc_free(oc_take(&harm));
    part->is_carrier = is_carrier(name, part->path);
    if (part->path && !oc_utf8_valid(part->path, strlen(part->path))) {
        exec_judge_miss(j, part->path, "is not UTF-8 text, so no list can name it");
        oc_free(oc_take(&part->path)); /* nor is it noted or remembered in one */
    } else if (part->is_carrier) {
        exec_judge_miss(j, name, "can run any other command, so no list allows it");
    } else if (!part->path) {
        exec_judge_miss(j, name, "was not found on the node");
    } else if (!exec_judge_satisfies(scene, argv, part, &harm)) {
        if (!j->why) {
            j->missing = oc_strdup(part->path);
        }
        /* Who puts it on the list for this one argument shall know that all others go with it. */
        OC_AUTO_FREE char *why =
                harm ? oc_strfmt(
                               "is not on the list, and as a filter that needs no entry it runs "
                               "only with harmless arguments: %s. An entry allows it any argument",
                               harm)
                     : oc_strdup("is not on the list");
        exec_judge_miss(j, part->path, why);
    } else {
        part->is_satisfied = true;
    }
}

static struct oc_strv tail_of(const struct oc_strv *argv, size_t at) {
    return (struct oc_strv){ .items = argv->items + at, .count = argv->count - at };
}

/* What shall run for one command: its wrappers, and its program by its real path. */
static void put_words(
        struct oc_strv *out, const struct inner *in, const struct oc_strv *argv, const char *path) {
    for (size_t i = 0; i < in->prefix.count; i++) {
        oc_strv_add(out, in->prefix.items[i]);
    }
    oc_strv_add(out, path);
    for (size_t i = in->at + 1; i < argv->count; i++) {
        oc_strv_add(out, argv->items[i]);
    }
}

/* Without a wrapper in front a program sees the name it was called by; the file is the same. */
static void set_direct(struct nd_exec_judgement *j, const char *name) {
    struct oc_strv *argv = &j->argv;
    j->path = oc_strdup(argv->items[0]);
    if (strcmp(j->path, j->parts[0].path) == 0) {
        oc_free(argv->items[0]);
        argv->items[0] = oc_strdup(name);
    }
}

/* Appends the words that shall run to ret_words, if it and all before it are satisfied. */
static void judge_command(const struct nd_exec_scene *scene, const struct oc_strv *argv,
        struct oc_strv *ret_words, const char **ret_name, struct nd_exec_judgement *j) {
    struct inner in = { 0 };
    if (exec_judge_peel(scene, argv, &in, j)) {
        struct oc_strv program = tail_of(argv, in.at);
        judge_program(scene, &program, j); /* a shell within a script is a carrier like any other */
        if (j->is_satisfied) {
            put_words(ret_words, &in, argv, j->parts[j->count - 1].path);
            *ret_name = argv->items[in.at];
        }
    }
    oc_strv_finish(&in.prefix);
}

static void put_quoted(struct oc_buf *out, const struct oc_strv *words, enum nd_shell_op next) {
    for (size_t i = 0; i < words->count; i++) {
        if (i > 0) {
            oc_buf_putc(out, ' ');
        }
        nd_shell_quote(out, words->items[i]);
    }
    oc_buf_puts(out, nd_shell_op_text(next));
}

/* j->argv holds the wrappers around the shell already. */
static void judge_commands(const struct nd_exec_scene *scene, const struct nd_shell_script *script,
        const char *flags, struct nd_exec_judgement *j) {
    const char *name = NULL;
    if (script->count == 1 && !strchr(flags, 'x')) {
        judge_command(scene, &script->commands[0].words, &j->argv, &name, j);
        if (j->is_satisfied) {
            set_direct(j, name); /* no shell is needed for that */
        }
        return;
    }
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT((size_t)8 * ND_MAX_SCRIPT_BYTES);
    for (size_t i = 0; i < script->count; i++) {
        OC_AUTO_STRV struct oc_strv words = { 0 };
        judge_command(scene, &script->commands[i].words, &words, &name, j);
        put_quoted(&text, &words, script->commands[i].next);
    }
    if (text.failed) {
        exec_judge_miss(j, NULL, "the script is too long");
    }
    if (j->is_satisfied) {
        OC_AUTO_FREE char *option = oc_strfmt("-%sc", flags);
        oc_strv_add(&j->argv, "/bin/sh");
        oc_strv_add(&j->argv, option);
        oc_strv_add(&j->argv, text.data);
        j->path = oc_strdup(j->argv.items[0]);
    }
}

/* Scripts that begin with "cd dir &&" are judged, and run, there. */
static void judge_in(const struct nd_exec_scene *scene, const struct nd_shell_script *script,
        const char *flags, struct nd_exec_judgement *j) {
    if (!script->dir) {
        judge_commands(scene, script, flags, j);
        return;
    }
    OC_AUTO_FREE char *joined =
            script->dir[0] == '/' ? oc_strdup(script->dir) : oc_path_join(scene->cwd, script->dir);
    j->cwd = is_private(scene, joined) ? NULL : scene->fs->real(scene->fs->user, joined);
    if (!j->cwd) {
        exec_judge_miss(j, script->dir, "is not a directory on the node");
        return;
    }
    struct nd_exec_scene there = *scene;
    there.cwd = j->cwd;
    judge_commands(&there, script, flags, j);
}

/* sh -c: what runs is written anew, for a plain shell of our choice. */
static void judge_script(const struct nd_exec_scene *scene, const struct oc_strv *argv,
        const struct inner *shell, struct nd_exec_judgement *j) {
    OC_AUTO_FREE char *flags = nd_argv_shell_flags(argv, shell->at, shell->script);
    if (!flags) {
        exec_judge_miss(
                j, argv->items[shell->at], "has options, or a language, that are not understood");
        return;
    }
    if (shell->script + 1 < argv->count) {
        exec_judge_miss(j, argv->items[shell->script + 1], "stands behind the script");
        return;
    }
    struct nd_shell_script script;
    OC_AUTO_FREE char *why = NULL;
    if (nd_shell_read(argv->items[shell->script], &script, &why)) {
        for (size_t i = 0; i < shell->prefix.count; i++) {
            oc_strv_add(&j->argv, shell->prefix.items[i]);
        }
        judge_in(scene, &script, flags, j);
    } else {
        OC_AUTO_FREE char *text = oc_strfmt("the script was not understood: %s", why);
        exec_judge_miss(j, NULL, text);
    }
    nd_shell_finish(&script);
}

static void exec_judge_judge(const struct nd_exec_scene *scene, const struct oc_strv *argv,
        struct nd_exec_judgement *ret) {
    struct inner in = { 0 };
    if (exec_judge_peel(scene, argv, &in, ret)) {
        struct oc_strv program = tail_of(argv, in.at);
        ret->is_script = in.layer == ND_ARGV_SHELL;
        if (ret->is_script) {
            judge_script(scene, argv, &in, ret);
        } else {
            judge_program(scene, &program, ret);
        }
        if (ret->is_satisfied && !ret->is_script) {
            put_words(&ret->argv, &in, argv, ret->parts[0].path);
            set_direct(ret, program.items[0]);
        }
    }
    oc_strv_finish(&in.prefix);
    if (!ret->is_satisfied) {
        oc_strv_finish(&ret->argv);
    }
}

void nd_exec_judge(const struct nd_exec_scene *scene, const struct oc_strv *argv,
        struct nd_exec_judgement *ret) {
    *ret = (struct nd_exec_judgement){ .is_satisfied = true };
    struct nd_exec_tops tops = { 0 };
    struct nd_exec_scene own = *scene;
    own.tops = &tops;
    exec_judge_judge(&own, argv, ret);
    nd_exec_tops_finish(&tops);
}

void nd_exec_judgement_finish(struct nd_exec_judgement *j) {
    for (size_t i = 0; i < j->count; i++) {
        oc_free(j->parts[i].path);
    }
    oc_free(j->parts);
    oc_free(j->why);
    oc_free(j->missing);
    oc_free(j->path);
    oc_free(j->cwd);
    oc_strv_finish(&j->argv);
    *j = (struct nd_exec_judgement){ 0 };
}
