/* The option parser: one row per option, shared by parsing, help and completion.
 *
 * Understands --name value, --name=value, -n value, -nvalue, clustered flags (-vf), "--", and
 * positionals anywhere. Values are checked while parsing, so a command only asks for them. Asking
 * for a name that no table has is a bug. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "lib/base/error.h"
#include "lib/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum oc_option_kind {
    OC_OPT_FLAG,
    OC_OPT_TEXT,
    OC_OPT_INT,      /* decimal, min..max */
    OC_OPT_DURATION, /* "90", "500ms", "2s", "1h30m"; kept in ms */
    OC_OPT_CHOICE,   /* one of choices */
    OC_OPT_SECRET,   /* text; its bytes in argv are overwritten once read */
    OC_OPT_PATH,     /* text; completion offers files */
    OC_OPT_PIN,      /* fingerprint of a certificate */
};

enum {
    OC_OPT_REPEATS = 1 << 0, /* every value counts; otherwise the last one wins */
    OC_OPT_HIDDEN = 1 << 1,  /* accepted for compatibility, not shown */
};

/* Tables end with a row whose name is NULL. */
struct oc_option {
    const char *name; /* without dashes */
    char letter;      /* short form, or 0 */
    enum oc_option_kind kind;
    const char *arg; /* what the value is called in help; NULL for flags */
    const char *help;
    int64_t min, max;    /* OC_OPT_INT */
    const char *choices; /* OC_OPT_CHOICE: "off|on-miss|always" */
    unsigned flags;      /* OC_OPT_REPEATS, OC_OPT_HIDDEN */
    const char *actions; /* which of its command's it belongs to: "snap|clip"; NULL: all */
};

#define OC_MAX_OPTION_TABLES 4

struct oc_args {
    const struct oc_option *tables[OC_MAX_OPTION_TABLES];
    size_t table_count;
    struct oc_option_value *values; /* in the order given */
    size_t value_count;
    struct oc_strv rest; /* positionals, and everything behind "--" */
    char **words;        /* the same in argv, borrowed; as many as rest */
    bool had_separator;  /* "--" was there */
};

/* stop_at_word: the first positional ends the options, as in `ssh host cmd -x`. Errors are
 * OC_E_INVALID and name the nearest known option. argv may be written to (secrets). ret needs
 * oc_args_finish in every case. */
enum oc_code oc_args_parse(const struct oc_option *const *tables, size_t table_count,
        bool stop_at_word, int argc, char **argv, struct oc_args *ret,
        struct oc_error *err) OC_MUST_USE;
void oc_args_finish(struct oc_args *a);

/* Overwrites a positional in argv: it turned out to be a secret. The copy in rest stays. */
void oc_args_wipe(struct oc_args *a, size_t index);

/* Whether a table has this name at all; the only question that may be asked about an unknown one.
 */
bool oc_args_knows(const struct oc_args *a, const char *name);
bool oc_args_has(const struct oc_args *a, const char *name); /* was given; for flags: is set */
const char *oc_args_text(const struct oc_args *a, const char *name); /* NULL when absent */
int64_t oc_args_int(const struct oc_args *a, const char *name, int64_t def);
/* The values of a repeated option, copied; ret must be empty. */
void oc_args_list(const struct oc_args *a, const char *name, struct oc_strv *ret);

/* The known name that was probably meant, or NULL when none is close. */
const char *oc_nearest(const char *word, const char *const *known, size_t count);

#endif
