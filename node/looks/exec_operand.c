#include "node/looks/exec_operand.h"

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/argv/exec_first_line.h"
#include "node/argv/exec_forms.h"
#include "node/argv/exec_pieces.h"
#include "node/argv/exec_quiet.h"
#include "node/argv/exec_readers.h"
#include "node/argv/exec_words.h"
#include "node/argv/exec_wrappers.h"
#include "node/argv/paths/exec_path.h"
#include "node/argv/shell/exec_shell_args.h"
#include "node/looks/exec_package.h"
#include "node/looks/exec_script.h"
#include "node/looks/exec_search.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LAYERS 8 /* wrappers, shells and first lines of scripts in each other */

/* "python3 proj" runs a file in there. */
static void try_dir(
        const struct nd_search_command *c, struct nd_search *s, size_t i, const char *name) {
    static const char *const mains[] = { "__main__.py", "package.json", "index.js" };
    OC_AUTO_FREE char *dir = nd_search_in_dir(name, c->cwd);
    for (size_t k = 0; name[0] && k < OC_COUNT(mains); k++) {
        OC_AUTO_FREE char *path = oc_path_join(dir, mains[k]);
        nd_search_try_file(c, s, i, path);
    }
}

/* x.py, --require=x.js, -fx.awk, LD_PRELOAD=x.so: options of programs we do not know, so all ways
 * to write one. */
static void try_word(const struct nd_search_command *c, struct nd_search *s, size_t i,
        enum nd_search_which which) {
    const char *word = c->argv.items[i], *value = strchr(word, '=');
    if (nd_search_try_file_as(c, s, i, word, which)) {
        return;
    }
    if (value) {
        nd_search_try_file_as(c, s, i, value + 1, which);
    }
    if (word[0] != '-') {
        try_dir(c, s, i, word);
    } else if (word[1] && word[1] != '-') {
        nd_search_try_file_as(c, s, i, word + 2, which);
    }
}

static void try_words(const struct nd_search_command *c, struct nd_search *s, size_t from,
        size_t end, enum nd_search_which which) {
    for (size_t i = from; i < end && nd_search_may_go_on(s); i++) {
        try_word(c, s, i, which);
    }
}

/* The first line of a script is a command as well, with the script as its last word. */
static void bind_first_line(const struct nd_search_command *c, struct nd_search *s, size_t i,
        const char *path, bool is_theirs) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    if (nd_exec_is_private_of(path, &s->state)) {
        return; /* which was told */
    }
    switch (nd_exec_first_line(path, &argv)) {
    case ND_LINE_NONE:
        return;
    case ND_LINE_UNCLEAR:
        nd_search_not_bound(s, path, "has a first line that is too long or cannot be read");
        return;
    case ND_LINE_COMMAND:
        break;
    }
    /* The system's scripts have the system's interpreters, unless they look for one. */
    if (!is_theirs && nd_search_is_of_the_system(argv.items[0]) &&
            strcmp(nd_path_name(argv.items[0]), "env") != 0) {
        return;
    }
    oc_strv_add(&argv, path);
    struct nd_search_command line = { .argv = argv,
        .cwd = c->cwd,
        .first = nd_search_index_of(c, i),
        .is_in_text = true,
        .has_other_path = c->has_other_path,
        .depth = c->depth + 1 };
    nd_search_bind(&line, s);
}

/* A part of a command that is one itself. */
static void bind_inner(const struct nd_search_command *c, struct nd_search *s, size_t at) {
    struct nd_search_command inner = {
        .argv = { .items = c->argv.items + at, .count = c->argv.count - at },
        .cwd = c->cwd,
        .first = nd_search_index_of(c, at),
        .is_in_text = c->is_in_text,
        .has_other_path = c->has_other_path,
        .depth = c->depth + 1,
    };
    nd_search_bind(&inner, s);
}

/* bash looks for its script on PATH, too. */
static void bind_shell_file(
        const struct nd_search_command *c, struct nd_search *s, size_t at, bool is_login) {
    const char *name = c->argv.items[at];
    bool is_found = nd_search_try_file(c, s, at, name);
    ND_AUTO_PROGRAM struct nd_search_program p = nd_search_find_program(s, name, c->cwd);
    if (p.is_theirs) {
        nd_search_try_path(s, nd_search_index_of(c, at), p.path, NULL, false);
    }
    if (!is_found && (!p.path || is_login) && strcmp(name, "/dev/null") != 0) {
        nd_search_not_bound(s, name, "is no file now, so what it will be is not known");
    }
}

