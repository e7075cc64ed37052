#include "node/policy/exec_safe_bins.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "node/argv/paths/exec_path.h"

#include <ctype.h>
#include <string.h>

struct flag {
    const char *name; /* "-n" or "--lines" */
    int values;       /* how many follow; one may also be attached */
};

struct profile {
    const char *name;
    int min, max; /* arguments that are no flags */
    const struct flag *flags;
    size_t count;
    const char *plain; /* letters of the flags without value */
};

/* clang-format off */
#define FLAGS(...) .flags = (const struct flag[]){ __VA_ARGS__ }, \
    .count = OC_COUNT(((const struct flag[]){ __VA_ARGS__ }))

/* What is missing here is missing on purpose when it names a file, a program, or how long to
 * wait. */
static const struct profile profiles[] = {
    { .name = "cut", .plain = "snz", FLAGS({ "-b", 1 }, { "-c", 1 }, { "-d", 1 }, { "-f", 1 },
        { "--bytes", 1 }, { "--characters", 1 }, { "--fields", 1 }, { "--delimiter", 1 },
        { "--output-delimiter", 1 }, { "--complement", 0 }, { "--only-delimited", 0 }) },
    { .name = "grep", .plain = "acEFGhHiLlnoPqsvwxyz", FLAGS({ "-e", 1 }, { "-m", 1 }, { "-A", 1 },
        { "-B", 1 }, { "-C", 1 }, { "--regexp", 1 }, { "--max-count", 1 }, { "--after-context", 1 },
        { "--before-context", 1 }, { "--context", 1 }, { "--binary-files", 1 }, { "--label", 1 },
        { "--ignore-case", 0 }, { "--invert-match", 0 }, { "--count", 0 }, { "--quiet", 0 }) },
    { .name = "head", .plain = "qvz", FLAGS({ "-n", 1 }, { "-c", 1 }, { "--lines", 1 },
        { "--bytes", 1 }) },
    { .name = "jq", .max = 1, .plain = "cnrsSaejMCR", FLAGS({ "--arg", 2 }, { "--argjson", 2 },
        { "--compact-output", 0 }, { "--raw-output", 0 }, { "--raw-input", 0 }, { "--slurp", 0 },
        { "--null-input", 0 }, { "--sort-keys", 0 }, { "--exit-status", 0 }, { "--tab", 0 }) },
    { .name = "sort", .plain = "bdfgiMhnRrVcCmsuz", FLAGS({ "-k", 1 }, { "-t", 1 }, { "-S", 1 },
        { "--key", 1 }, { "--field-separator", 1 }, { "--buffer-size", 1 }, { "--parallel", 1 },
        { "--batch-size", 1 }, { "--reverse", 0 }, { "--unique", 0 }, { "--numeric-sort", 0 }) },
    { .name = "tail", .plain = "qvz", FLAGS({ "-n", 1 }, { "-c", 1 }, { "--lines", 1 },
        { "--bytes", 1 }) },
    { .name = "tr", .min = 1, .max = 2, .plain = "cCdst", FLAGS({ "--complement", 0 },
        { "--delete", 0 }, { "--squeeze-repeats", 0 }, { "--truncate-set1", 0 }) },
    { .name = "uniq", .plain = "cdDiuz", FLAGS({ "-f", 1 }, { "-s", 1 }, { "-w", 1 },
        { "--skip-fields", 1 }, { "--skip-chars", 1 }, { "--check-chars", 1 }, { "--count", 0 },
        { "--repeated", 0 }, { "--unique", 0 }, { "--ignore-case", 0 }) },
    { .name = "wc", .plain = "clLmw", FLAGS({ "--bytes", 0 }, { "--chars", 0 }, { "--lines", 0 },
        { "--words", 0 }, { "--max-line-length", 0 }) },
};
/* clang-format on */

static bool exec_safe_bins_holds(const cJSON *array, const char *text) {
    const cJSON *item;
    cJSON_ArrayForEach(item, array) {
        if (oc_streq(cJSON_GetStringValue(item), text)) {
            return true;
        }
    }
    return false;
}

