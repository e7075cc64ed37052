#include "cli/completion.h"

#include "cli/command.h"
#include "lib/base/mem.h"

#include <string.h>

/* "a|b" as the shells want it. */
static void put_choices(struct oc_buf *out, const char *choices) {
    for (const char *at = choices; *at; at++) {
        char c = *at;
        if (c == '|') {
            c = ' ';
        }
        oc_buf_putc(out, c);
    }
}

static bool in_group(const struct cli_command *c, const char *group) {
    size_t len = strlen(group);
    return strncmp(c->path, group, len) == 0 && c->path[len] == ' ';
}

/* Groups, then commands without one. */
static void put_top_words(struct oc_buf *out) {
    size_t count;
    const struct cli_group *groups = cli_groups(&count);
    for (size_t i = 0; i < count; i++) {
        oc_buf_printf(out, "%s ", groups[i].name);
    }
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        if (!strchr(commands[i]->path, ' ') && !commands[i]->is_hidden) {
            oc_buf_printf(out, "%s ", commands[i]->path);
        }
    }
}

static void put_group_words(struct oc_buf *out, const char *group) {
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        if (in_group(commands[i], group)) {
            oc_buf_printf(out, "%s ", commands[i]->path + strlen(group) + 1);
        }
    }
}

/* first: the first word of an action; NULL: all options. "a2ui" stands for "a2ui push" and "a2ui
 * reset". */
static bool is_of(const struct cli_option *o, const struct cli_command *c, const char *first) {
    size_t len = first ? strlen(first) : 0;
    for (const struct cli_action *a = c->actions; first && a && a->name; a++) {
        if (strcspn(a->name, " ") == len && strncmp(a->name, first, len) == 0 &&
                cli_option_is_of(o, a->name)) {
            return true;
        }
    }
    return !first;
}

static void put_option_words(struct oc_buf *out, const struct cli_command *c, const char *first) {
    const struct cli_option *tables[CLI_MAX_OPTION_TABLES];
    size_t count = cli_option_tables(c, tables);
    for (size_t t = 0; t < count; t++) {
        for (const struct cli_option *o = tables[t]; o->name; o++) {
            if (!(o->flags & CLI_OPT_HIDDEN) && is_of(o, c, first)) {
                oc_buf_printf(out, "--%s ", o->name);
            }
        }
    }
}

/* The first words of the actions, each once. */
static void list_actions(const struct cli_command *c, struct oc_strv *ret) {
    for (const struct cli_action *a = c->actions; a && a->name; a++) {
        OC_AUTO_FREE char *first = oc_strndup(a->name, strcspn(a->name, " "));
        oc_strv_add_unique(ret, first);
    }
}

/* "camera|screen|announce…": words that may stand there; what has spaces or brackets is described,
 * not listed. */
static void list_operands(const struct cli_command *c, struct oc_strv *ret) {
    if (!c->operands || strpbrk(c->operands, " <[.")) {
        return;
    }
    for (const char *at = c->operands; *at;) {
        size_t len = strcspn(at, "|");
        OC_AUTO_FREE char *word = oc_strndup(at, len);
        char *dots = strstr(word, "…");
        if (dots) {
            *dots = '\0';
        }
        oc_strv_add_unique(ret, word);
        at += len + (at[len] == '|');
    }
}

static void put_operand_words(struct oc_buf *out, const struct cli_command *c) {
    OC_AUTO_STRV struct oc_strv words = { 0 };
    list_actions(c, &words);
    list_operands(c, &words);
    for (size_t i = 0; i < words.count; i++) {
        oc_buf_printf(out, "%s ", words.items[i]);
    }
}

/* Arms for "nodes camera snap": its own options, and the second word of "a2ui push". */
static void put_action_cases(
        struct oc_buf *out, const struct cli_command *c, const char *variable) {
    OC_AUTO_STRV struct oc_strv firsts = { 0 };
    list_actions(c, &firsts);
    for (size_t i = 0; i < firsts.count; i++) {
        oc_buf_printf(out, "        '%s %s') %s='", c->path, firsts.items[i], variable);
        for (const struct cli_action *a = c->actions; a->name; a++) {
            size_t len = strlen(firsts.items[i]);
            if (strncmp(a->name, firsts.items[i], len) == 0 && a->name[len] == ' ') {
                oc_buf_printf(out, "%s ", a->name + len + 1);
            }
        }
        put_option_words(out, c, firsts.items[i]);
        oc_buf_puts(out, "' ;;\n");
    }
}

