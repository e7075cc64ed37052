#include "gateway/log_ring.h"

#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/protocol/limits.h"

#include <string.h>

#define MAX_LINE 1000

#define STRANGERS_LINES \
    (OC_MAX_LOG_LINES / 5) /* what strangers cause pushes out no more than this */

struct line {
    struct oc_list link; /* gw_log_ring.lines, oldest first */
    struct oc_list own;  /* gw_log_ring.strangers, oldest first; alone when it is not theirs */
    char *text;
    int64_t end; /* position after it */
};

struct gw_log_ring {
    struct oc_list lines, strangers;
    size_t count, strangers_count;
    int64_t size; /* of everything ever added */
};

struct gw_log_ring *gw_log_ring_create(void) {
    struct gw_log_ring *r = oc_new(struct gw_log_ring);
    oc_list_init(&r->lines);
    oc_list_init(&r->strangers);
    return r;
}

static void log_ring_drop(struct gw_log_ring *r, struct line *l) {
    r->count--;
    r->strangers_count -= !oc_list_empty(&l->own);
    oc_list_remove(&l->link);
    oc_list_remove(&l->own);
    oc_free(l->text);
    oc_free(l);
}

void gw_log_ring_destroy(struct gw_log_ring *r) {
    if (!r) {
        return;
    }
    while (!oc_list_empty(&r->lines)) {
        log_ring_drop(r, oc_list_first(&r->lines, struct line, link));
    }
    oc_free(r);
}

void gw_log_ring_add(struct gw_log_ring *r, const char *line, bool is_strangers) {
    if (is_strangers && r->strangers_count == STRANGERS_LINES) {
        log_ring_drop(r, oc_list_first(&r->strangers, struct line, own));
    } else if (r->count == OC_MAX_LOG_LINES) {
        log_ring_drop(r, oc_list_first(&r->lines, struct line, link));
    }
    size_t len = oc_utf8_cut(line, strlen(line), MAX_LINE);
    struct line *l = oc_new(struct line);
    r->size += (int64_t)len + 1;
    l->text = oc_strndup(line, len);
    l->end = r->size;
    oc_list_init(&l->own);
    oc_list_append(&r->lines, &l->link);
    r->count++;
    if (is_strangers) {
        oc_list_append(&r->strangers, &l->own);
        r->strangers_count++;
    }
}

static int64_t start_of(const struct line *l) {
    return l->end - (int64_t)strlen(l->text) - 1;
}

/* The line behind l; NULL: the first one is asked for, or there is none. */
static const struct line *log_ring_after(const struct gw_log_ring *r, const struct line *l) {
    const struct oc_list *next = l ? l->link.next : r->lines.next;
    return next == &r->lines ? NULL : OC_CONTAINER(next, const struct line, link);
}

cJSON *gw_log_ring_tail(
        const struct gw_log_ring *r, int64_t cursor, int64_t limit, int64_t max_bytes) {
    const struct line *from = log_ring_after(r, NULL);
    bool is_reset = cursor > r->size || (cursor >= 0 && from && cursor < start_of(from));
    int64_t left = (int64_t)r->count, bytes = 0;
    for (; cursor >= 0 && !is_reset && from && start_of(from) < cursor;
            from = log_ring_after(r, from)) {
        left--;
    }
    const struct line *wanted = from;
    for (const struct line *l = from; l; l = log_ring_after(r, l)) {
        bytes += (int64_t)strlen(l->text) + 1;
    }
    for (; from && (left > limit || bytes > max_bytes); from = log_ring_after(r, from)) {
        left--;
        bytes -= (int64_t)strlen(from->text) + 1;
    }
    cJSON *lines = cJSON_CreateArray();
    for (const struct line *l = from; l; l = log_ring_after(r, l)) {
        cJSON_AddItemToArray(lines, cJSON_CreateString(l->text));
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "cursor", r->size);
    oc_json_set_int(o, "size", r->size);
    oc_json_set(o, "lines", lines);
    oc_json_set_bool(o, "truncated", from != wanted);
    oc_json_set_bool(o, "reset", is_reset);
    return o;
}
