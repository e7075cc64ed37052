#include "node/canvas_kept.h"

#include "base/json.h"
#include "base/json_scan.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"

#include <string.h>

#define MAX_NAME 4096
#define DEFAULT_SURFACE "@default" /* of messages that name none */
#define OFTEN_MESSAGES \
    1024 /* so many more than the last time, or bytes, are looked through again */
#define OFTEN_BYTES ((size_t)1024 * 1024)

enum kind { OTHER, BEGIN, COMPONENTS, DATA, DELETE, ENTERED };

struct message {
    enum kind kind;
    char *surface;      /* NULL: not said */
    char *path;         /* DATA, ENTERED: "" is all of it */
    struct oc_strv ids; /* COMPONENTS, sorted */
    char *line;
    size_t len;
};

struct oc_canvas_kept {
    struct message *items;
    size_t count, capacity, bytes;
    size_t compacted_count, compacted_bytes; /* what was left the last time */
    struct oc_strv surfaces;                 /* in the order in which they are shown */
};

struct oc_canvas_kept *oc_canvas_kept_create(void) {
    return oc_new(struct oc_canvas_kept);
}

static void finish(struct message *m) {
    oc_free(m->surface);
    oc_free(m->path);
    oc_free(m->line);
    oc_strv_finish(&m->ids);
}

void oc_canvas_kept_clear(struct oc_canvas_kept *k) {
    for (size_t i = 0; i < k->count; i++) {
        finish(&k->items[i]);
    }
    oc_free(oc_take(&k->items));
    oc_strv_finish(&k->surfaces);
    *k = (struct oc_canvas_kept){ 0 };
}

void oc_canvas_kept_destroy(struct oc_canvas_kept *k) {
    if (k) {
        oc_canvas_kept_clear(k);
        oc_free(k);
    }
}

bool oc_canvas_kept_is_empty(const struct oc_canvas_kept *k) {
    return k->count == 0;
}

static char *string_member(struct oc_slice object, const char *key) {
    struct oc_json_value v;
    return oc_json_find(object, key, &v) && v.kind == OC_JK_STRING
                   ? oc_json_unescape(oc_json_body(v), MAX_NAME)
                   : NULL;
}

static char *surface_of(struct oc_slice body) {
    struct oc_json_value v;
    return oc_json_find(body, "surfaceId", &v) ? string_member(body, "surfaceId")
                                               : oc_strdup(DEFAULT_SURFACE);
}

/* Paths of both spellings, "/a/b" and "a.b", as "/a/b"; "" is the root. */
static char *plain_path(struct oc_slice object) {
    OC_AUTO_FREE char *given = string_member(object, "path");
    struct oc_buf b = OC_BUF_INIT((size_t)2 * MAX_NAME);
    for (const char *p = given ? given : ""; *p;) {
        size_t n = strcspn(p, "/.[]");
        if (n > 0) {
            (void)oc_buf_putc(&b, '/');
            (void)oc_buf_append(&b, p, n);
        }
        p += n + (p[n] != '\0');
    }
    return oc_buf_take(&b);
}

static void read_ids(struct oc_slice body, struct oc_strv *ret) {
    struct oc_json_value list;
    struct oc_json_cursor at = { 0 };
    struct oc_json_value v;
    if (!oc_json_find(body, "components", &list) || list.kind != OC_JK_ARRAY) {
        return;
    }
    while (oc_json_next_item(list.raw, &at, &v)) {
        OC_AUTO_FREE char *id = v.kind == OC_JK_OBJECT ? string_member(v.raw, "id") : NULL;
        if (id) {
            oc_strv_add(ret, id);
        }
    }
    oc_strv_sort_unique(ret);
}

