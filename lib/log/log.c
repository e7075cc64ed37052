#include "lib/log/log.h"

#include "lib/base/mem.h"
#include "lib/log/log_blame.h"
#include "lib/log/log_tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TIME_CHARS 25 /* "2026-01-01T00:00:00.000Z " */
#define LINE_CHARS 2000

static enum oc_log_level max_level = OC_LOG_INFO;
static oc_log_sink *line_sink;
static void *line_sink_user;
static oc_log_sink *line_tap;
static void *line_tap_user;
static pthread_t line_tap_thread;
static bool has_journal;

void oc_log_set_level(enum oc_log_level max) {
    max_level = max;
}

bool oc_log_enabled(enum oc_log_level level) {
    return level <= max_level;
}

void oc_log_set_sink(oc_log_sink *sink, void *user) {
    line_sink = sink;
    line_sink_user = user;
}

void oc_log_set_tap(oc_log_sink *tap, void *user) {
    line_tap = tap;
    line_tap_user = user;
    line_tap_thread = pthread_self();
}

static void put_time(char out[TIME_CHARS + 1]) {
    struct timespec now;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    char date[32], part[16];
    (void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
    (void)snprintf(part, sizeof(part), ".%03uZ ", (unsigned)(now.tv_nsec / 1000000) % 1000);
    size_t date_len = strnlen(date, TIME_CHARS - strlen(part));
    memcpy(out, date, date_len);
    memcpy(out + date_len, part, strlen(part) + 1);
}

static void write_all(const char *data, size_t len) {
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, data, len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return; /* nowhere left to complain to */
        }
        data += n;
        len -= (size_t)n;
    }
}

void oc_log_follow_journal(void) {
    const char *told = getenv("JOURNAL_STREAM");
    struct stat st;
    char own[64];
    has_journal = false;
    if (told && fstat(STDERR_FILENO, &st) == 0) {
        (void)snprintf(own, sizeof(own), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
        has_journal = strcmp(own, told) == 0;
    }
}

void oc_log(enum oc_log_level level, const char *tag, const char *fmt, ...) {
    static const char *const words[] = { "error", "warn", "info", "debug" };
    if (!oc_log_enabled(level)) {
        return;
    }
    char out[TIME_CHARS + LINE_CHARS + 8];
    put_time(out);
    char *line = out + strlen(out);
    const char *word = (size_t)level < OC_COUNT(words) ? words[level] : "info";
    int head = snprintf(line, LINE_CHARS, "%s %s ", word, tag);
    size_t len = head < 0 ? 0 : (size_t)head;
    if (len < LINE_CHARS) {
        va_list ap;
        va_start(ap, fmt);
        (void)vsnprintf(line + len, LINE_CHARS - len, fmt, ap);
        va_end(ap);
    }
    len = strlen(line);
    for (size_t i = 0; i < len; i++) {
        /* One event, one line: a message with a line break in it must not look like two. */
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f) {
            line[i] = ' ';
        }
    }
    if (!oc_log_admit(level, line)) {
        return;
    }
    if (line_tap && pthread_equal(line_tap_thread, pthread_self())) {
        line_tap(line_tap_user, level, out);
    }
    if (line_sink) {
        line_sink(line_sink_user, level, line);
        return;
    }
    line[len] = '\n';
    const char *from = out;
    if (has_journal) {
        static const char *const priorities[] = { "<3>", "<4>", "<6>", "<7>" };
        memcpy(line - 3, priorities[(size_t)level < OC_COUNT(priorities) ? level : 2], 3);
        from = line - 3;
    }
    write_all(from,
            (size_t)(line - from) + len + 1); /* one write, so that lines of threads do not mix */
}
