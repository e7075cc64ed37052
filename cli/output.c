#include "cli/output.h"

#include "cli/pretty.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 119 /* as the reference when stdout is no terminal */
#define MIN_WIDTH 40
#define ITEM_INDENT 6
#define MAX_TABLE_BYTES 16000000

static bool colour_ok;

void cli_out_init(bool no_colour) {
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    colour_ok = !no_colour && (!no_color || !no_color[0]) && isatty(STDOUT_FILENO) &&
                !oc_streq(term, "dumb");
}

static size_t width_output(void) {
    struct winsize w = { 0 };
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0) {
        return DEFAULT_WIDTH;
    }
    return w.ws_col > MIN_WIDTH ? (size_t)w.ws_col - 1 : MIN_WIDTH;
}

void cli_out_line(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

void cli_out_item(const char *label, enum cli_style style, const char *text) {
    const char *start = colour_ok ? cli_style_start(style) : "";
    printf("%s%s%s%*s", start, label, *start ? "\x1b[0m" : "",
            ITEM_INDENT - (int)cli_text_width(label, strlen(label)), "");
    bool may_wrap = isatty(STDOUT_FILENO) && !oc_starts_with(text, "fix: openclaw ");
    for (size_t width = width_output() - ITEM_INDENT; *text;) {
        size_t next = strlen(text);
        size_t len = may_wrap ? cli_text_wrap(text, width, &next) : next;
        printf("%.*s\n", (int)len, text);
        text += next;
        printf("%*s", *text ? ITEM_INDENT : 0, "");
    }
}

void cli_out_heading(const char *text) {
    printf("%s%s%s\n", colour_ok ? cli_style_start(CLI_STYLE_BOLD) : "", text,
            colour_ok ? "\x1b[0m" : "");
}

void cli_out_text(const char *text) {
    fputs(text, stdout);
}

void cli_out_table(const struct cli_table *t) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_TABLE_BYTES);
    struct cli_table_look look = { width_output(), colour_ok, isatty(STDOUT_FILENO) };
    cli_table_render(t, &look, &out);
    fwrite(out.data, 1, out.len, stdout);
    if (out.failed) {
        cli_note("(the table is too large to show; use --json)");
    }
}

void cli_out_json(const cJSON *v) {
    OC_AUTO_FREE char *text = oc_json_print(v, false);
    cli_out_json_text((struct oc_slice){ text, strlen(text) });
}

void cli_out_json_text(struct oc_slice json) {
    cli_pretty(json, stdout);
    putchar('\n');
}

void cli_out_json_line(const cJSON *v) {
    OC_AUTO_FREE char *text = oc_json_print_line(v);
    puts(text);
}

void cli_out_bytes(bool to_stderr, const char *data, size_t len) {
    fwrite(data, 1, len, to_stderr ? stderr : stdout);
}

void cli_note(const char *fmt, ...) {
    fflush(stdout); /* keep the order when both go to one terminal */
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

bool cli_out_flush(void) {
    return fflush(stdout) == 0 && !ferror(stdout);
}

bool cli_out_reader_is_gone(void) {
    struct pollfd p = { .fd = STDOUT_FILENO };
    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

bool cli_can_ask(void) {
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

bool cli_ask(const char *fmt, ...) {
    fflush(stdout);
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputs(" [y/N] ", stderr);
    char answer[16];
    if (!fgets(answer, sizeof(answer), stdin)) {
        fputc('\n', stderr);
        return false;
    }
    char *word = oc_trim(answer);
    oc_ascii_lower(word);
    return oc_streq(word, "y") || oc_streq(word, "yes");
}