static enum nd_search_which bind_shell(const struct nd_search_command *c, struct nd_search *s) {
    size_t at = 0;
    bool is_login = false;
    struct nd_search_command inside = *c;
    switch (nd_shell_args_read(&c->argv, 0, &at, &is_login)) {
    case ND_SHELL_FROM_TEXT:
        inside.has_other_path = c->has_other_path || is_login;
        nd_search_bind_text(&inside, s, at);
        return ND_SEARCH_CODE_ONLY;
    case ND_SHELL_FROM_FILE:
        bind_shell_file(c, s, at, c->has_other_path || is_login);
        return ND_SEARCH_CODE_ONLY;
    case ND_SHELL_FROM_INPUT:
        nd_search_not_bound(s, c->argv.items[0], "takes its commands from its input");
        break;
    case ND_SHELL_FROM_UNKNOWN:
        nd_search_not_bound(s, c->argv.items[0], "has options that are not understood");
        break;
    }
    return ND_SEARCH_ANY_FILE;
}

static bool is_carrier(const struct nd_search *s, const char *name, const char *cwd) {
    ND_AUTO_PROGRAM struct nd_search_program p = nd_search_find_program(s, name, cwd);
    return nd_exec_form_of(name, p.path) != ND_FORM_PROGRAM;
}

/* Behind what is not understood any word may be the program. */
static void scan_words(const struct nd_search_command *c, struct nd_search *s) {
    for (size_t i = 1; i < c->argv.count && nd_search_may_go_on(s); i++) {
        try_word(c, s, i, ND_SEARCH_ANY_FILE);
        ND_AUTO_PROGRAM struct nd_search_program p =
                nd_search_find_program(s, c->argv.items[i], c->cwd);
        if (p.is_theirs) {
            nd_search_try_path(s, nd_search_index_of(c, i), p.path, NULL, false);
        }
    }
}

static void bind_wrapper(const struct nd_search_command *c, struct nd_search *s, const char *real) {
    char name[64], other[64];
    struct nd_exec_behind behind;
    nd_exec_plain_name(c->argv.items[0], name);
    nd_exec_plain_name(real ? real : name, other);
    if (!nd_exec_is_wrapper(name) || (nd_exec_is_wrapper(other) && strcmp(name, other) != 0)) {
        nd_search_not_bound(s, c->argv.items[0], "is a wrapper under another name");
        scan_words(c, s);
        return;
    }
    nd_exec_behind_wrapper(name, &c->argv, &behind);
    if (behind.twist) {
        nd_search_not_bound(
                s, behind.twist, "changes which files the command means, or is not understood");
        scan_words(c, s);
    } else {
        if (behind.at > 0) {
            bind_inner(c, s, behind.at);
        }
        try_words(c, s, 1, behind.at > 0 ? behind.at : c->argv.count, ND_SEARCH_CODE_ONLY);
    }
    if (strcmp(name, "xargs") == 0 &&
            (c->is_in_text || (behind.at > 0 && is_carrier(s, c->argv.items[behind.at], c->cwd)))) {
        nd_search_not_bound(s, "xargs", "takes further arguments from its input");
    }
    oc_free(behind.twist);
}

static bool try_script(const struct nd_search_command *c, struct nd_search *s, size_t i) {
    OC_AUTO_FREE char *path = nd_search_in_dir(c->argv.items[i], c->cwd);
    struct stat st;
    if (nd_search_try_file(c, s, i, c->argv.items[i])) {
        return true;
    }
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return false;
    }
    nd_search_not_bound(
            s, c->argv.items[i], "is a directory, in which the interpreter chooses files itself");
    return true;
}

