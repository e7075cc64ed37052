#include "node/looks/exec_operand.h"

#include "lib/base/buf.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/json/json_scan.h"
#include "node/argv/exec_first_line.h"
#include "node/argv/exec_forms.h"
#include "node/argv/exec_path.h"
#include "node/argv/exec_shell.h"
#include "node/argv/exec_shell_args.h"
#include "node/argv/exec_words.h"
#include "node/argv/exec_wrappers.h"
#include "node/looks/exec_code.h"
#include "node/looks/exec_read.h"
#include "node/looks/exec_seal.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of all files of one command together. */
#define MAX_HASHED_BYTES (16u << 20)
#define MAX_HASHED_FILES 64
#define MAX_LAYERS 8 /* wrappers, shells and first lines of scripts in each other */
#define MAX_REASONS 8
#define MAX_PACKAGE_BYTES (256u << 10)

static const char private_reason[] =
        "lies where the node reads nothing for others (its own state, /proc, /sys, /dev)";

struct search {
    struct oc_exec_operand *found;
    const struct oc_exec_place *place;
    struct oc_exec_state state; /* of the place, resolved once */
    struct oc_map *seen;        /* "index path" of the files that were added */
    size_t words;               /* looked at so far */
    size_t bytes;               /* read so far */
    struct timespec newest;
    char content[65]; /* of the file that was added last */
};

/* Of the files that a word names. */
enum which { ANY_FILE, CODE_ONLY };

/* One command: the whole, what a wrapper starts, or a part of the text of sh -c. */
struct command {
    struct oc_strv argv; /* borrowed */
    const char *cwd;
    size_t first; /* the index of argv[0] in the whole command, or of the text that it stands in */
    bool is_in_text; /* then all its words have that index */
    int depth;
};

static size_t index_of(const struct command *c, size_t i) {
    return c->is_in_text ? c->first : c->first + i;
}

static char *in_dir(const char *name, const char *cwd) {
    return name[0] == '/' || !cwd ? oc_strdup(name) : oc_path_join(cwd, name);
}

static void not_bound(struct search *s, const char *what, const char *why) {
    if (s->found->unbound.count < MAX_REASONS) {
        OC_AUTO_FREE char *shown = oc_printable(what, strlen(what), 100);
        OC_AUTO_FREE char *text = oc_strfmt("%s %s", shown, why);
        oc_strv_add_unique(&s->found->unbound, text);
    }
}

/* Before each word, or piece of one: false when nobody waits for the answer, or when it was enough. */
static bool may_look(struct search *s) {
    const struct oc_exec_place *place = s->place;
    if (place->is_cancelled && atomic_load(place->is_cancelled)) {
        return false;
    }
    if (place->steps) {
        atomic_fetch_add(place->steps, 1);
    }
    if (s->words >= OC_MAX_LOOKED_WORDS) {
        not_bound(s, "the command", "has more words than the node looks at (256)");
        return false;
    }
    s->words++;
    return true;
}

static struct oc_exec_reading reading(const struct search *s, size_t max_bytes) {
    return (struct oc_exec_reading){ .state = &s->state,
        .max_bytes = max_bytes,
        .is_cancelled = s->place->is_cancelled,
        .steps = s->place->steps };
}

/* found->all becomes the seal of itself and one more fact. */
static void chain(struct oc_exec_operand *found, size_t index, const char *fact, const char *path) {
    OC_AUTO_FREE char *line = oc_strfmt("%s %zu %s %s", found->all, index, fact, path);
    oc_exec_seal(line, strlen(line), found->all);
}

/* The content, together with the path: the same text elsewhere has another seal, so that none can be guessed by writing
 * it to a file of one's own. "" where there is too much of it or we may not look. */
