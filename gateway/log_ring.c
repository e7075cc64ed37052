#include "gateway/log_ring.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "protocol/limits.h"

#include <string.h>

#define MAX_LINE 1000

struct line {
    char *text;
    int64_t end; /* position after it */
};

struct oc_log_ring {
    struct line lines[OC_MAX_LOG_LINES];
    size_t first, count;
    int64_t size; /* of everything ever added */
};

struct oc_log_ring *oc_log_ring_create(void) {
    return oc_new(struct oc_log_ring);
}

void oc_log_ring_destroy(struct oc_log_ring *r) {
    if (!r) {
        return;
    }
    for (size_t i = 0; i < OC_MAX_LOG_LINES; i++) {
        oc_free(r->lines[i].text);
    }
    oc_free(r);
}

void oc_log_ring_add(struct oc_log_ring *r, const char *line) {
    size_t at = (r->first + r->count) % OC_MAX_LOG_LINES;
    if (r->count == OC_MAX_LOG_LINES) {
        oc_free(r->lines[r->first].text);
        r->first = (r->first + 1) % OC_MAX_LOG_LINES;
    } else {
        r->count++;
    }
    size_t len = oc_utf8_cut(line, strlen(line), MAX_LINE);
    r->size += (int64_t)len + 1;
    r->lines[at] = (struct line){ .text = oc_strndup(line, len), .end = r->size };
}

static const struct line *line_at(const struct oc_log_ring *r, size_t i) {
    return &r->lines[(r->first + i) % OC_MAX_LOG_LINES];
}

static int64_t start_of(const struct line *l) {
    return l->end - (int64_t)strlen(l->text) - 1;
}

cJSON *oc_log_ring_tail(
        const struct oc_log_ring *r, int64_t cursor, int64_t limit, int64_t max_bytes) {
    int64_t oldest = r->count > 0 ? start_of(line_at(r, 0)) : 0;
    bool is_reset = cursor > r->size || (cursor >= 0 && cursor < oldest);
    size_t from = 0;
    while (cursor >= 0 && !is_reset && from < r->count && start_of(line_at(r, from)) < cursor) {
        from++;
    }
    size_t wanted = from;
    while (from < r->count && ((int64_t)(r->count - from) > limit ||
                                      r->size - start_of(line_at(r, from)) > max_bytes)) {
        from++;
    }
    cJSON *lines = cJSON_CreateArray();
    for (size_t i = from; i < r->count; i++) {
        cJSON_AddItemToArray(lines, cJSON_CreateString(line_at(r, i)->text));
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "cursor", r->size);
    oc_json_set_int(o, "size", r->size);
    oc_json_set(o, "lines", lines);
    oc_json_set_bool(o, "truncated", from > wanted);
    oc_json_set_bool(o, "reset", is_reset);
    return o;
}
