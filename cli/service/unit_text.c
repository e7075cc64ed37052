#include "cli/service/unit_text.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_UNIT_BYTES 65536
/* No variable is put in: a word with $ in it is that word, also in the path of the program, where
 * $$ would not work. */
#define EXEC_START "ExecStart=:"

static bool is_plain(const char *word) {
    return *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "_-./:=@,+") == strlen(word);
}

char *cli_unit_quote(const char *word) {
    if (is_plain(word)) {
        return oc_strdup(word);
    }
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(strlen(word) * 4 + 3);
    (void)oc_buf_putc(&out, '"');
    for (const char *c = word; *c; c++) {
        if (*c == '"' || *c == '\\') {
            (void)oc_buf_printf(&out, "\\%c", *c);
        } else if (*c == '%') {
            (void)oc_buf_puts(&out, "%%");
        } else if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            (void)oc_buf_printf(&out, "\\x%02x", (unsigned)(unsigned char)*c);
        } else {
            (void)oc_buf_putc(&out, *c);
        }
    }
    (void)oc_buf_putc(&out, '"');
    return oc_buf_take(&out);
}

char *cli_unit_file_path(const char *path) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(strlen(path) * 2 + 1);
    for (const char *c = path; *c; c++) {
        if (oc_is_one_of(*c, "*?[]\\")) {
            (void)oc_buf_putc(&out, '\\');
        } else if (*c == '%') {
            (void)oc_buf_putc(&out, '%');
        }
        (void)oc_buf_putc(&out, *c);
    }
    return oc_buf_take(&out);
}

/* A user's manager can take away only what needs no namespaces (they are closed to ordinary users
 * on many machines, and then the service would not start), and every filter of system calls brings
 * NoNewPrivileges=, which ends sudo. So a node, whose commands are its owner's business, gets none
 * of it: node.exec.sandbox puts the commands into a sandbox instead. */
static const char unit_sandbox[] = "NoNewPrivileges=yes\n"
                                   "LockPersonality=yes\n"
                                   "MemoryDenyWriteExecute=yes\n"
                                   "RestrictRealtime=yes\n"
                                   "RestrictSUIDSGID=yes\n"
                                   "RestrictNamespaces=yes\n"
                                   "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n"
                                   "SystemCallArchitectures=native\n"
                                   "UMask=0077\n";

/* Delegate=: limits of commands are groups below ours. OOMPolicy=: a command that takes too much
 * memory ends alone. */
static const char commands[] = "Delegate=yes\n"
                               "OOMPolicy=continue\n";

char *cli_unit_text(const struct cli_unit *u) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_UNIT_BYTES);
    (void)oc_buf_printf(&out,
            CLI_UNIT_MARK "%s writes it anew. Changes of your own: systemctl --user edit.\n"
                          "[Unit]\n"
                          "Description=%s\n"
                          "Documentation=man:openclaw(1)\n"
                          "StartLimitIntervalSec=0\n\n"
                          "[Service]\n"
                          "Type=notify\n"
                          "NotifyAccess=main\n" EXEC_START,
            u->rewrite, u->description);
    for (size_t i = 0; i < u->argv->count; i++) {
        OC_AUTO_FREE char *word = cli_unit_quote(u->argv->items[i]);
        (void)oc_buf_printf(&out, "%s%s", i > 0 ? " " : "", word);
    }
    (void)oc_buf_putc(&out, '\n');
    for (size_t i = 0; i < u->env->count; i++) {
        OC_AUTO_FREE char *word = cli_unit_quote(u->env->items[i]);
        (void)oc_buf_printf(&out, "Environment=%s\n", word);
    }
    OC_AUTO_FREE char *env_path = cli_unit_file_path(u->env_path);
    /* Exit 2 is wrong usage: the same words would be wrong again. */
    (void)oc_buf_printf(&out,
            "EnvironmentFile=-%s\n"
            "WatchdogSec=30\n"
            "Restart=always\n"
            "%s"
            "RestartPreventExitStatus=2\n"
            "TimeoutStopSec=20\n"
            "KillMode=mixed\n"
            "%s\n"
            "[Install]\n"
            "WantedBy=default.target\n",
            env_path,
            u->backs_off ? "RestartSec=1\nRestartSteps=6\nRestartMaxDelaySec=60\n"
                         : "RestartSec=5\n",
            u->runs_commands ? commands : unit_sandbox);
    return out.failed ? NULL : oc_buf_take(&out);
}

bool cli_unit_is_ours(const char *text) {
    return oc_starts_with(text, CLI_UNIT_MARK);
}

/* Behind a backslash; returns how many characters of at it took. */
static size_t unit_text_unescape(const char *at, struct oc_buf *word) {
    unsigned value = 0;
    if (at[0] == 'x' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2]) &&
            sscanf(at + 1, "%2x", &value) == 1) { /* NOLINT(cert-err34-c) */
        (void)oc_buf_putc(word, (char)value);
        return 3;
    }
    (void)oc_buf_putc(word, at[0]);
    return at[0] ? 1 : 0;
}

/* Reads what cli_unit_quote writes; returns where the next word starts. */
static const char *read_word(const char *at, struct oc_buf *word) {
    bool is_quoted = false;
    while (*at && *at != '\n' && (is_quoted || *at != ' ')) {
        if (*at == '"') {
            is_quoted = !is_quoted;
            at++;
        } else if (*at == '\\') {
            at += 1 + unit_text_unescape(at + 1, word);
        } else {
            (void)oc_buf_putc(word, *at);
            at += at[0] == '%' && at[1] == '%' ? 2 : 1;
        }
    }
    while (*at == ' ') {
        at++;
    }
    return at;
}

void cli_unit_command(const char *text, struct oc_strv *ret) {
    const char *at = strstr(text, "\n" EXEC_START);
    if (!at) {
        return;
    }
    at += strlen("\n" EXEC_START);
    while (*at && *at != '\n') {
        OC_AUTO_BUF struct oc_buf word = OC_BUF_INIT(MAX_UNIT_BYTES);
        at = read_word(at, &word);
        OC_AUTO_FREE char *whole = oc_strndup(word.len > 0 ? word.data : "", word.len);
        oc_strv_add(ret, whole);
    }
}
