#include "node/argv/shell/exec_shell.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/utf8.h"

#include <string.h>

struct shell_reader {
    const char *at;
    struct oc_buf word;
    bool has_word; /* also the empty one of '' */
    struct nd_shell_command command;
    struct nd_shell_script *script;
    char *why;
};

static bool exec_shell_refuse(struct shell_reader *r, const char *what) {
    if (!r->why) {
        OC_AUTO_FREE char *shown = oc_printable(r->at, strlen(r->at), 24);
        r->why = r->at[0] ? oc_strfmt("%s at \"%s\"", what, shown)
                          : oc_strfmt("%s at the end", what);
    }
    return false;
}

static bool refuse_word(struct shell_reader *r, const char *word, const char *what) {
    OC_AUTO_FREE char *shown = oc_printable(word, strlen(word), 40);
    oc_free(r->why);
    r->why = oc_strfmt("\"%s\" is %s", shown, what);
    return false;
}

/* Names that a shell takes for itself where a command stands. Some would even be found as files,
 * but not mean the same. Those of bash, dash, zsh, ksh and mksh. What is a builtin only for speed
 * (echo, test, true …) is not here: the program does the same. */
static bool is_of_the_shell(const char *word) {
    static const char *const names[] = { "!", "-", ".", ":", "[[", "]]", "alarm", "alias", "always",
        "autoload", "bg", "bind", "bindkey", "break", "builtin", "bye", "caller", "case", "cd",
        "chdir", "clone", "command", "compadd", "compcall", "compctl", "compgen", "complete",
        "compopt", "compound", "compset", "continue", "coproc", "declare", "dirs", "disable",
        "disown", "do", "done", "echotc", "echoti", "elif", "else", "emulate", "enable", "end",
        "enum", "esac", "eval", "exec", "exit", "export", "fc", "fg", "fi", "float", "for",
        "foreach", "function", "functions", "getln", "getopts", "global", "hash", "help", "hist",
        "history", "if", "in", "integer", "jobs", "let", "limit", "local", "login", "logout",
        "mapfile", "nameref", "newgrp", "nocorrect", "noglob", "popd", "print", "private", "pushd",
        "pushln", "read", "readarray", "readonly", "redirect", "rehash", "rename", "repeat",
        "return", "sched", "select", "set", "setopt", "shift", "shopt", "source", "stop", "suspend",
        "then", "time", "times", "trap", "ttyctl", "type", "typeset", "ulimit", "umask", "unalias",
        "unfunction", "unhash", "unlimit", "unset", "unsetopt", "until", "vared", "vmstate", "wait",
        "whence", "where", "while", "zcompile", "zformat", "zftp", "zle", "zmodload", "zparseopts",
        "zprof", "zpty", "zregexparse", "zsocket", "zstyle", "ztcp", "{", "}", NULL };
    return oc_str_in(word, names);
}

static bool is_assignment(const char *word) {
    size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && (word[n] == '=' || word[n] == '[' || (word[n] == '+' && word[n + 1] == '='));
}

static bool end_word(struct shell_reader *r) {
    if (!r->has_word) {
        return true;
    }
    OC_AUTO_FREE char *word = oc_buf_take(&r->word);
    r->word = OC_BUF_INIT(ND_MAX_SCRIPT_BYTES);
    bool is_first = r->command.words.count == 0;
    if (is_first && is_assignment(word)) {
        return refuse_word(r, word, "an assignment");
    }
    bool may_be_cd = r->script->count == 0 && !r->script->dir && strcmp(word, "cd") == 0;
    if (is_first && is_of_the_shell(word) && !may_be_cd) {
        return refuse_word(r, word, "a word of the shell itself, not a program");
    }
    if (is_first && !word[0]) {
        return exec_shell_refuse(r, "a command without a name");
    }
    if (r->command.words.count >= ND_MAX_SCRIPT_WORDS) {
        return exec_shell_refuse(r, "too many words");
    }
    oc_strv_add(&r->command.words, word);
    r->has_word = false;
    return true;
}

