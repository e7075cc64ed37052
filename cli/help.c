#include "cli/help.h"

#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/base/nearest.h"

#include <stdio.h>
#include <string.h>

#define MAX_HELP_BYTES 262144
#define NAME_COLUMN 30

/* "  name        text", the text on the next line when the name is too long. */
static void put_row(struct oc_buf *out, const char *name, const char *text) {
    size_t used = cli_text_width(name, strlen(name)) + 2;
    if (used + 2 > NAME_COLUMN) {
        oc_buf_printf(out, "  %s\n%*s%s\n", name, NAME_COLUMN, "", text);
    } else {
        oc_buf_printf(out, "  %s%*s%s\n", name, (int)(NAME_COLUMN - used), "", text);
    }
}

/* "snap, clip: …", where an option is not of all actions and none is asked for. */
static char *help_of(const struct cli_option *o, const char *help, const char *action) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_HELP_BYTES);
    for (const char *at = action ? NULL : o->actions; at && *at;) {
        size_t len = strcspn(at, "|");
        oc_buf_printf(&text, "%.*s%s", (int)len, at, at[len] ? ", " : ": ");
        at += len + (at[len] == '|');
    }
    oc_buf_puts(&text, help);
    if (o->choices) {
        oc_buf_printf(&text, " (%s)", o->choices);
    }
    return oc_strdup(text.data);
}

/* c: whose; NULL: of no command. action NULL: of all. */
static void put_options(struct oc_buf *out, const char *heading, const struct cli_option *table,
        const struct cli_command *c, const char *action) {
    oc_buf_printf(out, "\n%s:\n", heading);
    for (const struct cli_option *o = table; o->name; o++) {
        if (o->flags & CLI_OPT_HIDDEN || (action && !cli_option_is_of(o, action))) {
            continue;
        }
        char letter[8] = "    ";
        if (o->letter) {
            snprintf(letter, sizeof(letter), "-%c, ", o->letter);
        }
        OC_AUTO_FREE char *value = o->arg ? oc_strfmt(" <%s>", o->arg) : oc_strdup("");
        OC_AUTO_FREE char *name = oc_strfmt("%s--%s%s", letter, o->name, value);
        bool is_lines = c && c->prints_lines && strcmp(o->name, "json") == 0;
        const char *help = is_lines ? "print one JSON object per line on stdout" : o->help;
        OC_AUTO_FREE char *text = help_of(o, help, action);
        put_row(out, name, text);
    }
}

/* The part of a path behind its group, or the whole path of a command without one. */
static const char *last_words(const struct cli_command *c) {
    const char *space = strchr(c->path, ' ');
    return space ? space + 1 : c->path;
}

static bool in_group(const struct cli_command *c, const char *group) {
    size_t len = strlen(group);
    return strncmp(c->path, group, len) == 0 && c->path[len] == ' ';
}

static void put_commands(struct oc_buf *out, const char *group) {
    size_t count;
    const struct cli_command *const *commands = cli_commands(&count);
    for (size_t i = 0; i < count; i++) {
        if (!commands[i]->is_hidden &&
                (group ? in_group(commands[i], group) : !strchr(commands[i]->path, ' '))) {
            OC_AUTO_FREE char *name =
                    oc_strfmt("%s%s%s", last_words(commands[i]), commands[i]->operands ? " " : "",
                            commands[i]->operands ? commands[i]->operands : "");
            put_row(out, name, commands[i]->summary);
        }
    }
}

void cli_help_all(struct oc_buf *out) {
    oc_buf_puts(out,
            "openclaw " OC_VERSION ": gateway, node host and command line in one program\n\n"
            "Usage: openclaw <command> [options]\n");
    size_t count;
    const struct cli_group *groups = cli_groups(&count);
    for (size_t i = 0; i < count; i++) {
        oc_buf_printf(out, "\nopenclaw %s …: %s\n", groups[i].name, groups[i].summary);
        put_commands(out, groups[i].name);
    }
    oc_buf_puts(out, "\nOther commands:\n");
    put_commands(out, NULL);
    put_options(out, "Options", cli_global_options, NULL, NULL);
    oc_buf_puts(out, "\nMore about one command: openclaw <command> --help\n"
                     "Which gateway is called: openclaw help options\n"
                     "Files: ~/.openclaw (OPENCLAW_STATE_DIR), openclaw.json in it "
                     "(OPENCLAW_CONFIG_PATH)\n");
}

void cli_help_group(const struct cli_group *g, struct oc_buf *out) {
    oc_buf_printf(out, "%s\n\nUsage: openclaw %s <command> [options]\n\nCommands:\n", g->summary,
            g->name);
    put_commands(out, g->name);
    if (g->def) {
        oc_buf_printf(out, "\nWithout a command: openclaw %s %s\n", g->name, g->def);
    }
    oc_buf_printf(out, "\nMore about one: openclaw %s <command> --help\n", g->name);
}

static void put_all_options(struct oc_buf *out, const struct cli_command *c, const char *action) {
    if (c->options) {
        put_options(out, "Options", c->options, c, action);
    }
    put_options(out, "Everywhere", cli_global_options, c, action);
    if (c->calls_gateway) {
        put_row(out, "    --json, -o json",
                c->prints_lines ? "print one JSON object per line on stdout"
                                : "print one JSON document on stdout");
        OC_AUTO_FREE char *waits = oc_strfmt("how long to wait for the gateway (%d unless given)",
                c->timeout_ms > 0 ? c->timeout_ms : 10000);
        put_row(out, "    --timeout <ms>", waits);
        oc_buf_puts(out, "  Which gateway, and how to get in: openclaw help options\n");
    }
}

