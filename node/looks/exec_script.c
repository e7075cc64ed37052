#include "node/looks/exec_script.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/argv/exec_forms.h"
#include "node/argv/exec_quiet.h"
#include "node/argv/exec_readers.h"
#include "node/argv/paths/exec_path.h"
#include "node/argv/shell/exec_shell.h"

#include <string.h>

/* ". x", "sh -e x": whatever x looks like, it is run. */
static bool runs_next(const char *piece, bool ran_last) {
    enum nd_exec_form form = nd_exec_form_of(piece, NULL);
    return form == ND_FORM_SHELL || form == ND_FORM_SCRIPT || form == ND_FORM_NODE ||
           strcmp(piece, ".") == 0 || strcmp(piece, "source") == 0 || (piece[0] == '-' && ran_last);
}

void nd_search_bind_pieces(
        const struct nd_search_command *c, struct nd_search *s, size_t i, const char *text) {
    static const char between[] = " \t\r\n;|&<>()'\"`$={}";
    bool is_run = false;
    for (const char *at = text + strspn(text, between); *at && nd_search_may_go_on(s);) {
        size_t len = strcspn(at, between);
        OC_AUTO_FREE char *piece = oc_strndup(at, len);
        ND_AUTO_PROGRAM struct nd_search_program p = nd_search_find_program(s, piece, c->cwd);
        if (!nd_search_try_path_as(s, nd_search_index_of(c, i), piece, c->cwd, false,
                    is_run ? ND_SEARCH_ANY_FILE : ND_SEARCH_CODE_ONLY) &&
                p.is_theirs) {
            nd_search_try_path(s, nd_search_index_of(c, i), p.path, NULL, false);
        }
        is_run = runs_next(piece, is_run) || nd_exec_is_code_option("", piece);
        at += len;
        at += strspn(at, between);
    }
}

/* Every shell has these itself. */
static bool is_builtin(const char *name) {
    static const char *const names[] = { "[", "echo", "false", "kill", "pwd", "test", "true",
        NULL };
    return oc_str_in(name, names);
}

/* A shell may do more with the arguments of its own than the program of that name: printf -v
 * 'a[$(x)]'. */
static bool is_more_than_a_program(const struct oc_strv *words) {
    const char *name = words->items[0];
    for (size_t i = 1; i < words->count && (is_builtin(name) || strcmp(name, "printf") == 0); i++) {
        if (strpbrk(words->items[i], "$`")) {
            return true;
        }
    }
    return false;
}

/* False: what runs there is not known. *ret_dir: the real one, or NULL where the text names none.
 * Caller frees. */
static bool enter_dir(const struct nd_search_command *c, struct nd_search *s, size_t i,
        const struct nd_shell_script *script, char **ret_dir) {
    *ret_dir = NULL;
    if (!script->dir) {
        return true;
    }
    OC_AUTO_FREE char *joined = nd_search_in_dir(script->dir, c->cwd);
    if (nd_exec_is_private_of(joined, &s->state)) {
        nd_search_not_bound(s, script->dir, ND_SEARCH_PRIVATE);
        return false;
    }
    *ret_dir = nd_exec_real(joined);
    nd_search_chain(s->found, nd_search_index_of(c, i), "cd", *ret_dir ? *ret_dir : "nowhere");
    if (strstr(script->dir, "..")) {
        nd_search_not_bound(s, script->dir, "is a directory that differs from shell to shell");
    }
    for (size_t k = 0; k + 1 < script->count; k++) {
        if (script->commands[k].next == ND_SHELL_THEN || script->commands[k].next == ND_SHELL_OR) {
            nd_search_not_bound(s, "the script", "runs elsewhere if cd fails");
        }
    }
    if (!*ret_dir) {
        nd_search_not_bound(s, script->dir, "is no directory now, so what runs there is not known");
    }
    return *ret_dir != NULL;
}

static bool writes_nothing(const struct nd_search_command *c, const struct nd_search *s) {
    ND_AUTO_PROGRAM struct nd_search_program p =
            nd_search_find_program(s, c->argv.items[0], c->cwd);
    return p.path && !p.is_theirs && nd_exec_writes_nothing(p.path);
}

/* What the commands of a script do to each other. */
struct effects {
    size_t writers;       /* that may write files … */
    size_t unbound;       /* … and are not bound themselves: what a bound script writes is its own
                             business */
    size_t runners, bare; /* that run what can be written; that are found by a bare name which
                             another file can take */
    bool is_mixed;        /* one writes what another one runs */
};

/* "cp new.sh x.sh && ./x.sh", "cp new.sh ~/bin/ls && ls": what runs is not what was looked at. */
static void bind_part(
        const struct nd_search_command *part, struct nd_search *s, struct effects *e) {
    bool ran = s->runs_theirs, was_bare = s->can_be_hidden;
    s->runs_theirs = s->can_be_hidden = false;
    nd_search_bind(part, s);
    bool runs = s->runs_theirs, writes = !writes_nothing(part, s), is_unbound = writes && !runs,
         is_bare = s->can_be_hidden && !is_builtin(part->argv.items[0]);
    e->is_mixed = e->is_mixed || (runs && e->writers > 0) || (writes && e->runners > 0) ||
                  (is_bare && e->unbound > 0) || (is_unbound && e->bare > 0);
    e->writers += writes;
    e->unbound += is_unbound;
    e->runners += runs;
    e->bare += is_bare;
    s->runs_theirs = ran || runs;
    s->can_be_hidden = was_bare || is_bare;
}

static void bind_script(const struct nd_search_command *c, struct nd_search *s, size_t i,
        const struct nd_shell_script *script) {
    OC_AUTO_FREE char *dir = NULL;
    if (!enter_dir(c, s, i, script, &dir)) {
        return;
    }
    struct effects effects = { 0 };
    for (size_t k = 0; k < script->count; k++) {
        struct nd_search_command part = {
            .argv = script->commands[k].words,
            .cwd = dir ? dir : c->cwd,
            .first = nd_search_index_of(c, i),
            .is_in_text = true,
            .has_other_path = c->has_other_path && !is_builtin(script->commands[k].words.items[0]),
            .depth = c->depth + 1,
        };
        if (is_more_than_a_program(&part.argv)) {
            nd_search_not_bound(s, part.argv.items[0],
                    "may be the shell's own, which runs commands in its arguments");
        }
        bind_part(&part, s, &effects);
    }
    if (effects.is_mixed) {
        nd_search_not_bound(s, "the script", "runs what another command of it may write before");
    }
}

void nd_search_bind_text(const struct nd_search_command *c, struct nd_search *s, size_t i) {
    const char *text = c->argv.items[i];
    struct nd_shell_script script;
    OC_AUTO_FREE char *why = NULL;
    if (nd_shell_read(text, &script, &why)) {
        bind_script(c, s, i, &script);
    } else {
        nd_search_not_bound(s, "the script",
                "is more than the node understands, so files it runs may not be known");
        nd_search_bind_pieces(c, s, i, text);
    }
    nd_shell_finish(&script);
}