/* "cd dir &&" in front is the same as starting in dir; any other use has more meanings. */
static bool end_cd(struct shell_reader *r, enum nd_shell_op op) {
    const struct oc_strv *words = &r->command.words;
    if (op != ND_SHELL_AND || words->count != 2 || !words->items[1][0] ||
            words->items[1][0] == '-') {
        return refuse_word(r, "cd", "only understood as \"cd dir && …\" at the beginning");
    }
    r->script->dir = oc_strdup(words->items[1]);
    oc_strv_finish(&r->command.words);
    return true;
}

static bool end_command(struct shell_reader *r, enum nd_shell_op op) {
    if (!end_word(r)) {
        return false;
    }
    if (r->command.words.count == 0) {
        return exec_shell_refuse(r, "an operator without a command");
    }
    if (strcmp(r->command.words.items[0], "cd") == 0) {
        return end_cd(r, op);
    }
    struct nd_shell_script *s = r->script;
    if (s->count >= ND_MAX_SCRIPT_COMMANDS) {
        return exec_shell_refuse(r, "too many commands");
    }
    r->command.next = op;
    s->commands = oc_realloc(s->commands, (s->count + 1) * sizeof(s->commands[0]));
    s->commands[s->count++] = r->command;
    r->command = (struct nd_shell_command){ 0 };
    return true;
}

static bool read_single_quotes(struct shell_reader *r) {
    const char *end = strchr(r->at + 1, '\'');
    if (!end) {
        return exec_shell_refuse(r, "a quote that is not closed");
    }
    oc_buf_append(&r->word, r->at + 1, (size_t)(end - r->at - 1));
    r->has_word = true;
    r->at = end + 1;
    return true;
}

static bool read_double_quotes(struct shell_reader *r) {
    const char *opened = r->at++;
    while (*r->at != '"') {
        if (*r->at == '\0') {
            r->at = opened;
            return exec_shell_refuse(r, "a quote that is not closed");
        }
        if (*r->at == '$' || *r->at == '`') {
            return exec_shell_refuse(r, "an expansion in double quotes");
        }
        if (*r->at == '\\') {
            if (r->at[1] == '\n') {
                return exec_shell_refuse(r, "a line continuation");
            }
            r->at += oc_is_one_of(r->at[1], "$`\"\\") ? 1 : 0; /* otherwise it means itself */
        }
        oc_buf_putc(&r->word, *r->at++);
    }
    r->has_word = true;
    r->at++;
    return true;
}

static bool read_escape(struct shell_reader *r) {
    if (r->at[1] == '\n' || r->at[1] == '\r') {
        return exec_shell_refuse(r, "a line continuation");
    }
    if (!r->at[1]) {
        return exec_shell_refuse(r, "an escape of nothing");
    }
    size_t n = oc_utf8_char(r->at + 1, strnlen(r->at + 1, 4)); /* the text is valid UTF-8 */
    oc_buf_append(&r->word, r->at + 1, n);
    r->has_word = true;
    r->at += 1 + n;
    return true;
}

static bool read_operator(struct shell_reader *r) {
    char c = r->at[0], d = r->at[1];
    if (c == ';' && d == ';') {
        return exec_shell_refuse(r, "a double semicolon");
    }
    if (c == '&' && d != '&') {
        return exec_shell_refuse(r, "a background job");
    }
    if (c == '|' && d == '&') {
        return exec_shell_refuse(r, "a pipe with errors");
    }
    enum nd_shell_op op = c == ';'   ? ND_SHELL_THEN
                          : c == '&' ? ND_SHELL_AND
                          : d == '|' ? ND_SHELL_OR
                                     : ND_SHELL_PIPE;
    if (!end_command(r, op)) {
        return false;
    }
    r->at += op == ND_SHELL_AND || op == ND_SHELL_OR ? 2 : 1;
    return true;
}

