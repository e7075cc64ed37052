#include "cli/progress.h"

#include "lib/base/mem.h"

#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 30, EVERY_MS = 200 };

char *cli_progress_line(const char *label, int64_t elapsed_ms, int64_t total_ms) {
    if (elapsed_ms >= total_ms) { /* what follows has no known length */
        return oc_strfmt("%s done, fetching it…", label);
    }
    int64_t filled = elapsed_ms * WIDTH / total_ms;
    char bar[WIDTH + 1];
    for (int64_t i = 0; i < WIDTH; i++) {
        bar[i] = i < filled ? '=' : ' ';
    }
    bar[WIDTH] = '\0';
    return oc_strfmt("%s [%s] %lld.%lld of %lld.%lld s", label, bar, (long long)elapsed_ms / 1000,
            (long long)elapsed_ms % 1000 / 100, (long long)total_ms / 1000,
            (long long)total_ms % 1000 / 100);
}

static void progress_draw(struct oc_timer *t) {
    struct cli_progress *p = t->user;
    OC_AUTO_FREE char *line =
            cli_progress_line(p->label, oc_loop_now_ms(p->loop) - p->began_ms, p->total_ms);
    (void)fprintf(stderr, "\r\033[K%s", line);
    (void)fflush(stderr);
    oc_timer_set(p->loop, &p->timer, EVERY_MS);
}

void cli_progress_begin(struct cli_progress *p, struct oc_loop *loop, const char *label,
        int64_t total_ms, bool is_quiet) {
    *p = (struct cli_progress){ .label = label, .total_ms = total_ms };
    p->loop = loop;
    p->began_ms = oc_loop_now_ms(loop);
    p->timer = (struct oc_timer){ .on_expire = progress_draw, .user = p };
    if (!is_quiet && total_ms > 0 && isatty(STDERR_FILENO)) {
        p->is_drawn = true;
        oc_timer_set(loop, &p->timer, 0);
    }
}

void cli_progress_end(struct cli_progress *p) {
    oc_timer_cancel(&p->timer);
    if (p->is_drawn) {
        p->is_drawn = false;
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
}