/* `case` arms that turn "nodes status" into its options and "nodes" into its commands; for bash and
 * zsh. */
static void put_cases(struct oc_buf *out, const char *variable) {
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        if (commands[i]->is_hidden) {
            continue;
        }
        put_action_cases(out, commands[i], variable);
        oc_buf_printf(
                out, "        '%s'|'%s '*) %s='", commands[i]->path, commands[i]->path, variable);
        put_operand_words(out, commands[i]);
        put_option_words(out, commands[i], NULL);
        oc_buf_puts(out, "' ;;\n");
    }
    const struct cli_group *groups = cli_groups(&count);
    for (size_t i = 0; i < count; i++) {
        oc_buf_printf(out, "        '%s') %s='", groups[i].name, variable);
        put_group_words(out, groups[i].name);
        oc_buf_puts(out, "--help' ;;\n");
    }
    oc_buf_printf(out, "        '') %s='", variable);
    put_top_words(out);
    oc_buf_puts(out, "--help --version' ;;\n");
}

/* Options whose value is a file, so that the shell completes names behind them. */
static void put_path_options(struct oc_buf *out) {
    OC_AUTO_STRV struct oc_strv names = { 0 };
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        const struct cli_option *tables[CLI_MAX_OPTION_TABLES];
        size_t table_count = cli_option_tables(commands[i], tables);
        for (size_t t = 0; t < table_count; t++) {
            for (const struct cli_option *o = tables[t]; o->name; o++) {
                if (o->kind == CLI_OPT_PATH) {
                    OC_AUTO_FREE char *dashed = oc_strfmt("--%s", o->name);
                    oc_strv_add_unique(&names, dashed);
                }
            }
        }
    }
    OC_AUTO_FREE char *joined = oc_strv_join(&names, "|");
    oc_buf_puts(out, joined);
}

/* Arms that turn "nodes camera --facing" into what may stand behind it. */
static void put_choice_cases(struct oc_buf *out, const char *variable) {
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        for (const struct cli_option *o = commands[i]->options; o && o->name; o++) {
            if (!o->choices) {
                continue;
            }
            oc_buf_printf(out, "        '%s --%s') %s='", commands[i]->path, o->name, variable);
            put_choices(out, o->choices);
            oc_buf_puts(out, "' ;;\n");
        }
    }
}

/* What `openclaw __complete` is asked for where a command takes names that only the gateway or the
 * config knows; NULL: nothing. */
static const char *names_of(const struct cli_command *c) {
    static const struct {
        const char *path, *operand, *names; /* path: its beginning */
    } rows[] = {
        { "nodes ", "[node]", "nodes" },
        { "nodes ", "request", "requests" },
        { "devices ", "request", "device-requests" },
        { "devices ", "[device]", "devices" },
        { "approvals ", "approval", "approvals" },
        { "config ", "path", "config" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        if (oc_starts_with(c->path, rows[i].path) && c->operands &&
                strstr(c->operands, rows[i].operand)) {
            return rows[i].names;
        }
    }
    return NULL;
}

/* Arms that turn a command, or an option in front, into the names that may stand there. */
static void put_name_cases(struct oc_buf *out) {
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        const char *names = names_of(commands[i]);
        if (names) {
            oc_buf_printf(out, "        '%s'|'%s '*) names=%s ;;\n", commands[i]->path,
                    commands[i]->path, names);
        }
    }
}

/* Names of an option's value; NULL: none. */
static const char *names_of_option(const struct cli_option *o) {
    return oc_streq(o->name, "node") ? "nodes" : oc_streq(o->name, "device") ? "devices" : NULL;
}

