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
    MAX_TOLD = 400,
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

static bool is_sentence(const char *text) {
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
    return len <= MAX_TOLD;
}

/* The whole fixes that gateway and node of ours name. A * is one word that the peer chose; it must
 * not be an option. What a node says of itself is for its own machine, or names nothing. */
static const struct {
    const char *who; /* NULL: whoever says it */
    const char *form;
} known[] = {
    { NULL, "on the node run: openclaw node run" },
    { NULL, "on the node run: openclaw node enable *" },
    { NULL, "on the node run: openclaw approvals security allowlist" },
    { NULL, "on the node run: openclaw approvals security full" },
    { NULL, "on the node run: openclaw approvals ask on-miss" },
    { NULL, "on the node run: openclaw approvals allowlist add *" },
    { NULL, "on the node name * in the list node.exec.env.allow of openclaw.json" },
    { OC_GATEWAY, "allow * in the settings of the app on the node" },
    { OC_GATEWAY, "on the node install the package *" },
    { OC_GATEWAY, "restart the node, then openclaw nodes approve" },
    { OC_GATEWAY, "use a node that has it: openclaw nodes status lists what each offers" },
    { OC_GATEWAY, "decide it as another operator: openclaw approvals pending" },
    { OC_GATEWAY, "openclaw nodes status lists the nodes that are paired" },
    { OC_GATEWAY, "openclaw nodes approve" },
    { OC_GATEWAY, "openclaw nodes approve *" },
    { OC_GATEWAY, "openclaw devices approve *" },
    { OC_GATEWAY, "openclaw nodes allow *" },
    { OC_GATEWAY, "openclaw approvals ask on-miss --node *" },
    { OC_GATEWAY, "openclaw approvals security full --node *" },
    { OC_GATEWAY, "openclaw approvals security allowlist --node *" },
    { OC_GATEWAY, "openclaw approvals security allowlist --node <its id>" },
    { OC_GATEWAY, "openclaw approvals allowlist add * --node *" },
    { OC_GATEWAY, "openclaw approvals allowlist add --node * <path of the program>" },
    { OC_GATEWAY, "openclaw approvals allowlist add --node <its id> <path of the program>" },
};

/* The length of the one word at text, plain or in quotes; 0 if there is none. */
static size_t word_at(const char *text) {
    if (text[0] == '\'') {
        size_t n = strcspn(text + 1, "'");
        return n > 0 && text[1] != '-' && text[n + 1] ? n + 2 : 0;
    }
    return text[0] == '-' ? 0 : strspn(text, PLAIN);
}

static bool is_form(const char *text, const char *form) {
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

static bool is_known(const char *who, const char *fix) {
    for (size_t i = 0; i < OC_COUNT(known); i++) {
        bool may_say = !known[i].who || oc_streq(known[i].who, who);
        if (may_say && is_form(fix, known[i].form)) {
            return true;
        }
    }
    return false;
}

#define SAYS " says: "
#define NOT_PLAIN " named a fix that is not plain text; it is not shown here"

char *oc_paste_told(const char *who, const char *fix) {
    if (!fix) {
        return NULL;
    }
    if (oc_starts_with(fix, OC_NODE NOT_PLAIN)) {
        return oc_strdup(OC_NODE NOT_PLAIN); /* our gateway has looked at it before */
    }
    if (oc_str_blank(fix) || !is_sentence(fix)) {
        return oc_strfmt("%s" NOT_PLAIN, who);
    }
    bool is_marked = oc_starts_with(fix, OC_NODE SAYS);
    return is_marked || is_known(who, fix) ? oc_strdup(fix) : oc_strfmt("%s" SAYS "%s", who, fix);
}