/* Which of the other words are bound, too. */
static enum nd_search_which bind_interpreter(
        const struct nd_search_command *c, struct nd_search *s, const char *real, bool is_node) {
    struct nd_exec_script script;
    nd_exec_script_of(&c->argv, real, &script);
    const char *name = c->argv.items[0];
    for (size_t i = script.operand + 1; script.opens_pipes && i < c->argv.count; i++) {
        if (nd_exec_is_pipe_word(c->argv.items[i])) {
            nd_search_not_bound(
                    s, c->argv.items[i], "may be run as a command instead of being opened");
            nd_search_bind_pieces(c, s, i, c->argv.items[i]);
        }
    }
    if (script.by_name[0]) {
        OC_AUTO_FREE char *what = oc_strfmt("%s %s", nd_path_name(name),
                script.by_name[1] == '-' ? "with such options" : script.by_name);
        nd_search_not_bound(s, what, "can load any file by its name");
        return script.is_rest_data ? ND_SEARCH_CODE_ONLY : ND_SEARCH_ANY_FILE;
    }
    if (script.operand == 0) {
        nd_search_not_bound(s, name, "takes its commands from its input");
        return ND_SEARCH_ANY_FILE;
    }
    if (!(is_node ? nd_search_try_main(c, s, script.operand) : try_script(c, s, script.operand))) {
        nd_search_not_bound(s, c->argv.items[script.operand],
                "is no file now, so what it will be is not known");
        return ND_SEARCH_ANY_FILE;
    }
    OC_AUTO_FREE char *path = nd_search_in_dir(c->argv.items[script.operand], c->cwd);
    struct stat st;
    if (script.obeys_first_line && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        bind_first_line(c, s, script.operand, path, true);
    }
    return ND_SEARCH_CODE_ONLY;
}

/* The first word that is no option may be a script, and so may be the value of some options. */
static void bind_opaque(const struct nd_search_command *c, struct nd_search *s) {
    char name[64];
    nd_exec_plain_name(c->argv.items[0], name);
    nd_search_not_bound(
            s, nd_path_name(c->argv.items[0]), "decides itself which files it reads and runs");
    bool is_first = !nd_exec_reads_data(name), is_value = false;
    for (size_t i = 1; i < c->argv.count && nd_search_may_go_on(s); i++) {
        const char *word = c->argv.items[i];
        bool is_option = word[0] == '-', is_code = nd_exec_is_code_option(name, word);
        try_word(c, s, i,
                is_value || is_code || (is_first && !is_option) ? ND_SEARCH_ANY_FILE
                                                                : ND_SEARCH_CODE_ONLY);
        is_first = is_first && is_option;
        is_value = is_code;
    }
}

/* A device right in /dev is none of what programs run, and nobody but root makes another one of
 * it. */
static bool is_plain_device(const char *path) {
    return oc_starts_with(path, "/dev/") && !strchr(path + 5, '/');
}

/* A program or script that a plain program may run when told so. is_word: not only a piece of one,
 * so that it may be found through PATH as well. */
static void try_piece(const struct nd_search_command *c, struct nd_search *s, size_t i,
        const char *piece, bool is_word) {
    OC_AUTO_FREE char *path = nd_search_in_dir(piece, c->cwd);
    ND_AUTO_PROGRAM struct nd_search_program p = { 0 };
    struct stat st;
    if (is_plain_device(path)) {
        return;
    }
    if (is_word && !strchr(piece, '/')) {
        p = nd_search_find_program(s, piece, c->cwd);
    }
    size_t before = s->found->count;
    if (p.is_theirs) {
        nd_search_try_path(s, nd_search_index_of(c, i), p.path, NULL, false);
    }
    if (nd_exec_is_private_of(path, &s->state)) {
        nd_search_try_path(s, nd_search_index_of(c, i), piece, c->cwd, false); /* which says so */
    } else if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        OC_AUTO_FREE char *real = nd_exec_real(path);
        if (!real || !nd_search_is_of_the_system(real) || !nd_search_is_of_the_system(path)) {
            nd_search_try_path_as(
                    s, nd_search_index_of(c, i), piece, c->cwd, false, ND_SEARCH_CODE_ONLY);
        }
    }
    if (s->found->count > before) {
        nd_search_not_bound(s, piece, "is a program or script, which this program may run");
    }
}

/* Everything that could make it run something else, by the rules of node/argv/exec_words.h. */
static void bind_program_words(
        const struct nd_search_command *c, struct nd_search *s, const struct nd_search_program *p) {
    char name[64];
    if (p->path && nd_search_is_of_the_system(p->path) && nd_exec_runs_nothing(p->path)) {
        return;
    }
    nd_exec_plain_name(p->path ? p->path : c->argv.items[0], name);
    for (size_t i = 1; i < c->argv.count && nd_search_may_go_on(s); i++) {
        OC_AUTO_STRV struct oc_strv pieces = { 0 };
        const char *word = c->argv.items[i], *value = strchr(word, '=');
        if (nd_exec_word_runs(name, &c->argv, i)) {
            nd_search_not_bound(s, word, "may tell this program to run something");
        }
        if (!nd_exec_word_pieces(word, &pieces)) {
            nd_search_not_bound(s, word, "has more parts than the node looks at");
        }
        for (size_t k = 0; k < pieces.count; k++) {
            bool is_word = k == 0 || (value && strcmp(pieces.items[k], value + 1) == 0);
            try_piece(c, s, i, pieces.items[k], is_word);
        }
    }
}

