#include "node/argv/exec_forms.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "node/argv/exec_carriers.h"
#include "node/argv/exec_wrappers.h"
#include "node/argv/paths/exec_path.h"

#include <stdio.h>
#include <string.h>

static const char *const shells[] = { "ash", "bash", "dash", "ksh", "mksh", "sh", "zsh", NULL };

/* Options that are understood: short ones without a value, and long ones; of `counts` the value is
 * a number behind "=". Every other one may load something by its name, run code of its own, or take
 * a word. */
static const struct interpreter {
    const char *name, *flags, *texts; /* letters of texts: what follows is the program, by text or
                                         name, and then its data */
    const char *const *long_flags, *const *counts;
    bool obeys_first_line; /* "perl x" runs another program if the first line of x names one */
    bool opens_pipes;      /* <> of perl, open() of ruby and tclsh */
    bool ends_at_dashes; /* behind "--" is the script; others read their input then, or take it for
                            its name */
} interpreters[] = {
#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NODE_OPTIONS                                                                              \
    NAMES("--enable-source-maps", "--no-deprecation", "--no-warnings", "--throw-deprecation",     \
            "--trace-deprecation", "--trace-uncaught", "--trace-warnings"),                       \
            NAMES("--max-old-space-size", "--max-semi-space-size", "--stack-size"), false, false, \
            true
    { "escript", "", "", NAMES(NULL), NAMES(NULL), true, false, false },
    { "guile", "q", "c", NAMES("--no-auto-compile"), NAMES(NULL), true, false, false },
    { "lua", "vEW", "", NAMES(NULL), NAMES(NULL), false, false, true },
    { "node", "cv", "ep", NODE_OPTIONS },
    { "nodejs", "cv", "ep", NODE_OPTIONS },
    { "perl", "acnpswWXtTUv", "eE", NAMES(NULL), NAMES(NULL), true, true, true },
    { "php", "nq", "r", NAMES(NULL), NAMES(NULL), false, false, false },
    { "pypy", "bBdEIOPqsStuvVx", "cm", NAMES(NULL), NAMES(NULL), false, false, true },
    { "python", "bBdEIOPqsStuvVx", "cm", NAMES(NULL), NAMES(NULL), false, false, true },
    { "ruby", "anplsvw", "e", NAMES(NULL), NAMES(NULL), true, true, true },
    { "tclsh", "", "", NAMES(NULL), NAMES(NULL), true, true, false },
#undef NODE_OPTIONS
#undef NAMES
};

static const char *const none[] = { NULL };
static const struct interpreter any = { "", "", "", none, none, true, true, false };

void nd_exec_plain_name(const char *path, char ret[64]) {
    const char *name = nd_path_name(path);
    size_t len = strlen(name);
    len = len < 64 ? len : 0;
    memcpy(ret, name, len);
    ret[len] = '\0';
    oc_ascii_lower(ret);
    while (len > 1 && oc_is_one_of(ret[len - 1], "0123456789.-_")) {
        ret[--len] = '\0';
    }
}

static const struct interpreter *find_interpreter(const char *name) {
    for (size_t i = 0; i < OC_COUNT(interpreters); i++) {
        if (strcmp(name, interpreters[i].name) == 0) {
            return &interpreters[i];
        }
    }
    return NULL;
}

static enum nd_exec_form form_of(const char *path) {
    char name[64];
    if (!nd_exec_is_carrier(nd_path_name(path))) {
        return ND_FORM_PROGRAM;
    }
    nd_exec_plain_name(path, name);
    return oc_str_in(name, shells)        ? ND_FORM_SHELL
           : nd_exec_is_wrapper(name)     ? ND_FORM_WRAPPER
           : !find_interpreter(name)      ? ND_FORM_OPAQUE
           : oc_starts_with(name, "node") ? ND_FORM_NODE
                                          : ND_FORM_SCRIPT;
}

enum nd_exec_form nd_exec_form_of(const char *name, const char *real) {
    enum nd_exec_form called = form_of(name), is = real ? form_of(real) : called;
    if (called == is || is == ND_FORM_PROGRAM) {
        return called;
    }
    if (called == ND_FORM_PROGRAM) {
        return is;
    }
    return ND_FORM_OPAQUE; /* a shell under another carrier's name, or all of them in one file */
}

/* The letter or name that is not understood. */
static void note_option(struct nd_exec_script *ret, char letter) {
    (void)snprintf(ret->by_name, sizeof(ret->by_name), "-%c", letter);
}

/* python's -W imports the module of a warning that has a dot. */
static bool is_plain_warning(const struct interpreter *in, const char *value) {
    static const char *const actions[] = { "always", "default", "error", "ignore", "module", "once",
        NULL };
    return oc_starts_with(in->name, "py") && value && oc_str_in(value, actions);
}

static void read_short(const struct interpreter *in, const struct oc_strv *argv, size_t *at,
        struct nd_exec_script *ret) {
    for (const char *c = argv->items[*at] + 1; *c; c++) {
        if (oc_is_one_of(*c, in->flags)) {
            continue;
        }
        const char *value = c[1] ? c + 1 : *at + 1 < argv->count ? argv->items[*at + 1] : NULL;
        if (*c != 'W' || !is_plain_warning(in, value)) {
            note_option(ret, *c);
            ret->is_rest_data = oc_is_one_of(*c, in->texts);
        }
        *at += c[1] ? 0 : 1;
        return;
    }
}

/* node reads "_" as "-". */
static bool is_known_long(const struct interpreter *in, const char *arg) {
    char name[64];
    size_t len = strcspn(arg, "=");
    if (len >= sizeof(name)) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        name[i] = arg[i];
        if (name[i] == '_') {
            name[i] = '-';
        }
    }
    name[len] = '\0';
    const char *value = arg[len] == '=' ? arg + len + 1 : NULL;
    return value ? oc_str_in(name, in->counts) && value[0] &&
                           strspn(value, "0123456789") == strlen(value)
                 : oc_str_in(name, in->long_flags);
}

/* A link to one under another's name has no options that are understood. */
static const struct interpreter *interpreter_of(const char *called, const char *real) {
    char name[64], other[64] = "";
    nd_exec_plain_name(called, name);
    if (real) {
        nd_exec_plain_name(real, other);
    }
    const struct interpreter *in = find_interpreter(name), *is = find_interpreter(other);
    return !in || (is && strcmp(is->flags, in->flags) != 0) ? &any : in;
}

void nd_exec_script_of(const struct oc_strv *argv, const char *real, struct nd_exec_script *ret) {
    const struct interpreter *in = interpreter_of(argv->items[0], real);
    *ret = (struct nd_exec_script){ .obeys_first_line = in->obeys_first_line,
        .opens_pipes = in->opens_pipes };
    for (size_t i = 1; i < argv->count; i++) {
        const char *arg = argv->items[i];
        if (strcmp(arg, "--") == 0 && in->ends_at_dashes) {
            ret->operand = i + 1 < argv->count ? i + 1 : 0;
            return;
        }
        if (arg[0] != '-' || !arg[1]) {
            ret->operand = arg[0] == '-' ? 0 : i;
            return;
        }
        if (arg[1] != '-') {
            read_short(in, argv, &i, ret);
        } else if (!is_known_long(in, arg)) {
            note_option(ret, '-');
        }
        if (ret->by_name[0]) {
            return; /* what is behind it belongs to what it loads */
        }
    }
}
