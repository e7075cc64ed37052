/* The option parser: one row per option, shared by parsing, help and completion.
 *
 * Understands --name value, --name=value, -n value, -nvalue, clustered flags (-vf), "--", and
 * positionals anywhere; "-o json" is --json where there is one. Values are checked while parsing,
 * so a command only asks for them. Asking for a name that no table has is a bug. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "lib/base/error.h"
#include "lib/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cli_option_kind {
    CLI_OPT_FLAG,
    CLI_OPT_TEXT,
    CLI_OPT_INT,      /* decimal, min..max */
    CLI_OPT_DURATION, /* "90", "500ms", "2s", "1h30m"; kept in ms */
    CLI_OPT_CHOICE,   /* one of choices */
    CLI_OPT_SECRET,   /* text; its bytes in argv are overwritten once read */
    CLI_OPT_PATH,     /* text; completion offers files */
    CLI_OPT_PIN,      /* fingerprint of a certificate */
};

enum {
    CLI_OPT_REPEATS = 1 << 0, /* every value counts; otherwise the last one wins */
    CLI_OPT_HIDDEN = 1 << 1,  /* accepted for compatibility, not shown */
};

/* Tables end with a row whose name is NULL. */
struct cli_option {
    const char *name; /* without dashes */
    char letter;      /* short form, or 0 */
    enum cli_option_kind kind;
    const char *arg; /* what the value is called in help; NULL for flags */
    const char *help;
    int64_t min, max;    /* CLI_OPT_INT */
    const char *choices; /* CLI_OPT_CHOICE: "off|on-miss|always" */
    unsigned flags;      /* CLI_OPT_REPEATS, CLI_OPT_HIDDEN */
    const char *actions; /* which of its command's it belongs to: "snap|clip"; NULL: all */
};

#define CLI_MAX_OPTION_TABLES 4

struct cli_args {
    const struct cli_option *tables[CLI_MAX_OPTION_TABLES];
    size_t table_count;
    struct cli_option_value *values; /* in the order given */
    size_t value_count;
    struct oc_strv rest;     /* positionals, and everything behind "--" */
    char **words;            /* the same in argv, borrowed; as many as rest */
    bool had_separator;      /* "--" was there */
    size_t before_separator; /* how many of rest stood in front of it */
};

/* stop_at_word: the first positional ends the options, as in `ssh host cmd -x`; what follows stays
 * as it is, but for a "--" right behind it. Errors are OC_E_INVALID and name the nearest known
 * option. argv may be written to (secrets). ret needs cli_args_finish in every case. */
enum oc_code cli_args_parse(const struct cli_option *const *tables, size_t table_count,
        bool stop_at_word, int argc, char **argv, struct cli_args *ret,
        struct oc_error *err) OC_MUST_USE;
void cli_args_finish(struct cli_args *a);

/* Overwrites a positional in argv: it turned out to be a secret. The copy in rest stays. */
void cli_args_wipe(struct cli_args *a, size_t index);

/* A positional stands for a text option: it becomes its value and leaves rest. */
void cli_args_word_as(struct cli_args *a, size_t index, const char *name);

/* Whether a table has this name at all; the only question that may be asked about an unknown one.
 */
bool cli_args_knows(const struct cli_args *a, const char *name);
bool cli_args_has(const struct cli_args *a, const char *name); /* was given; for flags: is set */
const char *cli_args_text(const struct cli_args *a, const char *name); /* NULL when absent */
int64_t cli_args_int(const struct cli_args *a, const char *name, int64_t def);
/* The values of a repeated option, copied; ret must be empty. */
void cli_args_list(const struct cli_args *a, const char *name, struct oc_strv *ret);

#endif