/* Programs and scripts first: they must be among what is read. */
static void bind_arguments(const struct nd_search_command *c, struct nd_search *s,
        enum nd_exec_form form, const struct nd_search_program *p) {
    switch (form) {
    case ND_FORM_PROGRAM:
        bind_program_words(c, s, p);
        break;
    case ND_FORM_SHELL:
        try_words(c, s, 1, c->argv.count, bind_shell(c, s));
        break;
    case ND_FORM_WRAPPER:
        bind_wrapper(c, s, p->path);
        break;
    case ND_FORM_SCRIPT:
    case ND_FORM_NODE:
        try_words(c, s, 1, c->argv.count, bind_interpreter(c, s, p->path, form == ND_FORM_NODE));
        break;
    case ND_FORM_OPAQUE:
        bind_opaque(c, s);
        break;
    }
}

/* The program of a command within another one. */
static void bind_inner_program(
        const struct nd_search_command *c, struct nd_search *s, const struct nd_search_program *p) {
    const char *name = c->argv.items[0];
    nd_search_chain(s->found, nd_search_index_of(c, 0), "program", p->path ? p->path : "nothing");
    s->can_be_hidden = s->can_be_hidden || p->can_be_hidden;
    if (!p->path) {
        nd_search_not_bound(s, name, "is no program now, so what it will be is not known");
    } else if (c->has_other_path && !strchr(name, '/')) {
        nd_search_not_bound(
                s, name, "is looked for on the PATH of a login shell, which is not known");
    }
}

void nd_search_bind(const struct nd_search_command *c, struct nd_search *s) {
    if (c->depth > MAX_LAYERS) {
        nd_search_not_bound(s, c->argv.items[0], "is one layer too many");
        return;
    }
    ND_AUTO_PROGRAM struct nd_search_program p =
            nd_search_find_program(s, c->argv.items[0], c->cwd);
    bool is_whole = c->depth == 0;
    enum nd_exec_form form = nd_exec_form_of(c->argv.items[0], p.path);
    if (!is_whole) {
        bind_inner_program(c, s, &p);
    }
    char content[65] = "";
    size_t before = s->found->count;
    if (p.is_theirs) {
        nd_search_try_path(s, nd_search_index_of(c, 0), p.path, NULL, is_whole && !p.is_machine);
    }
    bool is_added = s->found->count > before;
    memcpy(content, s->content, sizeof(content));
    if (p.path && !p.is_machine) {
        bind_first_line(c, s, 0, p.path, p.is_theirs);
    }
    bind_arguments(c, s, form, &p);
    if (is_whole && is_added && !s->found->path) { /* callers are told about the script rather */
        s->found->path = oc_strdup(p.path);
        memcpy(s->found->content, content, sizeof(content));
    }
    if (is_whole) {
        s->found->program = oc_take(&p.path);
        s->found->is_program_theirs = p.is_theirs;
    }
}

bool nd_exec_operand_find(const struct oc_strv *argv, const struct nd_exec_place *place,
        struct nd_exec_operand *ret) {
    *ret = (struct nd_exec_operand){ 0 };
    struct nd_search s = { .found = ret, .place = place, .seen = oc_map_create() };
    nd_exec_state_init(&s.state, place->state_dir);
    struct nd_search_command whole = { .argv = *argv, .cwd = place->cwd };
    nd_search_bind(&whole, &s);
    oc_map_destroy(s.seen);
    nd_exec_state_finish(&s.state);
    for (size_t i = 0; i < ret->unbound.count; i++) {
        nd_search_chain(ret, 0, "unbound", ret->unbound.items[i]);
    }
    return ret->count > 0;
}

void nd_exec_operand_finish(struct nd_exec_operand *o) {
    oc_free(o->path);
    oc_free(o->newest);
    oc_free(o->program);
    oc_strv_finish(&o->files);
    oc_strv_finish(&o->unbound);
    *o = (struct nd_exec_operand){ 0 };
}
