#include "lib/log/log_blame.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"

#include <stdio.h>
#include <string.h>

#define NAME_CHARS 72
#define SAID 8 /* different lines of a stranger that are remembered */

struct record {
    char name[NAME_CHARS]; /* "": free */
    int64_t since_ms;
    unsigned lines;
    uint64_t dropped;
    uint64_t said[SAID];
};

/* Those who were let in, and those who were not: many strangers leave the lines of devices
 * alone. */
enum { KNOWN, STRANGERS, CLASSES };

struct class {
    struct record records[OC_MAX_LOG_CAUSES];
    struct record others; /* when there are more causes than records */
};

struct oc_log_tally {
    struct class classes[CLASSES];
};

static _Thread_local const struct oc_log_cause *blamed;
static _Thread_local struct oc_log_tally *tally;

struct oc_log_tally *oc_log_tally_create(void) {
    return oc_new(struct oc_log_tally);
}

void oc_log_tally_destroy(struct oc_log_tally *b) {
    oc_free(b);
}

static void log_blame_begin(struct record *r, const char *name, int64_t now_ms) {
    *r = (struct record){ .since_ms = now_ms };
    (void)snprintf(r->name, sizeof(r->name), "%s", *name ? name : "-");
}

static bool is_over(const struct record *r, int64_t now_ms) {
    return now_ms - r->since_ms >= OC_LOG_WINDOW_MS;
}

/* A record that owes nothing and whose window is over can be had by another. */
static struct record *log_blame_find(struct class *c, const char *name, int64_t now_ms) {
    struct record *spare = NULL;
    for (size_t i = 0; i < OC_MAX_LOG_CAUSES; i++) {
        struct record *r = &c->records[i];
        if (r->name[0] && strncmp(r->name, name, sizeof(r->name) - 1) == 0) {
            return r;
        }
        if (!spare && (!r->name[0] || (is_over(r, now_ms) && r->dropped == 0))) {
            spare = r;
        }
    }
    if (spare) {
        log_blame_begin(spare, name, now_ms);
        return spare;
    }
    if (!c->others.name[0]) {
        log_blame_begin(&c->others, "others", now_ms);
    }
    return &c->others;
}

static uint64_t log_blame_hash(const char *line) {
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (; *line; line++) {
        h = (h ^ (unsigned char)*line) * 1099511628211u;
    }
    return h ? h : 1;
}

static bool was_said(const struct record *r, uint64_t h) {
    for (size_t i = 0; i < SAID; i++) {
        if (r->said[i] == h) {
            return true;
        }
    }
    return false;
}

bool oc_log_tally_admit(struct oc_log_tally *b, const struct oc_log_cause *cause, const char *line,
        int64_t now_ms) {
    struct class *c = &b->classes[cause->is_stranger ? STRANGERS : KNOWN];
    struct record *r = log_blame_find(c, cause->name, now_ms);
    if (is_over(r, now_ms) && r->dropped == 0) {
        OC_AUTO_FREE char *name = oc_strdup(r->name);
        log_blame_begin(r, name, now_ms);
    }
    uint64_t h = cause->is_stranger ? log_blame_hash(line) : 0;
    if (r->lines >= cause->max_lines || (h && was_said(r, h))) {
        r->dropped++;
        return false;
    }
    r->said[r->lines % SAID] = h;
    r->lines++;
    return true;
}

bool oc_log_tally_owed(struct oc_log_tally *b, int64_t now_ms, bool all, char *ret_name,
        size_t name_size, uint64_t *ret_dropped) {
    for (size_t i = 0; i < (size_t)CLASSES * (OC_MAX_LOG_CAUSES + 1); i++) {
        struct class *c = &b->classes[i / (OC_MAX_LOG_CAUSES + 1)];
        size_t at = i % (OC_MAX_LOG_CAUSES + 1);
        struct record *r = at < OC_MAX_LOG_CAUSES ? &c->records[at] : &c->others;
        if (r->dropped > 0 && (all || is_over(r, now_ms))) {
            (void)snprintf(ret_name, name_size, "%s", r->name);
            *ret_dropped = r->dropped;
            *r = (struct record){ 0 };
            return true;
        }
    }
    return false;
}

const struct oc_log_cause *oc_log_blame(const struct oc_log_cause *cause) {
    const struct oc_log_cause *before = blamed;
    blamed = cause;
    return before;
}

bool oc_log_is_strangers(void) {
    return blamed && blamed->is_stranger;
}

/* Also said by those who are blamed next: a window that is over is settled before the next line. */
void oc_log_settle(bool all) {
    const struct oc_log_cause *before = blamed;
    char name[NAME_CHARS];
    uint64_t dropped = 0;
    blamed = NULL;
    while (tally && oc_log_tally_owed(tally, oc_mono_ms(&oc_clock_system), all, name, sizeof(name),
                            &dropped)) {
        oc_log(OC_LOG_INFO, "log", "%llu more lines in %d s because of %s",
                (unsigned long long)dropped, OC_LOG_WINDOW_MS / 1000, name);
    }
    if (all) {
        oc_log_tally_destroy(tally);
        tally = NULL;
    }
    blamed = before;
}

bool oc_log_admit(enum oc_log_level level, const char *line) {
    if (!blamed || level == OC_LOG_DEBUG) {
        return true;
    }
    if (!tally) {
        tally = oc_log_tally_create();
    }
    oc_log_settle(false);
    return oc_log_tally_admit(tally, blamed, line, oc_mono_ms(&oc_clock_system));
}
