#include "lib/text/paste.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"

#include <stdarg.h>
#include <string.h>

enum {
    MAX_PLAIN = 8192, /* a setup code is long, and all letters */
    MAX_QUOTED = 400,
    MAX_PLAIN_TEXT = 400,
    SHORT_ID = 12,
};

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define PLAIN LETTERS "_@%+=:,./-"

static bool is_bare(const char *word) {
    size_t len = strlen(word);
    return len > 0 && len <= MAX_PLAIN && strspn(word, PLAIN) == len;
}

/* Inside single quotes nothing is special to a POSIX shell; a backslash is to fish, an exclamation
 * mark to csh. What could end a command or start another is refused all the same: no name or path
 * that a person chose has it. */
static bool is_quotable(const char *word) {
    size_t len = strlen(word);
    for (size_t i = 0; i < len;) {
        unsigned c;
        bool is_hidden;
        i += oc_char_next(word + i, len - i, &c, &is_hidden);
        if (is_hidden || (c < 0x80 && oc_is_one_of((int)c, "\\!'\"`$;&|<>"))) {
            return false;
        }
    }
    return len > 0 && len <= MAX_QUOTED;
}

static bool put_word(struct oc_buf *out, const char *word) {
    if (!word || word[0] == '-') {
        return false; /* it would be an option */
    }
    if (is_bare(word)) {
        oc_buf_puts(out, word);
        return true;
    }
    if (!is_quotable(word)) {
        return false;
    }
    oc_buf_printf(out, "'%s'", word);
    return true;
}

char *oc_paste(const char *hint, const char *fmt, ...) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(65536);
    bool is_good = true;
    va_list ap;
    va_start(ap, fmt);
    for (const char *c = fmt; *c && is_good; c++) {
        if (c[0] == '%' && c[1] == 's') {
            is_good = put_word(&out, va_arg(ap, const char *));
            c++;
        } else {
            oc_buf_putc(&out, *c);
        }
    }
    va_end(ap);
    return is_good && !out.failed ? oc_buf_take(&out) : oc_strdup(hint);
}

char *oc_paste_id(const char *id) {
    size_t len = id ? strspn(id, LETTERS "-") : 0;
    return len > SHORT_ID && !id[len] ? oc_strndup(id, SHORT_ID) : oc_strdup(id ? id : "");
}

/* "<path of the program>": not a redirection, because nothing that could be a file follows. */
static size_t paste_placeholder(const char *s) {
    size_t n = strspn(s + 1, LETTERS " ");
    if (s[0] != '<' || n == 0 || s[n + 1] != '>') {
        return 0;
    }
    const char *behind = s + n + 2;
    bool is_last = !*behind || oc_is_one_of(*behind, "),") || oc_starts_with(behind, " --");
    return is_last ? n + 2 : 0;
}

bool oc_paste_is_plain(const char *text) {
    size_t len = strlen(text);
    for (size_t i = 0; i < len;) {
        unsigned c;
        bool is_hidden;
        size_t n = paste_placeholder(text + i);
        if (n == 0) {
            n = oc_char_next(text + i, len - i, &c, &is_hidden);
            if (is_hidden || (c < 0x80 && oc_is_one_of((int)c, "$`&|;<>\\#!*?~{}[]"))) {
                return false;
            }
        }
        i += n;
    }
    return len <= MAX_PLAIN_TEXT;
}

/* The length of the one word at text, plain or in quotes; 0 if there is none. */
static size_t word_at(const char *text) {
    if (text[0] == '\'') {
        size_t n = strcspn(text + 1, "'");
        return n > 0 && text[1] != '-' && text[n + 1] ? n + 2 : 0;
    }
    size_t n = text[0] == '-' ? 0 : strspn(text, PLAIN);
    return n > 1 && text[n - 1] == ',' ? n - 1 : n; /* the sentence's */
}

bool oc_paste_is_form(const char *text, const char *form) {
    while (*form) {
        size_t n = *form == '*' ? word_at(text) : *form == *text;
        if (n == 0) {
            return false;
        }
        text += n;
        form++;
    }
    return *text == '\0';
}
