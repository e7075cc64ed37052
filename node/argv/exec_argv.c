#include "node/argv/exec_argv.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/limits.h"
#include "node/argv/paths/exec_path.h"
#include "node/argv/shell/exec_shell_args.h"

#include <string.h>
#include <strings.h>

/* How a dispatch wrapper's own options look, so that they can be stepped over. */
struct wrapper {
    const char *name;
    const char *short_flags, *short_values; /* letters without and with a value */
    const char *const *long_flags, *const *long_values;
    int operands;         /* what comes between the options and the command: timeout's duration */
    bool takes_number;    /* nice -5 */
    bool takes_variables; /* env A=b; any option of env changes the environment, too */
};

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct wrapper wrappers[] = {
    { .name = "env",
            .short_flags = "i0v",
            .short_values = "uCSP",
            .long_flags = NAMES("ignore-environment", "null", "debug"),
            .long_values = NAMES("unset", "chdir", "split-string"),
            .takes_variables = true },
    { .name = "nice",
            .short_flags = "",
            .short_values = "n",
            .long_flags = NAMES(NULL),
            .long_values = NAMES("adjustment", "priority"),
            .takes_number = true },
    { .name = "nohup",
            .short_flags = "",
            .short_values = "",
            .long_flags = NAMES(NULL),
            .long_values = NAMES(NULL) },
    { .name = "stdbuf",
            .short_flags = "",
            .short_values = "ioe",
            .long_flags = NAMES(NULL),
            .long_values = NAMES("input", "output", "error") },
    { .name = "timeout",
            .short_flags = "v",
            .short_values = "ks",
            .long_flags = NAMES("foreground", "preserve-status", "verbose"),
            .long_values = NAMES("kill-after", "signal"),
            .operands = 1 },
};

/* A command's name as it is compared: no directory, lower case, no .exe. */
static void plain_name(const char *arg, char ret[64]) {
    const char *name = nd_path_name(arg);
    size_t len = strlen(name);
    if (len >= 64) {
        len = 0; /* nothing we know is that long */
    }
    memcpy(ret, name, len);
    ret[len] = '\0';
    oc_ascii_lower(ret);
    if (len > 4 && oc_ends_with(ret, ".exe")) {
        ret[len - 4] = '\0';
    }
}

static bool is_assignment(const char *arg) {
    const char *eq = strchr(arg, '=');
    return eq && eq != arg;
}

/* Steps over one option at *at; false when it is not one this wrapper is known to have. */
static bool skip_option(const struct wrapper *w, const struct oc_strv *argv, size_t *at) {
    const char *arg = argv->items[(*at)++];
    if (strncmp(arg, "--", 2) == 0) {
        char name[32];
        size_t len = strcspn(arg + 2, "=");
        if (len >= sizeof(name)) {
            return false;
        }
        memcpy(name, arg + 2, len);
        name[len] = '\0';
        bool has_value = arg[2 + len] == '=';
        if (oc_str_in(name, w->long_values)) {
            *at += has_value ? 0 : 1;
            return true;
        }
        return !has_value && oc_str_in(name, w->long_flags);
    }
    if (w->takes_number && strspn(arg + 1, "0123456789") == strlen(arg + 1)) {
        return true;
    }
    for (const char *c = arg + 1; *c; c++) {
        if (strchr(w->short_values, *c)) {
            *at += c[1] ? 0 : 1;
            return true;
        }
        if (!strchr(w->short_flags, *c)) {
            return false;
        }
    }
    return true;
}

/* The index of the command behind the wrapper at `at`; 0 when it cannot be told. */
static size_t exec_argv_behind(
        const struct wrapper *w, const struct oc_strv *argv, size_t at, bool *changes_env) {
    at++;
    while (at < argv->count) {
        const char *arg = argv->items[at];
        if (w->takes_variables && is_assignment(arg) && arg[0] != '-') {
            *changes_env = true;
            at++;
        } else if (strcmp(arg, "--") == 0) {
            at++;
            break;
        } else if (arg[0] == '-' && (arg[1] || w->takes_variables)) { /* env's lone "-" means -i */
            *changes_env = *changes_env || w->takes_variables;
            if (!skip_option(w, argv, &at)) {
                return 0;
            }
        } else {
            break;
        }
    }
    while (w->takes_variables && at < argv->count && is_assignment(argv->items[at])) {
        *changes_env = true;
        at++;
    }
    at += (size_t)w->operands;
    return at < argv->count ? at : 0;
}