static bool is_switched_on(const struct nd_safe_bins *s, const char *name) {
    static const char *const usual[] = { "jq", "cut", "uniq", "head", "tail", "tr", "wc" };
    if (s->bins) {
        return exec_safe_bins_holds(s->bins, name);
    }
    for (size_t i = 0; i < OC_COUNT(usual); i++) {
        if (strcmp(usual[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool nd_safe_bins_trusts_dir_of(const struct nd_safe_bins *settings, const char *real_path) {
    const char *name = nd_path_name(real_path);
    if (real_path[0] != '/' || name <= real_path + 1) {
        return false;
    }
    OC_AUTO_FREE char *dir = oc_strndup(real_path, (size_t)(name - real_path - 1));
    return strcmp(dir, "/usr/bin") == 0 || strcmp(dir, "/bin") == 0 ||
           exec_safe_bins_holds(settings->trusted_dirs, dir);
}

/* As a file name it would read something that is not its input. */
static bool looks_like_path(const char *s) {
    return s[0] == '/' || s[0] == '~' || oc_starts_with(s, "./") || oc_starts_with(s, "../") ||
           strcmp(s, "..") == 0 || (isalpha((unsigned char)s[0]) && s[1] == ':' && s[2] == '\\');
}

/* jq reads variables of the environment, the names of files and modules from within its filters. */
static bool is_plain_filter(const char *filter) {
    static const char *const words[] = { "env", "ENV", "import", "include", "input_filename",
        "modulemeta", "get_search_list", "input_line_number", "__loc__" };
    for (const char *c = filter; *c;) {
        if (!isalpha((unsigned char)*c) && *c != '_' && *c != '$') {
            c++;
            continue;
        }
        const char *start = c++;
        while (isalnum((unsigned char)*c) || *c == '_') {
            c++;
        }
        bool is_variable = *start == '$';
        bool is_field = !is_variable && start > filter && start[-1] == '.'; /* .env */
        start += is_variable;
        for (size_t i = 0; i < OC_COUNT(words) && !is_field; i++) {
            if (strlen(words[i]) == (size_t)(c - start) &&
                    strncmp(start, words[i], (size_t)(c - start)) == 0) {
                return false;
            }
        }
    }
    return true;
}

static const struct flag *find_flag(const struct profile *p, const char *name, size_t len) {
    for (size_t i = 0; i < p->count; i++) {
        if (strlen(p->flags[i].name) == len && strncmp(p->flags[i].name, name, len) == 0) {
            return &p->flags[i];
        }
    }
    return NULL;
}

/* Why arguments are refused. */
struct bin_trouble {
    const char *arg, *what; /* arg: NULL when it is about none that is there */
};

static bool exec_safe_bins_refuse(struct bin_trouble *t, const char *arg, const char *what) {
    *t = (struct bin_trouble){ arg, what };
    return false;
}

static bool refuse_file(struct bin_trouble *t, const char *arg) {
    return exec_safe_bins_refuse(t, arg, "names a file, and it may only read its input");
}

static bool refuse_option(struct bin_trouble *t, const char *arg) {
    return exec_safe_bins_refuse(t, arg, "is an option that is not known to be harmless");
}

/* Skips the values of a flag; false when one is missing or names a file. */
static bool take_values(const struct oc_strv *argv, size_t *at, int count, struct bin_trouble *t) {
    for (; count > 0; count--) {
        if (*at + 1 >= argv->count) {
            return exec_safe_bins_refuse(t, argv->items[*at], "lacks its value");
        }
        if (looks_like_path(argv->items[*at + 1])) {
            return refuse_file(t, argv->items[*at + 1]);
        }
        (*at)++;
    }
    return true;
}

static bool take_long(
        const struct profile *p, const struct oc_strv *argv, size_t *at, struct bin_trouble *t) {
    const char *arg = argv->items[*at];
    size_t len = strcspn(arg, "=");
    const struct flag *f = find_flag(p, arg, len);
    if (!f || (arg[len] == '=' && f->values != 1)) {
        return refuse_option(t, arg);
    }
    if (arg[len] == '=' && looks_like_path(arg + len + 1)) {
        return refuse_file(t, arg);
    }
    return arg[len] == '=' || take_values(argv, at, f->values, t);
}

static bool take_cluster(
        const struct profile *p, const struct oc_strv *argv, size_t *at, struct bin_trouble *t) {
    for (const char *c = argv->items[*at] + 1; *c; c++) {
        char name[3] = { '-', *c, '\0' };
        const struct flag *f = find_flag(p, name, 2);
        if (f && f->values > 0) {
            return !c[1]                    ? take_values(argv, at, f->values, t)
                   : looks_like_path(c + 1) ? refuse_file(t, argv->items[*at])
                                            : true;
        }
        if (!f && !(p->plain && oc_is_one_of(*c, p->plain))) {
            return refuse_option(t, argv->items[*at]);
        }
    }
    return true;
}

static bool take_positional(
        const struct profile *p, const char *arg, int *count, struct bin_trouble *t) {
    if (looks_like_path(arg)) {
        return refuse_file(t, arg);
    }
    if (strcmp(p->name, "jq") == 0 && !is_plain_filter(arg)) {
        return exec_safe_bins_refuse(t, arg, "is a filter that can read the environment or files");
    }
    if (++*count > p->max) { /* the last one of most programs is a file */
        return exec_safe_bins_refuse(
                t, arg, "is one argument too many, perhaps a file; it may only read its input");
    }
    return true;
}

static bool exec_safe_bins_fits(
        const struct profile *p, const struct oc_strv *argv, struct bin_trouble *t) {
    int positional = 0;
    bool has_ended = false; /* after "--" */
    for (size_t i = 1; i < argv->count; i++) {
        const char *arg = argv->items[i];
        if (!has_ended && strcmp(arg, "--") == 0) {
            has_ended = true;
        } else if (!has_ended && oc_starts_with(arg, "--")) {
            if (!take_long(p, argv, &i, t)) {
                return false;
            }
        } else if (!has_ended && arg[0] == '-' && arg[1]) {
            if (!take_cluster(p, argv, &i, t)) {
                return false;
            }
        } else if (strcmp(arg, "-") != 0) {
            if (!take_positional(p, arg, &positional, t)) {
                return false;
            }
        }
    }
    return positional >= p->min || exec_safe_bins_refuse(t, NULL, "an argument is missing");
}

/* The owner's own profile for a program. A flag that is both allowed and denied is denied. */
static bool fits_own(const cJSON *own, const struct oc_strv *argv, struct bin_trouble *t) {
    struct flag flags[64];
    struct profile p = { .name = "", .flags = flags, .plain = "" };
    p.min = (int)oc_json_clamp_int(own, "minPositional", 0, INT16_MAX, 0);
    p.max = (int)oc_json_clamp_int(own, "maxPositional", 0, INT16_MAX, 0);
    const cJSON *item, *denied = oc_json_get(own, "deniedFlags");
    cJSON_ArrayForEach(item, oc_json_get(own, "allowedValueFlags")) {
        const char *name = cJSON_GetStringValue(item);
        if (name && name[0] == '-' && p.count < OC_COUNT(flags) &&
                !exec_safe_bins_holds(denied, name)) {
            flags[p.count++] = (struct flag){ name, 1 };
        }
    }
    return exec_safe_bins_fits(&p, argv, t);
}

static bool fits_any(const struct nd_safe_bins *settings, const char *name,
        const struct oc_strv *argv, struct bin_trouble *t) {
    const cJSON *own = oc_json_get(settings->profiles, name);
    if (own) {
        return fits_own(own, argv, t);
    }
    for (size_t i = 0; i < OC_COUNT(profiles); i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            return exec_safe_bins_fits(&profiles[i], argv, t);
        }
    }
    return exec_safe_bins_refuse(
            t, NULL, "tools.exec.safeBinProfiles does not say which arguments are harmless");
}

bool nd_safe_bin_allows(const struct nd_safe_bins *settings, const char *real_path,
        const struct oc_strv *argv, char **ret_why) {
    struct bin_trouble t = { 0 };
    const char *name = nd_path_name(real_path);
    if (ret_why) {
        *ret_why = NULL;
    }
    if (!is_switched_on(settings, name) || !nd_safe_bins_trusts_dir_of(settings, real_path)) {
        return false;
    }
    bool is_fit = fits_any(settings, name, argv, &t);
    if (!is_fit && ret_why) {
        OC_AUTO_FREE char *shown = t.arg ? oc_printable(t.arg, strlen(t.arg), 100) : NULL;
        *ret_why = oc_strfmt("%s%s%s", shown ? shown : "", shown ? " " : "", t.what);
    }
    return is_fit;
}