/* Characters that mean more than themselves outside quotes, in some shell at some place. */
static const char *what_is(const struct shell_reader *r) {
    bool is_value = r->word.len > 0 && oc_is_one_of(r->word.data[r->word.len - 1], "=:");
    switch (*r->at) {
    case '$':
    case '`':
        return "an expansion";
    case '<':
    case '>':
        return "a redirection";
    case '(':
    case ')':
        return "a subshell, function or array";
    case '*':
    case '?':
    case '[':
    case ']':
        return "a file name pattern";
    case '{':
    case '}':
        return "a brace expansion or group";
    case '\n':
    case '\r':
        return "a line break";
    case '#':
        return r->has_word ? NULL : "a comment";
    case '~': /* HEAD~1 is fine; a=~ and a:~ are not */
        return r->word.len > 0 && !is_value ? NULL : "a home directory";
    case '=': /* zsh: =ls is the path of ls */
        return r->has_word ? NULL : "a path expansion of zsh";
    case '^': /* the old Bourne shell's pipe; a pattern in zsh */
        return r->has_word ? NULL : "a \"^\"";
    case '%': /* a job, for the shell's own commands */
        return r->has_word || r->command.words.count > 0 ? NULL : "a job";
    default:
        return (unsigned char)*r->at < 0x20 || *r->at == 0x7f ? "a control character" : NULL;
    }
}

static bool read_one(struct shell_reader *r) {
    switch (*r->at) {
    case ' ':
    case '\t':
        if (!end_word(r)) {
            return false;
        }
        r->at++;
        return true;
    case '\'':
        return read_single_quotes(r);
    case '"':
        return read_double_quotes(r);
    case '\\':
        return read_escape(r);
    case ';':
    case '&':
    case '|':
        return read_operator(r);
    default:
        break;
    }
    const char *what = what_is(r);
    if (what) {
        return exec_shell_refuse(r, what);
    }
    oc_buf_putc(&r->word, *r->at++);
    r->has_word = true;
    return true;
}

static bool read_all(struct shell_reader *r, const char *text) {
    size_t len = strnlen(text, ND_MAX_SCRIPT_BYTES + 1);
    if (len > ND_MAX_SCRIPT_BYTES) {
        r->why = oc_strdup("the script is too long");
        return false;
    }
    if (!oc_utf8_valid(text, len)) {
        r->why = oc_strdup("the script is not valid UTF-8");
        return false;
    }
    while (*r->at) {
        if (!read_one(r)) {
            return false;
        }
    }
    return end_command(r, ND_SHELL_END);
}

bool nd_shell_read(const char *text, struct nd_shell_script *ret, char **ret_why) {
    *ret = (struct nd_shell_script){ 0 };
    struct shell_reader r = { .at = text, .word = OC_BUF_INIT(ND_MAX_SCRIPT_BYTES), .script = ret };
    bool ok = read_all(&r, text);
    oc_buf_finish(&r.word);
    oc_strv_finish(&r.command.words);
    if (!ok) {
        *ret_why = r.why;
        return false;
    }
    oc_free(r.why);
    return true;
}

void nd_shell_finish(struct nd_shell_script *s) {
    for (size_t i = 0; i < s->count; i++) {
        oc_strv_finish(&s->commands[i].words);
    }
    oc_free(s->commands);
    oc_free(s->dir);
    *s = (struct nd_shell_script){ 0 };
}

const char *nd_shell_op_text(enum nd_shell_op op) {
    static const char *const texts[] = { [ND_SHELL_END] = "",
        [ND_SHELL_AND] = " && ",
        [ND_SHELL_OR] = " || ",
        [ND_SHELL_THEN] = " ; ",
        [ND_SHELL_PIPE] = " | " };
    return texts[op];
}

void nd_shell_quote(struct oc_buf *out, const char *word) {
    oc_buf_putc(out, '\'');
    for (; *word; word++) {
        if (*word == '\'') {
            oc_buf_puts(out, "'\\''");
        } else {
            oc_buf_putc(out, *word);
        }
    }
    oc_buf_putc(out, '\'');
}
