#include "cli/options.h"

#include "lib/base/mem.h"
#include "lib/base/nearest.h"
#include "lib/net/tls.h"

#include <assert.h>
#include <string.h>

struct cli_option_value {
    const struct cli_option *option;
    char *text; /* NULL for flags */
    int64_t number;
};

static const struct cli_option *options_find(
        const struct cli_args *a, const char *name, size_t len) {
    for (size_t t = 0; t < a->table_count; t++) {
        for (const struct cli_option *o = a->tables[t]; o->name; o++) {
            if (strlen(o->name) == len && strncmp(o->name, name, len) == 0) {
                return o;
            }
        }
    }
    return NULL;
}

static const struct cli_option *find_letter(const struct cli_args *a, char letter) {
    for (size_t t = 0; t < a->table_count; t++) {
        for (const struct cli_option *o = a->tables[t]; o->name; o++) {
            if (o->letter == letter) {
                return o;
            }
        }
    }
    return NULL;
}

static enum oc_code fail_unknown(const struct cli_args *a, const char *name, struct oc_error *err) {
    const char *known[128];
    size_t count = 0;
    for (size_t t = 0; t < a->table_count; t++) {
        for (const struct cli_option *o = a->tables[t]; o->name && count < OC_COUNT(known); o++) {
            if (!(o->flags & CLI_OPT_HIDDEN)) {
                known[count++] = o->name;
            }
        }
    }
    OC_AUTO_FREE char *shown = oc_printable(name, strlen(name), 60);
    const char *near = oc_nearest(name, known, count);
    if (near) {
        return oc_fail(err, OC_E_INVALID, "unknown option --%s; did you mean --%s?", shown, near);
    }
    return oc_fail(err, OC_E_INVALID, "unknown option --%s", shown);
}

static bool is_choice(const char *choices, const char *value) {
    size_t len = strlen(value);
    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (len > 0 && strncmp(at, value, len) == 0 && (at[len] == '|' || at[len] == '\0')) {
            return true;
        }
    }
    return false;
}

static void options_keep(
        struct cli_args *a, const struct cli_option *o, const char *text, int64_t number) {
    a->values = oc_realloc(a->values, (a->value_count + 1) * sizeof(a->values[0]));
    a->values[a->value_count++] =
            (struct cli_option_value){ .option = o, .text = oc_strdup(text), .number = number };
}

static enum oc_code fail_value(
        const struct cli_option *o, const char *value, struct oc_error *err) {
    OC_AUTO_FREE char *shown = oc_printable(value, strlen(value), 60);
    switch (o->kind) {
    case CLI_OPT_INT:
        return oc_fail(err, OC_E_INVALID, "--%s must be a whole number from %lld to %lld, not '%s'",
                o->name, (long long)o->min, (long long)o->max, shown);
    case CLI_OPT_DURATION:
        if (o->max > 0) {
            return oc_fail(err, OC_E_INVALID,
                    "--%s must be %lld to %lld milliseconds, or a duration such as 500ms or 2s, "
                    "not '%s'",
                    o->name, (long long)o->min, (long long)o->max, shown);
        }
        return oc_fail(err, OC_E_INVALID,
                "--%s must be milliseconds or a duration such as 500ms, 2s or 1h30m, not '%s'",
                o->name, shown);
    case CLI_OPT_PIN:
        return oc_fail(err, OC_E_INVALID,
                "--%s must be a SHA-256 in hex (64 digits, colons allowed), not '%s'; openclaw "
                "gateway status on the gateway's machine shows it",
                o->name, shown);
    default:
        return oc_fail(
                err, OC_E_INVALID, "--%s must be one of %s, not '%s'", o->name, o->choices, shown);
    }
}

