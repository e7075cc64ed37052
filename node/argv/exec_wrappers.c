#include "node/argv/exec_wrappers.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "node/argv/exec_env.h"

#include <ctype.h>
#include <string.h>

static const struct wrapper_row {
    const char *name;
    const char *flags, *values; /* letters without and with a value */
    const char *const *long_flags, *const *long_values;
    size_t operands; /* words in front of the command: timeout's duration, taskset's processors */
} rows[] = {
#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
    { "eatmydata", "", "", NAMES(NULL), NAMES(NULL), 0 },
    { "env", "v", "u", NAMES("debug"), NAMES("unset"), 0 },
    { "gtimeout", "fpv", "ks", NAMES("foreground", "preserve-status", "verbose"),
            NAMES("kill-after", "signal"), 1 },
    { "ifne", "n", "", NAMES(NULL), NAMES(NULL), 0 },
    { "ionice", "t", "cn", NAMES("ignore"), NAMES("class", "classdata"), 0 },
    { "nice", "", "n", NAMES(NULL), NAMES("adjustment"), 0 },
    { "nohup", "", "", NAMES(NULL), NAMES(NULL), 0 },
    { "setsid", "cfw", "", NAMES("ctty", "fork", "wait"), NAMES(NULL), 0 },
    { "stdbuf", "", "ioe", NAMES(NULL), NAMES("input", "output", "error"), 0 },
    { "taskset", "ac", "", NAMES("all-tasks", "cpu-list"), NAMES(NULL), 1 },
    { "time", "apqv", "fo", NAMES("append", "portability", "quiet", "verbose"),
            NAMES("format", "output"), 0 },
    { "timeout", "fpv", "ks", NAMES("foreground", "preserve-status", "verbose"),
            NAMES("kill-after", "signal"), 1 },
    /* not -I and -i: they put input in the place of words; -a is another input */
    { "xargs", "0rtx", "nLPsdE", NAMES("null", "no-run-if-empty", "verbose", "exit"),
            NAMES("max-args", "max-procs", "max-chars", "delimiter"), 0 },
#undef NAMES
};

static const struct wrapper_row *find_row(const char *name) {
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        if (strcmp(name, rows[i].name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

bool nd_exec_is_wrapper(const char *name) {
    return find_row(name) != NULL;
}

/* Whether a program may get, or lose, a variable of that name without meaning other files. */
static bool is_plain_variable(const char *name) {
    bool is_name = name[0] && !isdigit((unsigned char)name[0]);
    for (const char *c = name; *c; c++) {
        is_name = is_name && (isalnum((unsigned char)*c) || *c == '_');
    }
    return is_name && nd_exec_env_class(name) != ND_ENV_LOADS;
}

/* One option at *at. *ret_value: the word that it takes, or NULL. False: it is not understood. */
static bool read_option(const struct wrapper_row *w, const struct oc_strv *argv, size_t *at,
        const char **ret_value) {
    const char *arg = argv->items[(*at)++];
    *ret_value = NULL;
    if (arg[1] == '-') {
        size_t len = strcspn(arg + 2, "=");
        bool has_value = arg[2 + len] == '=';
        OC_AUTO_FREE char *name = oc_strndup(arg + 2, len);
        if (!oc_str_in(name, w->long_values)) {
            return !has_value && oc_str_in(name, w->long_flags);
        }
        *ret_value = has_value ? arg + 3 + len : *at < argv->count ? argv->items[(*at)++] : NULL;
        return *ret_value != NULL;
    }
    if (strcmp(w->name, "nice") == 0 && arg[1] &&
            strspn(arg + 1, "0123456789") == strlen(arg + 1)) {
        return true;
    }
    for (const char *c = arg + 1; *c; c++) {
        if (oc_is_one_of(*c, w->values)) {
            *ret_value = c[1] ? c + 1 : *at < argv->count ? argv->items[(*at)++] : NULL;
            return *ret_value != NULL;
        }
        if (!oc_is_one_of(*c, w->flags)) {
            return false;
        }
    }
    return arg[1] != '\0';
}

static bool read_options(const struct wrapper_row *w, const struct oc_strv *argv, size_t *at,
        struct nd_exec_behind *ret) {
    bool is_env = strcmp(w->name, "env") == 0;
    while (*at < argv->count && argv->items[*at][0] == '-') {
        const char *arg = argv->items[*at], *value = NULL;
        if (strcmp(arg, "--") == 0) {
            ++*at;
            return true;
        }
        if (!read_option(w, argv, at, &value)) {
            ret->twist = oc_strdup(arg);
            return false;
        }
        if (is_env && value && !is_plain_variable(value)) {
            ret->twist = oc_strdup(value);
            return false;
        }
    }
    return true;
}

void nd_exec_behind_wrapper(
        const char *name, const struct oc_strv *argv, struct nd_exec_behind *ret) {
    *ret = (struct nd_exec_behind){ 0 };
    const struct wrapper_row *w = find_row(name);
    size_t at = 1;
    if (!w) {
        ret->twist = oc_strdup(name);
        return;
    }
    if (!read_options(w, argv, &at, ret)) {
        return;
    }
    while (strcmp(name, "env") == 0 && at < argv->count && strchr(argv->items[at], '=')) {
        OC_AUTO_FREE char *variable = oc_strndup(argv->items[at], strcspn(argv->items[at], "="));
        if (!is_plain_variable(variable)) {
            ret->twist = oc_take(&variable);
            return;
        }
        at++;
    }
    at += w->operands;
    ret->at = at < argv->count ? at : 0;
}