static void put_bash(struct oc_buf *out) {
    oc_buf_puts(out, "# bash completion for openclaw; load with: source <(openclaw completion "
                     "--shell bash)\n"
                     "_openclaw() {\n"
                     "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
                     "path='' words='' names='' i\n"
                     "    case $prev in ");
    put_path_options(out);
    oc_buf_puts(out, ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;; esac\n"
                     "    for ((i = 1; i < COMP_CWORD && i < 3; i++)); do\n"
                     "        [[ ${COMP_WORDS[i]} == -* ]] && break\n"
                     "        path+=\"${path:+ }${COMP_WORDS[i]}\"\n"
                     "    done\n"
                     "    case \"$path $prev\" in\n");
    put_choice_cases(out, "words");
    oc_buf_puts(out, "    esac\n"
                     "    [[ -n $words ]] && { COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")); "
                     "return; }\n"
                     "    if ((COMP_CWORD > 3)) && [[ ${COMP_WORDS[3]} != -* ]]; then\n"
                     "        path+=\" ${COMP_WORDS[3]}\"\n"
                     "    fi\n"
                     "    case $path in\n");
    put_cases(out, "words");
    oc_buf_puts(out, "    esac\n"
                     "    case $path in\n");
    put_name_cases(out);
    oc_buf_puts(out, "    esac\n"
                     "    case $prev in\n"
                     "        --node) names=nodes words='' ;;\n"
                     "        --device) names=devices words='' ;;\n"
                     "        *) [[ $cur == -* ]] && names='' ;;\n"
                     "    esac\n"
                     "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                     "    [[ -n $names ]] || return\n"
                     "    while IFS= read -r i; do\n"
                     "        [[ $i == \"$cur\"* ]] && COMPREPLY+=(\"$(printf %q \"$i\")\")\n"
                     "    done < <(\"${COMP_WORDS[0]}\" __complete \"$names\" 2>/dev/null)\n"
                     "}\n"
                     "complete -F _openclaw openclaw\n");
}

static void put_zsh(struct oc_buf *out) {
    oc_buf_puts(out,
            "#compdef openclaw\n"
            "# zsh completion for openclaw; load with: source <(openclaw completion --shell zsh)\n"
            "_openclaw() {\n"
            "    local cmd='' words_line='' names='' i\n"
            "    local -a found\n"
            "    case ${words[CURRENT-1]} in ");
    put_path_options(out);
    oc_buf_puts(out, ") _files; return ;; esac\n"
                     "    for ((i = 2; i < CURRENT && i < 4; i++)); do\n"
                     "        [[ ${words[i]} == -* ]] && break\n"
                     "        cmd+=\"${cmd:+ }${words[i]}\"\n"
                     "    done\n"
                     "    case \"$cmd ${words[CURRENT-1]}\" in\n");
    put_choice_cases(out, "words_line"); /* `words` is zsh's own */
    oc_buf_puts(out, "    esac\n"
                     "    [[ -n $words_line ]] && { compadd -- ${=words_line}; return; }\n"
                     "    if ((CURRENT > 4)) && [[ ${words[4]} != -* ]]; then\n"
                     "        cmd+=\" ${words[4]}\"\n"
                     "    fi\n"
                     "    case $cmd in\n");
    put_cases(out, "words_line");
    oc_buf_puts(out, "    esac\n"
                     "    case $cmd in\n");
    put_name_cases(out);
    oc_buf_puts(out, "    esac\n"
                     "    case ${words[CURRENT-1]} in\n"
                     "        --node) names=nodes words_line='' ;;\n"
                     "        --device) names=devices words_line='' ;;\n"
                     "        *) [[ ${words[CURRENT]} == -* ]] && names='' ;;\n"
                     "    esac\n"
                     "    compadd -- ${=words_line}\n"
                     "    [[ -n $names ]] || return 0\n"
                     "    found=(\"${(@f)$(\"${words[1]}\" __complete \"$names\" 2>/dev/null)}\")\n"
                     "    compadd -- ${found:#}\n"
                     "}\n"
                     /* In a folder of zsh's the file is the function, called for the first time. */
                     "if [[ ${funcstack[1]} == _openclaw ]]; then\n"
                     "    _openclaw \"$@\"\n"
                     "else\n"
                     "    compdef _openclaw openclaw\n"
                     "fi\n");
}

