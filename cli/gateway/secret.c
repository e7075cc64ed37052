#include "cli/gateway/secret.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define MAX_SECRET_BYTES 65536

static volatile sig_atomic_t got_signal;

static void on_signal(int signo) {
    got_signal = signo;
}

/* A byte at a time: what follows the line is somebody else's. */
static enum oc_code read_line(struct oc_buf *ret, struct oc_error *err) {
    char c;
    for (;;) {
        ssize_t n = read(STDIN_FILENO, &c, 1);
        if (n < 0 && errno == EINTR && !got_signal) {
            continue;
        }
        if (n < 0) {
            return got_signal ? oc_fail(err, OC_E_CANCELLED, "interrupted")
                              : oc_fail(err, OC_E_IO, "standard input: %s", strerror(errno));
        }
        if (n == 0 || c == '\n') {
            return OC_OK;
        }
        if (oc_buf_putc(ret, c) != OC_OK) {
            return oc_fail(err, OC_E_INVALID, "standard input: the line is too long");
        }
    }
}

/* The terminal is as it was, whatever ends this. */
static enum oc_code type_line(const char *what, struct oc_buf *ret, struct oc_error *err) {
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
    struct sigaction before[OC_COUNT(signals)], ours = { .sa_handler = on_signal };
    struct termios shown, hidden;
    if (tcgetattr(STDIN_FILENO, &shown) != 0) {
        return read_line(ret, err);
    }
    got_signal = 0;
    for (size_t i = 0; i < OC_COUNT(signals); i++) {
        sigaction(signals[i], &ours, &before[i]);
    }
    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    fprintf(stderr, "%c%s: ", toupper((unsigned char)what[0]), what + 1);
    enum oc_code rc = read_line(ret, err);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
    fputc('\n', stderr);
    for (size_t i = 0; i < OC_COUNT(signals); i++) {
        sigaction(signals[i], &before[i], NULL);
    }
    if (got_signal) {
        raise(got_signal);
    }
    return rc;
}

enum oc_code cli_secret_from_file(
        const char *path, const char *what, char **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_SECRET_BYTES);
    bool is_stdin = strcmp(path, "-") == 0;
    enum oc_code rc = !is_stdin              ? oc_file_read(path, MAX_SECRET_BYTES, &text, err)
                      : isatty(STDIN_FILENO) ? type_line(what, &text, err)
                                             : read_line(&text, err);
    const char *data = rc == OC_OK && text.len > 0 ? text.data : "";
    char *line = oc_strndup(data, strcspn(data, "\r\n"));
    if (text.len > 0) {
        explicit_bzero(text.data, text.len);
    }
    if (rc == OC_OK && oc_str_blank(line)) {
        rc = is_stdin ? oc_fail(err, OC_E_INVALID, "standard input holds no %s", what)
                      : oc_fail(err, OC_E_INVALID, "'%s' holds no secret in its first line", path);
    }
    if (rc != OC_OK) {
        oc_free_secret(line);
        return rc;
    }
    *ret = line;
    return OC_OK;
}