/* Checks the value of an option that takes one, and keeps it. */
static enum oc_code options_add(
        struct cli_args *a, const struct cli_option *o, char *value, struct oc_error *err) {
    int64_t number = 0;
    bool ok = true;
    if (o->kind == CLI_OPT_INT) {
        ok = oc_parse_int(value, o->min, o->max, &number);
    } else if (o->kind == CLI_OPT_DURATION) {
        ok = oc_parse_duration_ms(value, &number) &&
             (o->max == 0 || (number >= o->min && number <= o->max));
    } else if (o->kind == CLI_OPT_CHOICE) {
        ok = is_choice(o->choices, value);
    } else if (o->kind == CLI_OPT_PIN) {
        char pin[OC_TLS_PIN_LEN + 1];
        ok = oc_tls_pin_normalize(value, pin);
    }
    if (!ok) {
        return fail_value(o, value, err);
    }
    options_keep(a, o, value, number);
    if (o->kind == CLI_OPT_SECRET) {
        /* Others can read our argv for as long as we run. */
        explicit_bzero(value, strlen(value));
    }
    return OC_OK;
}

static enum oc_code fail_no_value(const struct cli_option *o, struct oc_error *err) {
    return oc_fail(err, OC_E_INVALID, "--%s needs a value: --%s <%s>", o->name, o->name, o->arg);
}

/* argv[*at] starts with "--" and is longer. Advances *at over a value of its own. */
static enum oc_code parse_long(
        struct cli_args *a, int argc, char **argv, int *at, struct oc_error *err) {
    char *name = argv[*at] + 2;
    char *equals = strchr(name, '=');
    const struct cli_option *o =
            options_find(a, name, equals ? (size_t)(equals - name) : strlen(name));
    if (!o) {
        OC_AUTO_FREE char *bare = oc_strndup(name, equals ? (size_t)(equals - name) : strlen(name));
        return fail_unknown(a, bare, err);
    }
    if (o->kind == CLI_OPT_FLAG) {
        if (equals) {
            return oc_fail(err, OC_E_INVALID, "--%s takes no value", o->name);
        }
        options_keep(a, o, NULL, 1);
        return OC_OK;
    }
    if (equals) {
        return options_add(a, o, equals + 1, err);
    }
    if (*at + 1 >= argc) {
        return fail_no_value(o, err);
    }
    return options_add(a, o, argv[++*at], err);
}

static enum oc_code parse_short(
        struct cli_args *a, int argc, char **argv, int *at, struct oc_error *err) {
    char *word = argv[*at];
    for (char *c = word + 1; *c; c++) {
        const struct cli_option *o = find_letter(a, *c);
        if (!o) {
            OC_AUTO_FREE char *shown = oc_printable(word, strlen(word), 60);
            return oc_fail(err, OC_E_INVALID, "unknown option %s", shown);
        }
        if (o->kind != CLI_OPT_FLAG) {
            if (c[1]) {
                return options_add(a, o, c + 1 + (c[1] == '='), err);
            }
            if (*at + 1 >= argc) {
                return fail_no_value(o, err);
            }
            return options_add(a, o, argv[++*at], err);
        }
        options_keep(a, o, NULL, 1);
    }
    return OC_OK;
}

/* "-o json", which other programs have taught people, is --json; "-o text" is what there is without.
 * False: it is something else. */
static bool is_output_format(struct cli_args *a, int argc, char **argv, int *at) {
    const struct cli_option *json = options_find(a, "json", strlen("json"));
    const char *word = argv[*at], *value = NULL;
    bool is_apart = strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0;
    if (is_apart && *at + 1 < argc) {
        value = argv[*at + 1];
    } else if (oc_starts_with(word, "--output=")) {
        value = word + strlen("--output=");
    } else if (oc_starts_with(word, "-o")) {
        value = word + 2 + (word[2] == '=');
    }
    bool is_json = oc_streq(value, "json");
    if (!json || json->kind != CLI_OPT_FLAG || (!is_json && !oc_streq(value, "text"))) {
        return false;
    }
    if (is_json) {
        options_keep(a, json, NULL, 1);
    }
    *at += is_apart;
    return true;
}