/* action NULL: of all. */
static void put_examples(struct oc_buf *out, const struct cli_command *c, const char *action) {
    OC_AUTO_FREE char *wanted = action ? oc_strfmt("openclaw %s %s", c->path, action) : NULL;
    bool has_any = false;
    for (const char *at = c->examples; *at;) {
        size_t len = strcspn(at, "\n");
        OC_AUTO_FREE char *line = oc_strndup(at, len);
        if (!wanted || strstr(line, wanted)) {
            oc_buf_printf(out, "%s  %s\n", has_any ? "" : "\nExamples:\n", line);
            has_any = true;
        }
        at += len + (at[len] == '\n');
    }
}

void cli_help_options(struct oc_buf *out) {
    oc_buf_puts(out, "Options of every command that calls a gateway\n");
    put_options(out, "Gateway", cli_gateway_options, NULL, NULL);
    put_options(out, "Everywhere", cli_global_options, NULL, NULL);
    oc_buf_puts(out, "\n-o json is the same as --json. Without options the gateway of this machine "
                     "is called, or that of\ngateway.remote.url in the config "
                     "(secrets also from OPENCLAW_GATEWAY_TOKEN or OPENCLAW_GATEWAY_PASSWORD).\n");
}

void cli_help_command(const struct cli_command *c, struct oc_buf *out) {
    oc_buf_printf(out, "%s\n\nUsage: openclaw %s [options]%s%s\n", c->summary, c->path,
            c->operands ? " " : "", c->operands ? c->operands : "");
    if (c->details) {
        oc_buf_printf(out, "\n%s\n", c->details);
    }
    for (const struct cli_action *a = c->actions; a && a->name; a++) {
        OC_AUTO_FREE char *name = oc_strfmt(
                "%s%s%s", a->name, a->operands ? " " : "", a->operands ? a->operands : "");
        oc_buf_puts(out, a == c->actions ? "\nActions:\n" : "");
        put_row(out, name, a->summary);
    }
    if (c->actions) {
        oc_buf_printf(
                out, "  More about one, as in: openclaw %s %s --help\n", c->path, c->actions->name);
    }
    put_all_options(out, c, NULL);
    put_examples(out, c, NULL);
}

void cli_help_action(const struct cli_command *c, const struct cli_action *a, struct oc_buf *out) {
    oc_buf_printf(out, "%s\n\nUsage: openclaw %s %s [options]%s%s\n", a->summary, c->path, a->name,
            a->operands ? " " : "", a->operands ? a->operands : "");
    if (c->details) {
        oc_buf_printf(out, "\n%s\n", c->details);
    }
    put_all_options(out, c, a->name);
    put_examples(out, c, a->name);
}

int cli_help_unknown(const char *group, const char *word) {
    const char *known[64];
    size_t count = 0, all;
    const struct cli_command *const *commands = cli_commands(&all);
    for (size_t i = 0; i < all && count < OC_COUNT(known); i++) {
        if (!commands[i]->is_hidden &&
                (group ? in_group(commands[i], group) : !strchr(commands[i]->path, ' '))) {
            known[count++] = last_words(commands[i]);
        }
    }
    const struct cli_group *groups = cli_groups(&all);
    for (size_t i = 0; !group && i < all && count < OC_COUNT(known); i++) {
        known[count++] = groups[i].name;
    }
    const char *prefix = group ? group : "", *gap = group ? " " : "";
    const char *near = oc_nearest(word, known, count);
    OC_AUTO_FREE char *shown = oc_printable(word, strlen(word), 60);
    if (near) {
        cli_note("openclaw: no command '%s%s%s'; did you mean '%s%s%s'?", prefix, gap, shown,
                prefix, gap, near);
    } else {
        cli_note("openclaw: no command '%s%s%s'", prefix, gap, shown);
    }
    cli_note("Try: openclaw %s%s--help", prefix, gap);
    return CLI_EXIT_USAGE;
}

int cli_help_for(const char *const *words, size_t count) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_HELP_BYTES);
    if (count == 0) {
        cli_help_all(&out);
    } else if (count == 1 && strcmp(words[0], "options") == 0) {
        cli_help_options(&out);
    }
    if (out.len > 0) {
        cli_out_text(out.data);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *path =
            count > 1 ? oc_strfmt("%s %s", words[0], words[1]) : oc_strdup(words[0]);
    const struct cli_command *c = cli_command_find(path);
    const struct cli_group *g = cli_group_find(words[0]);
    size_t used = c && strchr(c->path, ' ') ? 2 : 1;
    const struct cli_action *a =
            c && count > used ? cli_action_find(c, words + used, count - used) : NULL;
    if (a) {
        cli_help_action(c, a, &out);
    } else if (c) {
        cli_help_command(c, &out);
    } else if (g && count == 1) {
        cli_help_group(g, &out);
    } else {
        return g ? cli_help_unknown(g->name, words[1]) : cli_help_unknown(NULL, words[0]);
    }
    cli_out_text(out.data);
    return CLI_EXIT_OK;
}