static void seal_content(struct search *s, const char *path, char ret[65]) {
    unsigned char digest[32];
    size_t bytes = 0;
    struct oc_exec_reading how = reading(s, MAX_HASHED_BYTES - s->bytes);
    ret[0] = '\0';
    if (s->found->count > MAX_HASHED_FILES || !oc_exec_read_digest(path, &how, digest, &bytes)) {
        return;
    }
    s->bytes += bytes;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1u << 20);
    oc_buf_puts(&text, path);
    oc_buf_append(&text, "", 1);
    oc_buf_append(&text, digest, sizeof(digest));
    oc_exec_seal(text.data, text.len, ret);
}

static bool is_newer(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Nobody can set the time of the last change (ctime). */
static char *identity_of(const struct stat *st) {
    return oc_strfmt("%ju %ju %jd %jd.%ld %jd.%ld", (uintmax_t)st->st_dev, (uintmax_t)st->st_ino,
            (intmax_t)st->st_size, (intmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
            (intmax_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

static bool is_seen(struct search *s, size_t index, const char *path) {
    OC_AUTO_FREE char *key = oc_strfmt("%zu %s", index, path);
    return oc_map_put(s->seen, key, s) != NULL;
}

/* is_word: it is named by a word of its own, as the reference's plan wants it. */
static void add_file(
        struct search *s, size_t index, const char *path, const struct stat *st, bool is_word) {
    struct oc_exec_operand *found = s->found;
    OC_AUTO_FREE char *real = oc_exec_real(path);
    const char *known = real ? real : path;
    if (is_seen(s, index, known)) {
        return;
    }
    char content[65];
    found->count++;
    found->last = index > found->last ? index : found->last;
    seal_content(s, known, content);
    if (!content[0]) { /* who it is can be kept while what is in it changes */
        not_bound(s, known, "was not read: it is too large, or one file too many");
    }
    memcpy(s->content, content, sizeof(content));
    OC_AUTO_FREE char *identity = content[0] ? NULL : identity_of(st);
    chain(found, index, identity ? identity : content, known);
    if (found->count == 1 || is_newer(&st->st_ctim, &s->newest)) {
        s->newest = st->st_ctim;
        oc_free(found->newest);
        found->newest = oc_strdup(known);
    }
    if (found->files.count < OC_MAX_BOUND_SHOWN) {
        oc_strv_add_unique(&found->files, known);
    }
    if (is_word && (!found->path || index < found->index)) {
        found->index = index;
        oc_free(found->path);
        found->path = oc_strdup(known);
        memcpy(found->content, content, sizeof(content));
    }
}

/* What nobody can compare, because it is another content each time it is read; NULL: a file or directory. */
static const char *kind_of(const struct stat *st) {
    return S_ISFIFO(st->st_mode)                          ? "a pipe"
           : S_ISSOCK(st->st_mode)                        ? "a socket"
           : S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode) ? "a device"
                                                          : NULL;
}

/* True: it is there. What must not be opened counts as there, whether or not it is. */
static bool try_path_as(struct search *s, size_t index, const char *name, const char *cwd,
        bool is_word, enum which which) {
    OC_AUTO_FREE char *path = in_dir(name, cwd);
    struct stat st;
    if (!name[0] || strcmp(path, "/dev/null") == 0) {
        return false;
    }
    if (oc_exec_is_private_of(path, &s->state)) {
        not_bound(s, name, private_reason);
        chain(s->found, index, "private", name);
        return true;
    }
    if (stat(path, &st) != 0) {
        return false;
    }
    if (S_ISREG(st.st_mode)) {
        struct oc_exec_reading how = reading(s, 0);
        if (which == ANY_FILE || oc_exec_is_code(path, &st, &how)) {
            add_file(s, index, path, &st, is_word);
        }
        return true;
    }
    const char *kind = kind_of(&st);
    if (kind) {
        OC_AUTO_FREE char *why = oc_strfmt("is %s, whose content cannot be compared", kind);
        not_bound(s, name, why);
    }
    chain(s->found, index, kind ? kind : "a directory", path);
    return kind != NULL;
}

static bool try_path(
        struct search *s, size_t index, const char *name, const char *cwd, bool is_word) {
    return try_path_as(s, index, name, cwd, is_word, ANY_FILE);
}

static bool try_file_as(
        const struct command *c, struct search *s, size_t i, const char *name, enum which which) {
    return try_path_as(s, index_of(c, i), name, c->cwd, !c->is_in_text, which);
}

static bool try_file(const struct command *c, struct search *s, size_t i, const char *name) {
    return try_file_as(c, s, i, name, ANY_FILE);
}

/* "python3 proj" runs a file in there. */
static void try_dir(const struct command *c, struct search *s, size_t i, const char *name) {
    static const char *const mains[] = { "__main__.py", "package.json", "index.js" };
    OC_AUTO_FREE char *dir = in_dir(name, c->cwd);
    for (size_t k = 0; name[0] && k < OC_COUNT(mains); k++) {
        OC_AUTO_FREE char *path = oc_path_join(dir, mains[k]);
        try_file(c, s, i, path);
    }
}

/* x.py, --require=x.js, -fx.awk, LD_PRELOAD=x.so: options of programs we do not know, so all ways to write one. */
static void try_word(const struct command *c, struct search *s, size_t i, enum which which) {
    const char *word = c->argv.items[i], *value = strchr(word, '=');
    if (try_file_as(c, s, i, word, which)) {
        return;
    }
    if (value) {
        try_file_as(c, s, i, value + 1, which);
    }
    if (word[0] != '-') {
        try_dir(c, s, i, word);
    } else if (word[1] && word[1] != '-') {
        try_file_as(c, s, i, word + 2, which);
    }
}

static void try_words(
        const struct command *c, struct search *s, size_t from, size_t end, enum which which) {
    for (size_t i = from; i < end && may_look(s); i++) {
        try_word(c, s, i, which);
    }
}

/* The file of a program. */
struct program {
    char *path;      /* the real one; NULL: there is none that could run. Owned */
    bool is_machine; /* machine code; everything else is a script of some kind, with or without "#!" */
    bool is_theirs; /* a command can change it, or which one it is */
};

static bool is_machine_code(const char *path) {
    char head[4] = { 0 };
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
           memcmp(head, "\177ELF", sizeof(head)) == 0;
}

/* What came with the system is changed by its owner, not by a command. */
static bool is_of_the_system(const char *path) {
    return ((oc_starts_with(path, "/usr/") && !oc_starts_with(path, "/usr/local/")) ||
                   oc_starts_with(path, "/bin/") || oc_starts_with(path, "/sbin/")) &&
           !strstr(path, "/../");
}

static struct program find_program(const struct search *s, const char *name, const char *cwd) {
    OC_AUTO_FREE char *found = NULL;
    struct program p = { 0 };
    if (oc_exec_find(name, cwd, s->place->path_env, &found) == 0) {
        p.path = oc_exec_real(found);
        p.is_machine = p.path && is_machine_code(p.path);
        /* ~/bin/x may lead to /usr/bin/ls now and to a shell in a moment */
        p.is_theirs = p.path && !(is_of_the_system(found) && is_of_the_system(p.path));
    }
    return p;
}

static void bind_command(const struct command *c, struct search *s);

/* The first line of a script is a command as well, with the script as its last word. */
static void bind_first_line(
        const struct command *c, struct search *s, size_t i, const char *path, bool is_theirs) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    if (oc_exec_is_private_of(path, &s->state)) {
        return; /* which was told */
    }
    switch (oc_exec_first_line(path, &argv)) {
    case OC_LINE_NONE:
        return;
    case OC_LINE_UNCLEAR:
        not_bound(s, path, "has a first line that is too long or cannot be read");
        return;
    case OC_LINE_COMMAND:
        break;
    }
    /* The system's scripts have the system's interpreters, unless they look for one. */
    if (!is_theirs && is_of_the_system(argv.items[0]) &&
            strcmp(oc_path_name(argv.items[0]), "env") != 0) {
        return;
    }
    oc_strv_add(&argv, path);
    struct command line = { .argv = argv,
        .cwd = c->cwd,
        .first = index_of(c, i),
        .is_in_text = true,
        .depth = c->depth + 1 };
    bind_command(&line, s);
}

/* A part of a command that is one itself. */
static void bind_inner(const struct command *c, struct search *s, size_t at) {
    struct command inner = {
        .argv = { .items = c->argv.items + at, .count = c->argv.count - at },
        .cwd = c->cwd,
        .first = index_of(c, at),
        .is_in_text = c->is_in_text,
        .depth = c->depth + 1,
    };
    bind_command(&inner, s);
}

/* ". x", "sh -e x": whatever x looks like, it is run. */
static bool runs_next(const char *piece, bool ran_last) {
    enum oc_exec_form form = oc_exec_form_of(piece, NULL);
    return form == OC_FORM_SHELL || form == OC_FORM_SCRIPT || form == OC_FORM_NODE ||
           strcmp(piece, ".") == 0 || strcmp(piece, "source") == 0 || (piece[0] == '-' && ran_last);
}

/* What we cannot read as a script still names files: every piece that is run, or could be, counts. */
static void bind_pieces(const struct command *c, struct search *s, size_t i, const char *text) {
    static const char between[] = " \t\r\n;|&<>()'\"`$={}";
    bool is_run = false;
    for (const char *at = text + strspn(text, between); *at && may_look(s);) {
        size_t len = strcspn(at, between);
        OC_AUTO_FREE char *piece = oc_strndup(at, len);
        struct program p = find_program(s, piece, c->cwd);
        if (!try_path_as(s, index_of(c, i), piece, c->cwd, false, is_run ? ANY_FILE : CODE_ONLY) &&
                p.is_theirs) {
            try_path(s, index_of(c, i), p.path, NULL, false);
        }
        oc_free(p.path);
        is_run = runs_next(piece, is_run) || oc_exec_is_code_option("", piece);
        at += len;
        at += strspn(at, between);
    }
}

/* A shell may have these itself, and do more with their arguments than the program of that name: printf -v 'a[$(x)]'. */
static bool is_more_than_a_program(const struct oc_strv *words) {
    static const char *const builtins[] = { "[", "echo", "false", "kill", "printf", "pwd", "test",
        "true" };
    for (size_t i = 0; i < OC_COUNT(builtins); i++) {
        if (strcmp(words->items[0], builtins[i]) != 0) {
            continue;
        }
        for (size_t k = 1; k < words->count; k++) {
            if (strpbrk(words->items[k], "$`")) {
                return true;
            }
        }
    }
    return false;
}

/* False: what runs there is not known. *ret_dir: the real one, or NULL where the text names none. Caller frees. */
static bool enter_dir(const struct command *c, struct search *s, size_t i,
        const struct oc_shell_script *script, char **ret_dir) {
    *ret_dir = NULL;
    if (!script->dir) {
        return true;
    }
    OC_AUTO_FREE char *joined = in_dir(script->dir, c->cwd);
    if (oc_exec_is_private_of(joined, &s->state)) {
        not_bound(s, script->dir, private_reason);
        return false;
    }
    *ret_dir = oc_exec_real(joined);
    chain(s->found, index_of(c, i), "cd", *ret_dir ? *ret_dir : "nowhere");
    if (strstr(script->dir, "..")) {
        not_bound(s, script->dir, "is a directory that differs from shell to shell");
    }
    for (size_t k = 0; k + 1 < script->count; k++) {
        if (script->commands[k].next == OC_SHELL_THEN || script->commands[k].next == OC_SHELL_OR) {
            not_bound(s, "the script", "runs elsewhere if cd fails");
        }
    }
    if (!*ret_dir) {
        not_bound(s, script->dir, "is no directory now, so what runs there is not known");
    }
    return *ret_dir != NULL;
}

static void bind_script(
        const struct command *c, struct search *s, size_t i, const struct oc_shell_script *script) {
    OC_AUTO_FREE char *dir = NULL;
    if (!enter_dir(c, s, i, script, &dir)) {
        return;
    }
    for (size_t k = 0; k < script->count; k++) {
        struct command part = {
            .argv = script->commands[k].words,
            .cwd = dir ? dir : c->cwd,
            .first = index_of(c, i),
            .is_in_text = true,
            .depth = c->depth + 1,
        };
        if (is_more_than_a_program(&part.argv)) {
            not_bound(s, part.argv.items[0],
                    "may be the shell's own, which runs commands in its arguments");
        }
        bind_command(&part, s);
    }
}

static void bind_text(const struct command *c, struct search *s, size_t i) {
    const char *text = c->argv.items[i];
    struct oc_shell_script script;
    OC_AUTO_FREE char *why = NULL;
    if (oc_shell_read(text, &script, &why)) {
        bind_script(c, s, i, &script);
    } else {
        not_bound(s, "the script",
                "is more than the node understands, so files it runs may not be known");
        bind_pieces(c, s, i, text);
    }
    oc_shell_finish(&script);
}

/* bash looks for its script on PATH, too. */
static void bind_shell_file(const struct command *c, struct search *s, size_t at) {
    const char *name = c->argv.items[at];
    bool is_found = try_file(c, s, at, name);
    struct program p = find_program(s, name, c->cwd);
    if (p.is_theirs) {
        try_path(s, index_of(c, at), p.path, NULL, false);
    }
    if (!is_found && !p.path && strcmp(name, "/dev/null") != 0) {
        not_bound(s, name, "is no file now, so what it will be is not known");
    }
    oc_free(p.path);
}

static enum which bind_shell(const struct command *c, struct search *s) {
    size_t at = 0;
    switch (oc_shell_args_read(&c->argv, 0, &at)) {
    case OC_SHELL_FROM_TEXT:
        bind_text(c, s, at);
        return CODE_ONLY;
    case OC_SHELL_FROM_FILE:
        bind_shell_file(c, s, at);
        return CODE_ONLY;
    case OC_SHELL_FROM_INPUT:
        not_bound(s, c->argv.items[0], "takes its commands from its input");
        break;
    case OC_SHELL_FROM_UNKNOWN:
        not_bound(s, c->argv.items[0], "has options that are not understood");
        break;
    }
    return ANY_FILE;
}

static bool is_carrier(const struct search *s, const char *name, const char *cwd) {
    struct program p = find_program(s, name, cwd);
    bool is_one = oc_exec_form_of(name, p.path) != OC_FORM_PROGRAM;
    oc_free(p.path);
    return is_one;
}

/* Behind what is not understood any word may be the program. */
static void scan_words(const struct command *c, struct search *s) {
    for (size_t i = 1; i < c->argv.count && may_look(s); i++) {
        try_word(c, s, i, ANY_FILE);
        struct program p = find_program(s, c->argv.items[i], c->cwd);
        if (p.is_theirs) {
            try_path(s, index_of(c, i), p.path, NULL, false);
        }
        oc_free(p.path);
    }
}

static void bind_wrapper(const struct command *c, struct search *s, const char *real) {
    char name[64], other[64];
    struct oc_exec_behind behind;
    oc_exec_plain_name(c->argv.items[0], name);
    oc_exec_plain_name(real ? real : name, other);
    if (!oc_exec_is_wrapper(name) || (oc_exec_is_wrapper(other) && strcmp(name, other) != 0)) {
        not_bound(s, c->argv.items[0], "is a wrapper under another name");
        scan_words(c, s);
        return;
    }
    oc_exec_behind_wrapper(name, &c->argv, &behind);
    if (behind.twist) {
        not_bound(s, behind.twist, "changes which files the command means, or is not understood");
        scan_words(c, s);
    } else {
        if (behind.at > 0) {
            bind_inner(c, s, behind.at);
        }
        try_words(c, s, 1, behind.at > 0 ? behind.at : c->argv.count, CODE_ONLY);
    }
    if (strcmp(name, "xargs") == 0 &&
            (c->is_in_text || (behind.at > 0 && is_carrier(s, c->argv.items[behind.at], c->cwd)))) {
        not_bound(s, "xargs", "takes further arguments from its input");
    }
    oc_free(behind.twist);
}

/* What "main" of a package.json says. */
enum main_file { MAIN_NONE, MAIN_NAMED, MAIN_UNCLEAR };

static enum main_file main_of(const char *json, char **ret) {
    struct oc_slice all = { json, strlen(json) };
    struct oc_json_value v;
    const char *first = strstr(json, "\"main\"");
    if (!oc_json_valid(json, strlen(json), 64) || oc_json_root(all).kind != OC_JK_OBJECT ||
            strchr(json, '\\') || (first && strstr(first + 1, "\"main\""))) {
        return MAIN_UNCLEAR;
    }
    if (!oc_json_find(oc_json_root(all).raw, "main", &v)) {
        return MAIN_NONE;
    }
    if (v.kind != OC_JK_STRING) {
        return MAIN_UNCLEAR;
    }
    struct oc_slice body = oc_json_body(v);
    *ret = oc_strndup(body.ptr, body.len);
    return body.len == 0 || strstr(*ret, "..") ? MAIN_UNCLEAR : MAIN_NAMED;
}

/* As require() finds it: the first that is there. */
static bool try_endings(const struct command *c, struct search *s, size_t i, const char *path) {
    static const char *const endings[] = { ".js", ".json", ".node" };
    for (size_t k = 0; k < OC_COUNT(endings); k++) {
        OC_AUTO_FREE char *name = oc_strfmt("%s%s", path, endings[k]);
        if (try_file(c, s, i, name)) {
            return true;
        }
    }
    return false;
}

static bool try_index(const struct command *c, struct search *s, size_t i, const char *dir) {
    OC_AUTO_FREE char *index = oc_path_join(dir, "index");
    return try_endings(c, s, i, index);
}

static bool try_package(const struct command *c, struct search *s, size_t i, const char *dir) {
    OC_AUTO_FREE char *path = oc_path_join(dir, "package.json"), *main = NULL;
    struct oc_exec_reading how = reading(s, MAX_PACKAGE_BYTES);
    if (!try_file(c, s, i, path)) {
        return try_index(c, s, i, dir);
    }
    OC_AUTO_FREE char *json = oc_exec_read_text(path, &how);
    enum main_file says = json ? main_of(json, &main) : MAIN_UNCLEAR;
    OC_AUTO_FREE char *file = says == MAIN_NAMED ? in_dir(main, dir) : NULL;
    if (says == MAIN_UNCLEAR) {
        not_bound(s, path, "is not plain, so which file is the main one is not known");
    }
    return (file && (try_file(c, s, i, file) || try_endings(c, s, i, file) ||
                            try_index(c, s, i, file))) ||
           try_index(c, s, i, dir);
}

/* node takes ".." out of a path by its text, and "app.js" before the directory "app". */
static bool try_main(const struct command *c, struct search *s, size_t i) {
    const char *name = c->argv.items[i];
    size_t len = strlen(name);
    OC_AUTO_FREE char *path = in_dir(name, c->cwd);
    bool is_subcommand = strcmp(name, "inspect") == 0;
    if (strstr(name, "..") || is_subcommand) {
        return false;
    }
    return (len > 0 && name[len - 1] != '/' &&
                   (try_file(c, s, i, name) || try_endings(c, s, i, path))) ||
           try_package(c, s, i, path);
}

static bool try_script(const struct command *c, struct search *s, size_t i) {
    OC_AUTO_FREE char *path = in_dir(c->argv.items[i], c->cwd);
    struct stat st;
    if (try_file(c, s, i, c->argv.items[i])) {
        return true;
    }
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return false;
    }
    not_bound(s, c->argv.items[i], "is a directory, in which the interpreter chooses files itself");
    return true;
}

/* Which of the other words are bound, too. */
static enum which bind_interpreter(
        const struct command *c, struct search *s, const char *real, bool is_node) {
    struct oc_exec_script script;
    oc_exec_script_of(&c->argv, real, &script);
    const char *name = c->argv.items[0];
    for (size_t i = script.operand + 1; script.opens_pipes && i < c->argv.count; i++) {
        if (oc_exec_is_pipe_word(c->argv.items[i])) {
            not_bound(s, c->argv.items[i], "may be run as a command instead of being opened");
            bind_pieces(c, s, i, c->argv.items[i]);
        }
    }
    if (script.by_name[0]) {
        OC_AUTO_FREE char *what = oc_strfmt("%s %s", oc_path_name(name),
                script.by_name[1] == '-' ? "with such options" : script.by_name);
        not_bound(s, what, "can load any file by its name");
        return script.is_rest_data ? CODE_ONLY : ANY_FILE;
    }
    if (script.operand == 0) {
        not_bound(s, name, "takes its commands from its input");
        return ANY_FILE;
    }
    if (!(is_node ? try_main(c, s, script.operand) : try_script(c, s, script.operand))) {
        not_bound(s, c->argv.items[script.operand],
                "is no file now, so what it will be is not known");
        return ANY_FILE;
    }
    OC_AUTO_FREE char *path = in_dir(c->argv.items[script.operand], c->cwd);
    struct stat st;
    if (script.obeys_first_line && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        bind_first_line(c, s, script.operand, path, true);
    }
    return CODE_ONLY;
}

/* The first word that is no option may be a script, and so may be the value of some options. */
static void bind_opaque(const struct command *c, struct search *s) {
    char name[64];
    oc_exec_plain_name(c->argv.items[0], name);
    not_bound(s, oc_path_name(c->argv.items[0]), "decides itself which files it reads and runs");
    bool is_first = !oc_exec_reads_data(name), is_value = false;
    for (size_t i = 1; i < c->argv.count && may_look(s); i++) {
        const char *word = c->argv.items[i];
        bool is_option = word[0] == '-', is_code = oc_exec_is_code_option(name, word);
        try_word(c, s, i, is_value || is_code || (is_first && !is_option) ? ANY_FILE : CODE_ONLY);
        is_first = is_first && is_option;
        is_value = is_code;
    }
}

/* A device right in /dev is none of what programs run, and nobody but root makes another one of it. */
static bool is_plain_device(const char *path) {
    return oc_starts_with(path, "/dev/") && !strchr(path + 5, '/');
}

/* A program or script that a plain program may run when told so. is_word: not only a piece of one, so that it may be found
 * through PATH as well. */
static void try_piece(
        const struct command *c, struct search *s, size_t i, const char *piece, bool is_word) {
    OC_AUTO_FREE char *path = in_dir(piece, c->cwd);
    struct program p = { 0 };
    struct stat st;
    if (is_plain_device(path)) {
        return;
    }
    if (is_word && !strchr(piece, '/')) {
        p = find_program(s, piece, c->cwd);
    }
    OC_AUTO_FREE char *found = oc_take(&p.path);
    size_t before = s->found->count;
    if (p.is_theirs) {
        try_path(s, index_of(c, i), found, NULL, false);
    }
    if (oc_exec_is_private_of(path, &s->state)) {
        try_path(s, index_of(c, i), piece, c->cwd, false); /* which says so */
    } else if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        OC_AUTO_FREE char *real = oc_exec_real(path);
        if (!real || !is_of_the_system(real) || !is_of_the_system(path)) {
            try_path_as(s, index_of(c, i), piece, c->cwd, false, CODE_ONLY);
        }
    }
    if (s->found->count > before) {
        not_bound(s, piece, "is a program or script, which this program may run");
    }
}

/* Everything that could make it run something else, by the rules of node/argv/exec_words.h. */
static void bind_program_words(const struct command *c, struct search *s, const struct program *p) {
    char name[64];
    if (p->path && is_of_the_system(p->path) && oc_exec_runs_nothing(p->path)) {
        return;
    }
    oc_exec_plain_name(p->path ? p->path : c->argv.items[0], name);
    for (size_t i = 1; i < c->argv.count && may_look(s); i++) {
        OC_AUTO_STRV struct oc_strv pieces = { 0 };
        const char *word = c->argv.items[i], *value = strchr(word, '=');
        if (oc_exec_word_runs(name, &c->argv, i)) {
            not_bound(s, word, "may tell this program to run something");
        }
        oc_exec_word_pieces(word, &pieces);
        for (size_t k = 0; k < pieces.count; k++) {
            bool is_word = k == 0 || (value && strcmp(pieces.items[k], value + 1) == 0);
            try_piece(c, s, i, pieces.items[k], is_word);
        }
    }
}

/* Programs and scripts first: they must be among what is read. */
static void bind_arguments(const struct command *c, struct search *s, enum oc_exec_form form,
        const struct program *p) {
    switch (form) {
    case OC_FORM_PROGRAM:
        bind_program_words(c, s, p);
        break;
    case OC_FORM_SHELL:
        try_words(c, s, 1, c->argv.count, bind_shell(c, s));
        break;
    case OC_FORM_WRAPPER:
        bind_wrapper(c, s, p->path);
        break;
    case OC_FORM_SCRIPT:
    case OC_FORM_NODE:
        try_words(c, s, 1, c->argv.count, bind_interpreter(c, s, p->path, form == OC_FORM_NODE));
        break;
    case OC_FORM_OPAQUE:
        bind_opaque(c, s);
        break;
    }
}

static void bind_command(const struct command *c, struct search *s) {
    if (c->depth > MAX_LAYERS) {
        not_bound(s, c->argv.items[0], "is one layer too many");
        return;
    }
    struct program p = find_program(s, c->argv.items[0], c->cwd);
    bool is_whole = c->depth == 0;
    enum oc_exec_form form = oc_exec_form_of(c->argv.items[0], p.path);
    if (!is_whole) {
        chain(s->found, index_of(c, 0), "program", p.path ? p.path : "nothing");
    }
    char content[65] = "";
    size_t before = s->found->count;
    if (p.is_theirs) {
        try_path(s, index_of(c, 0), p.path, NULL, is_whole && !p.is_machine);
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
    oc_free(p.path);
}

bool oc_exec_operand_find(const struct oc_strv *argv, const struct oc_exec_place *place,
        struct oc_exec_operand *ret) {
    *ret = (struct oc_exec_operand){ 0 };
    struct search s = { .found = ret, .place = place, .seen = oc_map_create() };
    oc_exec_state_init(&s.state, place->state_dir);
    struct command whole = { .argv = *argv, .cwd = place->cwd };
    bind_command(&whole, &s);
    oc_map_destroy(s.seen);
    oc_exec_state_finish(&s.state);
    for (size_t i = 0; i < ret->unbound.count; i++) {
        chain(ret, 0, "unbound", ret->unbound.items[i]);
    }
    return ret->count > 0;
}

void oc_exec_operand_finish(struct oc_exec_operand *o) {
    oc_free(o->path);
    oc_free(o->newest);
    oc_free(o->program);
    oc_strv_finish(&o->files);
    oc_strv_finish(&o->unbound);
    *o = (struct oc_exec_operand){ 0 };
}