/* fish wants single quotes escaped. */
static void put_quoted(struct oc_buf *out, const char *text) {
    oc_buf_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') {
            oc_buf_putc(out, '\\');
        }
        oc_buf_putc(out, *text);
    }
    oc_buf_putc(out, '\'');
}

static void put_fish_options(struct oc_buf *out, const struct cli_command *c) {
    const struct cli_option *tables[CLI_MAX_OPTION_TABLES];
    size_t count = cli_option_tables(c, tables);
    const char *space = strchr(c->path, ' ');
    OC_AUTO_FREE char *first =
            oc_strndup(c->path, space ? (size_t)(space - c->path) : strlen(c->path));
    OC_AUTO_FREE char *when =
            space ? oc_strfmt("__fish_seen_subcommand_from %s; and __fish_seen_subcommand_from %s",
                            first, space + 1)
                  : oc_strfmt("__fish_seen_subcommand_from %s", first);
    for (size_t t = 0; t < count; t++) {
        for (const struct cli_option *o = tables[t]; o->name; o++) {
            if (o->flags & CLI_OPT_HIDDEN) {
                continue;
            }
            oc_buf_puts(out, "complete -c openclaw -n ");
            put_quoted(out, when);
            oc_buf_printf(out, " -l %s%s -d ", o->name,
                    o->kind == CLI_OPT_PATH   ? " -r -F"
                    : o->kind == CLI_OPT_FLAG ? ""
                                              : " -x");
            put_quoted(out, o->help);
            if (o->choices) {
                oc_buf_puts(out, " -a '");
                put_choices(out, o->choices);
                oc_buf_putc(out, '\'');
            } else if (names_of_option(o)) {
                oc_buf_printf(
                        out, " -a '(openclaw __complete %s 2>/dev/null)'", names_of_option(o));
            }
            oc_buf_putc(out, '\n');
        }
    }
    if (names_of(c)) {
        oc_buf_puts(out, "complete -c openclaw -n ");
        put_quoted(out, when);
        oc_buf_printf(out, " -a '(openclaw __complete %s 2>/dev/null)'\n", names_of(c));
    }
    OC_AUTO_BUF struct oc_buf words = OC_BUF_INIT(4096);
    put_operand_words(&words, c);
    if (words.len > 0) {
        oc_buf_puts(out, "complete -c openclaw -n ");
        put_quoted(out, when);
        oc_buf_printf(out, " -a '%s'\n", words.data);
    }
}

static void put_fish(struct oc_buf *out) {
    oc_buf_puts(out,
            "# fish completion for openclaw; load with: openclaw completion --shell fish | source\n"
            "complete -c openclaw -f\n");
    size_t count;
    const struct cli_group *groups = cli_groups(&count);
    for (size_t i = 0; i < count; i++) {
        oc_buf_printf(
                out, "complete -c openclaw -n '__fish_use_subcommand' -a %s -d ", groups[i].name);
        put_quoted(out, groups[i].summary);
        oc_buf_putc(out, '\n');
    }
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        const char *space = strchr(commands[i]->path, ' ');
        if (commands[i]->is_hidden) {
            continue;
        }
        if (space) {
            OC_AUTO_BUF struct oc_buf siblings = OC_BUF_INIT(4096);
            OC_AUTO_FREE char *group =
                    oc_strndup(commands[i]->path, (size_t)(space - commands[i]->path));
            put_group_words(&siblings, group);
            oc_buf_printf(out,
                    "complete -c openclaw -n '__fish_seen_subcommand_from %s; and not "
                    "__fish_seen_subcommand_from %s' "
                    "-a %s -d ",
                    group, siblings.data, space + 1);
        } else {
            oc_buf_printf(out, "complete -c openclaw -n '__fish_use_subcommand' -a %s -d ",
                    commands[i]->path);
        }
        put_quoted(out, commands[i]->summary);
        oc_buf_putc(out, '\n');
        put_fish_options(out, commands[i]);
    }
}

bool cli_completion(const char *shell, struct oc_buf *out) {
    if (oc_streq(shell, "bash")) {
        put_bash(out);
    } else if (oc_streq(shell, "zsh")) {
        put_zsh(out);
    } else if (oc_streq(shell, "fish")) {
        put_fish(out);
    } else {
        return false;
    }
    return true;
}