static const struct wrapper *find_wrapper(const char *name) {
    for (size_t i = 0; i < OC_COUNT(wrappers); i++) {
        if (strcmp(name, wrappers[i].name) == 0) {
            return &wrappers[i];
        }
    }
    return NULL;
}

/* The index of the script in "sh [options] -c script"; 0 when there is none. */
static size_t posix_script(const struct oc_strv *argv, size_t shell) {
    static const char *const with_value[] = { "-o", "+o", "-O", "+O", "--rcfile", "--init-file",
        NULL };
    for (size_t i = shell + 1; i < argv->count; i++) {
        const char *arg = argv->items[i];
        if (oc_str_in(arg, with_value)) {
            i++;
            continue;
        }
        if (strcasecmp(arg, "--command") == 0 ||
                (arg[0] == '-' && arg[1] != '-' && strchr(arg, 'c'))) {
            return i + 1;
        }
        if (strcmp(arg, "--") == 0 || (arg[0] != '-' && arg[0] != '+')) {
            return 0;
        }
    }
    return 0;
}

static size_t flagged_script(const struct oc_strv *argv, size_t shell, const char *const *flags) {
    for (size_t i = shell + 1; i < argv->count; i++) {
        for (const char *const *f = flags; *f; f++) {
            if (strcasecmp(argv->items[i], *f) == 0) {
                return i + 1;
            }
        }
    }
    return 0;
}

static const char *const plain_shells[] = { "sh", "bash", "zsh", "dash", "ash", "ksh", NULL };

static size_t find_script(const struct oc_strv *argv, size_t at, const char *name) {
    static const char *const posix[] = { "sh", "bash", "zsh", "dash", "ash", "ksh", "fish", NULL };
    if (oc_str_in(name, posix)) {
        return posix_script(argv, at);
    }
    if (strcmp(name, "cmd") == 0) {
        return flagged_script(argv, at, NAMES("/c", "/k"));
    }
    if (strcmp(name, "powershell") == 0 || strcmp(name, "pwsh") == 0) {
        return flagged_script(argv, at, NAMES("-c", "-command", "--command"));
    }
    return 0;
}

/* busybox sh …: the shell is the next word. */
static size_t skip_multicall(const struct oc_strv *argv, size_t at, char name[64]) {
    plain_name(argv->items[at], name);
    if ((strcmp(name, "busybox") == 0 || strcmp(name, "toybox") == 0) && at + 1 < argv->count) {
        plain_name(argv->items[++at], name);
    }
    return at;
}

void nd_argv_shape_of(const struct oc_strv *argv, struct nd_argv_shape *ret) {
    *ret = (struct nd_argv_shape){ 0 };
    size_t at = 0;
    for (int depth = 0; depth <= ND_ARGV_MAX_LAYERS && at < argv->count; depth++) {
        char name[64];
        at = skip_multicall(argv, at, name);
        const struct wrapper *w = find_wrapper(name);
        if (w) {
            at = exec_argv_behind(w, argv, at, &ret->has_env_changes);
            if (at == 0) {
                return;
            }
            continue;
        }
        size_t script = find_script(argv, at, name);
        if (script > 0 && script < argv->count && !oc_str_blank(argv->items[script])) {
            ret->script = argv->items[script];
            ret->has_more_args = script + 1 < argv->count;
        }
        return;
    }
}