static struct message read_message(struct oc_slice line) {
    static const struct {
        const char *name;
        enum kind kind;
    } kinds[] = { { "beginRendering", BEGIN }, { "surfaceUpdate", COMPONENTS },
        { "dataModelUpdate", DATA }, { "deleteSurface", DELETE } };
    struct message m = { .line = oc_strndup(line.ptr, line.len), .len = line.len };
    struct oc_json_value body;
    if (!oc_json_valid(line.ptr, line.len, 64) || oc_json_root(line).kind != OC_JK_OBJECT) {
        return m; /* the canvas is more patient than we are */
    }
    for (size_t i = 0; i < OC_COUNT(kinds); i++) {
        if (oc_json_find(line, kinds[i].name, &body) && body.kind == OC_JK_OBJECT) {
            m.surface = surface_of(body.raw);
            m.kind = m.surface ? kinds[i].kind : OTHER;
            if (m.kind == COMPONENTS) {
                read_ids(body.raw, &m.ids);
            } else if (m.kind == DATA) {
                m.path = plain_path(body.raw);
            }
            return m;
        }
    }
    return m;
}

/* Keys of what later messages have settled: 'c' component, 'd' data at a path, 'b' root, 'x' the whole surface. */
static char *settled_key(char what, const char *surface, const char *name) {
    return oc_strfmt("%c%s\n%s", what, surface, name);
}

static bool is_settled(
        const struct oc_map *later, char what, const char *surface, const char *name) {
    OC_AUTO_FREE char *key = settled_key(what, surface, name);
    return oc_map_get(later, key) != NULL;
}

static void settle(struct oc_map *later, char what, const char *surface, const char *name) {
    static char yes;
    OC_AUTO_FREE char *key = settled_key(what, surface, name);
    (void)oc_map_put(later, key, &yes);
}

static bool is_path_settled(const struct oc_map *later, const struct message *m) {
    OC_AUTO_FREE char *path = oc_strdup(m->path);
    for (;;) {
        if (is_settled(later, 'd', m->surface, path)) {
            return true;
        }
        char *slash = strrchr(path, '/');
        if (!slash) {
            return false;
        }
        *slash = '\0';
    }
}

/* Whether nothing is left of what m did, and notes what it does to those before it. */
static bool is_over(struct oc_map *later, const struct message *m) {
    bool is_over = false;
    if (m->kind == OTHER) {
        return false;
    }
    if (is_settled(later, 'x', m->surface, "")) {
        return true;
    }
    switch (m->kind) {
    case DELETE:
        settle(later, 'x', m->surface, "");
        return true;
    case BEGIN:
        is_over = is_settled(later, 'b', m->surface, "");
        settle(later, 'b', m->surface, "");
        return is_over;
    case DATA:
    case ENTERED:
        is_over = is_path_settled(later, m);
        settle(later, 'd', m->surface, m->path);
        return is_over;
    default:
        is_over = true;
        for (size_t i = 0; i < m->ids.count; i++) {
            is_over = is_settled(later, 'c', m->surface, m->ids.items[i]) && is_over;
            settle(later, 'c', m->surface, m->ids.items[i]);
        }
        return is_over;
    }
}

static void compact(struct oc_canvas_kept *k) {
    struct oc_map *later = oc_map_create();
    for (size_t i = k->count; i > 0; i--) {
        struct message *m = &k->items[i - 1];
        if (is_over(later, m)) {
            k->bytes -= m->len + 1;
            finish(m);
            m->line = NULL;
        }
    }
    oc_map_destroy(later);
    size_t kept = 0;
    for (size_t i = 0; i < k->count; i++) {
        if (k->items[i].line) {
            k->items[kept++] = k->items[i];
        }
    }
    k->count = k->compacted_count = kept;
    k->compacted_bytes = k->bytes;
}

static void append(struct oc_canvas_kept *k, struct message take_message) {
    if (k->count == k->capacity) {
        k->capacity = k->capacity ? 2 * k->capacity : 16;
        k->items = oc_realloc(k->items, k->capacity * sizeof(*k->items));
    }
    k->items[k->count++] = take_message;
    k->bytes += take_message.len + 1;
}

static void add(struct oc_canvas_kept *k, struct oc_slice line) {
    struct message m = read_message(line);
    append(k, m);
    if (m.kind == DELETE) {
        oc_strv_remove(&k->surfaces, m.surface);
    } else if (m.surface) {
        oc_strv_add_unique(&k->surfaces, m.surface);
    }
}