static void add_word(struct cli_args *a, char *word) {
    oc_strv_add(&a->rest, word);
    a->words[a->rest.count - 1] = word;
}

void cli_args_word_as(struct cli_args *a, size_t index, const char *name) {
    const struct cli_option *o = options_find(a, name, strlen(name));
    assert(o && o->kind == CLI_OPT_TEXT && index < a->rest.count);
    options_keep(a, o, a->rest.items[index], 0);
    oc_strv_remove_at(&a->rest, index);
    memmove(a->words + index, a->words + index + 1, (a->rest.count - index) * sizeof(a->words[0]));
    a->before_separator -= index < a->before_separator ? 1 : 0;
}

void cli_args_wipe(struct cli_args *a, size_t index) {
    assert(index < a->rest.count);
    explicit_bzero(a->words[index], strlen(a->words[index]));
}

enum oc_code cli_args_parse(const struct cli_option *const *tables, size_t table_count,
        bool stop_at_word, int argc, char **argv, struct cli_args *ret, struct oc_error *err) {
    assert(table_count <= CLI_MAX_OPTION_TABLES);
    *ret = (struct cli_args){ .table_count = table_count };
    for (size_t t = 0; t < table_count; t++) {
        ret->tables[t] = tables[t];
    }
    ret->words = oc_new_array(char *, (size_t)argc);
    for (int i = 0; i < argc; i++) {
        char *word = argv[i];
        bool is_option = word[0] == '-' && word[1] != '\0';
        if (is_option && is_output_format(ret, argc, argv, &i)) {
            continue;
        }
        if (is_option && strcmp(word, "--") != 0) {
            enum oc_code rc = word[1] == '-' ? parse_long(ret, argc, argv, &i, err)
                                             : parse_short(ret, argc, argv, &i, err);
            if (rc != OC_OK) {
                return rc;
            }
            continue;
        }
        bool is_last = !is_option && stop_at_word;
        if (is_last) {
            add_word(ret, word);
            i++;
        }
        if (i < argc && strcmp(argv[i], "--") == 0) {
            ret->had_separator = true;
            ret->before_separator = ret->rest.count;
            i++;
            is_last = true;
        }
        if (is_last) {
            for (; i < argc; i++) {
                add_word(ret, argv[i]);
            }
            break;
        }
        add_word(ret, word);
    }
    return OC_OK;
}

void cli_args_finish(struct cli_args *a) {
    for (size_t i = 0; i < a->value_count; i++) {
        oc_free_secret(a->values[i].text);
    }
    oc_free(a->values);
    oc_free(a->words);
    oc_strv_finish(&a->rest);
    *a = (struct cli_args){ 0 };
}

static const struct cli_option_value *options_last(const struct cli_args *a, const char *name) {
    const struct cli_option *o = options_find(a, name, strlen(name));
    assert(o);
    for (size_t i = a->value_count; i > 0; i--) {
        if (a->values[i - 1].option == o) {
            return &a->values[i - 1];
        }
    }
    return NULL;
}

bool cli_args_knows(const struct cli_args *a, const char *name) {
    return options_find(a, name, strlen(name)) != NULL;
}

bool cli_args_has(const struct cli_args *a, const char *name) {
    return options_last(a, name) != NULL;
}

const char *cli_args_text(const struct cli_args *a, const char *name) {
    const struct cli_option_value *v = options_last(a, name);
    return v ? v->text : NULL;
}

int64_t cli_args_int(const struct cli_args *a, const char *name, int64_t def) {
    const struct cli_option_value *v = options_last(a, name);
    return v ? v->number : def;
}

void cli_args_list(const struct cli_args *a, const char *name, struct oc_strv *ret) {
    const struct cli_option *o = options_find(a, name, strlen(name));
    for (size_t i = 0; i < a->value_count; i++) {
        if (a->values[i].option == o) {
            oc_strv_add(ret, a->values[i].text);
        }
    }
}