enum nd_argv_layer nd_argv_layer_at(const struct oc_strv *argv, size_t at, size_t *ret_next) {
    char name[64];
    size_t shell = skip_multicall(argv, at, name);
    const struct wrapper *w = find_wrapper(name);
    if (w) {
        bool changes_env = false;
        *ret_next = exec_argv_behind(w, argv, shell, &changes_env);
        return *ret_next == 0 || changes_env || shell != at ? ND_ARGV_OPAQUE
               : w->takes_variables                         ? ND_ARGV_EMPTY
                                                            : ND_ARGV_WRAPPER;
    }
    size_t script = find_script(argv, shell, name);
    if (script == 0) {
        return ND_ARGV_PROGRAM;
    }
    /* Shells read options behind -c, too; the wire's texts (nd_argv_shape_of) do not. */
    bool is_login;
    if (oc_str_in(name, plain_shells) &&
            nd_shell_args_read(argv, shell, &script, &is_login) != ND_SHELL_FROM_TEXT) {
        return ND_ARGV_OPAQUE;
    }
    *ret_next = script;
    return script < argv->count ? ND_ARGV_SHELL : ND_ARGV_OPAQUE;
}

char *nd_argv_shell_flags(const struct oc_strv *argv, size_t at, size_t script) {
    char name[64];
    at = skip_multicall(argv, at, name);
    if (!oc_str_in(name, plain_shells)) {
        return NULL; /* fish and others speak another language */
    }
    static const char letters[] = "eux";
    bool has[3] = { false };
    for (size_t i = at + 1; i < script; i++) {
        const char *arg = argv->items[i];
        if (oc_str_in(arg, NAMES("--login", "--norc", "--noprofile", "--posix"))) {
            continue;
        }
        if (arg[0] != '-' || arg[1] == '-' || !arg[1]) {
            return NULL;
        }
        for (const char *c = arg + 1; *c; c++) {
            const char *kept = strchr(letters, *c);
            if (kept) {
                has[kept - letters] = true;
            } else if (*c != 'c' && *c != 'l') {
                return NULL;
            }
        }
    }
    return oc_strfmt("%s%s%s", has[0] ? "e" : "", has[1] ? "u" : "", has[2] ? "x" : "");
}

/* White space as JavaScript's \s has it: the other side decides about quotes with that. */
static bool has_space(const char *s) {
    for (const unsigned char *c = (const unsigned char *)s; *c; c++) {
        if (*c == ' ' || (*c >= '\t' && *c <= '\r')) {
            return true;
        }
        unsigned three = c[0] >= 0xe0 && c[1] && c[2]
                                 ? (unsigned)c[0] << 16 | (unsigned)c[1] << 8 | c[2]
                                 : 0;
        if ((c[0] == 0xc2 && c[1] == 0xa0) || three == 0xe19a80 ||
                (three >= 0xe28080 && three <= 0xe2808a) || three == 0xe280a8 ||
                three == 0xe280a9 || three == 0xe280af || three == 0xe2819f || three == 0xe38080 ||
                three == 0xefbbbf) {
            return true;
        }
    }
    return false;
}

char *nd_argv_display(const struct oc_strv *argv) {
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(2 * OC_MAX_REQUEST_BYTES + 64);
    for (size_t i = 0; i < argv->count; i++) {
        const char *arg = argv->items[i];
        if (i > 0) {
            oc_buf_putc(&b, ' ');
        }
        if (arg[0] && !strchr(arg, '"') && !has_space(arg)) {
            oc_buf_puts(&b, arg);
            continue;
        }
        oc_buf_putc(&b, '"');
        for (; *arg; arg++) {
            if (*arg == '"') {
                oc_buf_putc(&b, '\\');
            }
            oc_buf_putc(&b, *arg);
        }
        oc_buf_putc(&b, '"');
    }
    return oc_buf_take(&b);
}

enum oc_code nd_argv_text(
        const struct oc_strv *argv, const char *raw, char **ret, struct oc_error *err) {
    struct nd_argv_shape shape;
    nd_argv_shape_of(argv, &shape);
    bool is_plain_script = shape.script && !shape.has_env_changes && !shape.has_more_args;
    OC_AUTO_FREE char *inferred = is_plain_script ? oc_strdup(shape.script) : nd_argv_display(argv);
    const char *trimmed = oc_trim(inferred);
    if (!oc_str_blank(raw)) {
        OC_AUTO_FREE char *given = oc_strdup(raw);
        if (strcmp(oc_trim(given), trimmed) != 0) {
            return oc_fail_wire(err, OC_E_INVALID, OC_WIRE_INVALID,
                    "INVALID_REQUEST: rawCommand does not match command");
        }
    }
    *ret = oc_strdup(trimmed);
    return OC_OK;
}