static struct oc_slice trimmed(const char *from, const char *to) {
    while (from < to && strchr(" \t\r", *from)) {
        from++;
    }
    while (to > from && strchr(" \t\r", to[-1])) {
        to--;
    }
    return (struct oc_slice){ from, (size_t)(to - from) };
}

static bool stays_below_ceilings(struct oc_canvas_kept *k) {
    if (k->count > 2 * k->compacted_count + OFTEN_MESSAGES ||
            k->bytes > 2 * k->compacted_bytes + OFTEN_BYTES) {
        compact(k);
    }
    if (k->bytes > OC_MAX_CANVAS_KEPT || k->count > OC_MAX_CANVAS_MESSAGES) {
        oc_canvas_kept_clear(k);
        return false;
    }
    return true;
}

bool oc_canvas_kept_add(struct oc_canvas_kept *k, const char *jsonl, size_t len) {
    const char *p = jsonl, *end = jsonl + len;
    while (p < end) {
        const char *lf = memchr(p, '\n', (size_t)(end - p));
        struct oc_slice line = trimmed(p, lf ? lf : end);
        if (line.len > 0) {
            add(k, line);
        }
        p = lf ? lf + 1 : end;
    }
    return stays_below_ceilings(k);
}

/* As "/a/0", whatever is in the keys; NULL: it is no list of names. */
static char *path_of(struct oc_slice entry) {
    struct oc_json_value list, v;
    struct oc_json_cursor at = { 0 };
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT((size_t)2 * MAX_NAME);
    if (!oc_json_find(entry, "path", &list) || list.kind != OC_JK_ARRAY) {
        return NULL;
    }
    while (oc_json_next_item(list.raw, &at, &v)) {
        OC_AUTO_FREE char *name =
                v.kind == OC_JK_STRING ? oc_json_unescape(oc_json_body(v), MAX_NAME) : NULL;
        if (!name || oc_buf_putc(&b, '/') != OC_OK || oc_buf_puts(&b, name) != OC_OK) {
            return NULL;
        }
    }
    return b.len > 0 ? oc_buf_take(&b) : NULL;
}

void oc_canvas_kept_enter(struct oc_canvas_kept *k, const char *entry, size_t len) {
    struct oc_slice line = { entry, len };
    if (memchr(entry, '\n', len) || !oc_json_valid(entry, len, 64) ||
            oc_json_root(line).kind != OC_JK_OBJECT) {
        return;
    }
    struct message m = {
        .kind = ENTERED, .surface = string_member(line, "surfaceId"), .path = path_of(line)
    };
    if (!m.surface || !m.path || !oc_strv_has(&k->surfaces, m.surface)) {
        finish(&m);
        return;
    }
    m.line = oc_strndup(entry, len);
    m.len = len;
    append(k, m);
    (void)stays_below_ceilings(k);
}

/* A surface stands where it was first spoken of, and that message may be gone. */
static void put_order(const struct oc_canvas_kept *k, struct oc_buf *ret) {
    for (size_t i = 0; i < k->surfaces.count; i++) {
        (void)oc_buf_puts(ret, "{\"surfaceUpdate\":{\"surfaceId\":");
        (void)oc_json_append_string(ret, k->surfaces.items[i], strlen(k->surfaces.items[i]));
        (void)oc_buf_puts(ret, ",\"components\":[]}}\n");
    }
}

/* *at: 0, then one more than the index. */
bool oc_canvas_kept_next(
        struct oc_canvas_kept *k, size_t *at, size_t max, struct oc_buf *ret, bool *ret_entered) {
    oc_buf_clear(ret);
    *ret_entered = false;
    if (*at == 0 && k->count > 0) {
        compact(k);
        put_order(k, ret);
        *at = 1;
    }
    for (bool is_first = true; *at > 0 && *at <= k->count; is_first = false) {
        const struct message *m = &k->items[*at - 1];
        bool is_entered = m->kind == ENTERED;
        if (ret->len == 0) {
            *ret_entered = is_entered;
        } else if (is_entered != *ret_entered || (!is_first && ret->len + m->len + 1 > max)) {
            break;
        }
        (void)oc_buf_append(ret, m->line, m->len);
        (void)oc_buf_putc(ret, '\n');
        ++*at;
    }
    return ret->len > 0;
}
