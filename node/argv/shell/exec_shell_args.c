#include "node/argv/shell/exec_shell_args.h"

#include "node/argv/paths/exec_path.h"

#include "lib/base/one_of.h"

#include <string.h>

/* Not k (assignments anywhere), i and s (further files, input), O, r, b and whatever else
 * differs. */
static const char letters[] = "aefhlmnpuvxC";

static const char *const long_names[] = { "--login", "--norc", "--noprofile", "--posix", NULL };

/* What -o may be given. */
static const char *const settings[] = { "allexport", "errexit", "errtrace", "noclobber", "noglob",
    "nounset", "pipefail", "verbose", "xtrace", NULL };

/* One word of options at *at. False: something in it is not understood. */
static bool read_cluster(const struct oc_strv *argv, size_t *at, bool *has_c, bool *is_login) {
    const char *word = argv->items[(*at)++];
    if (strncmp(word, "--", 2) == 0) {
        *is_login = *is_login || strcmp(word, "--login") == 0;
        return oc_str_in(word, long_names);
    }
    for (const char *c = word + 1; *c; c++) {
        if (*c == 'c' && word[0] == '-') {
            *has_c = true;
        } else if (*c == 'o') { /* some shells take the rest of the word, some the next word */
            return c[1] == '\0' && *at < argv->count && oc_str_in(argv->items[(*at)++], settings);
        } else if (!oc_is_one_of(*c, letters)) {
            return false;
        } else if (*c == 'l') {
            *is_login = true;
        }
    }
    return word[1] != '\0'; /* a lone "-" ends the options, or is one */
}

enum nd_shell_source nd_shell_args_read(
        const struct oc_strv *argv, size_t shell, size_t *ret_at, bool *ret_is_login) {
    bool has_c = false;
    *ret_is_login = nd_path_name(argv->items[shell])[0] == '-';
    size_t at = shell + 1;
    while (at < argv->count && (argv->items[at][0] == '-' || argv->items[at][0] == '+')) {
        if (strcmp(argv->items[at], "--") == 0) {
            at++;
            break;
        }
        if (!read_cluster(argv, &at, &has_c, ret_is_login)) {
            return ND_SHELL_FROM_UNKNOWN;
        }
    }
    *ret_at = at;
    if (at >= argv->count) {
        return has_c ? ND_SHELL_FROM_UNKNOWN : ND_SHELL_FROM_INPUT;
    }
    return has_c ? ND_SHELL_FROM_TEXT : ND_SHELL_FROM_FILE;
}
