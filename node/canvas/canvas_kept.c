#include "node/canvas/canvas_kept.h"

#include "lib/a2ui/a2ui.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "lib/json/json.h"
#include "lib/json/json_scan.h"
#include "node/canvas/canvas_settled.h"

#include <string.h>

#define MAX_NAME 4096
#define DEFAULT_SURFACE "@default" /* of messages that name none */
#define OFTEN_MESSAGES \
    1024 /* so many more than the last time, or bytes, are looked through again */
#define OFTEN_BYTES ((size_t)1024 * 1024)

enum kept_kind { OTHER, BEGIN, COMPONENTS, DATA, DELETE, ENTERED };

struct message {
    enum kept_kind kind;
    char *surface;      /* NULL: not said */
    char *path;         /* DATA, ENTERED: "" is all of it */
    struct oc_strv ids; /* COMPONENTS, sorted */
    char *line;
    size_t len;
};

struct nd_canvas_kept {
    struct message *items;
    size_t count, capacity, bytes;
    size_t compacted_count, compacted_bytes; /* what was left the last time */
    struct oc_strv surfaces;                 /* in the order in which they are shown */
};

struct nd_canvas_kept *nd_canvas_kept_create(void) {
    return oc_new(struct nd_canvas_kept);
}

static void canvas_kept_finish(struct message *m) {
    oc_free(m->surface);
    oc_free(m->path);
    oc_free(m->line);
    oc_strv_finish(&m->ids);
}

void nd_canvas_kept_clear(struct nd_canvas_kept *k) {
    for (size_t i = 0; i < k->count; i++) {
        canvas_kept_finish(&k->items[i]);
    }
    oc_free(oc_take(&k->items));
    oc_strv_finish(&k->surfaces);
    *k = (struct nd_canvas_kept){ 0 };
}

void nd_canvas_kept_destroy(struct nd_canvas_kept *k) {
    if (k) {
        nd_canvas_kept_clear(k);
        oc_free(k);
    }
}

bool nd_canvas_kept_is_empty(const struct nd_canvas_kept *k) {
    return k->count == 0;
}

static char *string_member(struct oc_slice object, const char *key) {
    struct oc_json_value v;
    return oc_json_find(object, key, &v) && v.kind == OC_JK_STRING
                   ? oc_json_unescape(oc_json_body(v), MAX_NAME)
                   : NULL;
}

/* As the canvas reads it. NULL: odd. */
static char *surface_of(struct oc_slice body) {
    struct oc_json_value v;
    char *id = string_member(body, "surfaceId");
    bool is_there = oc_json_find(body, "surfaceId", &v);
    bool is_odd = is_there && (v.kind == OC_JK_NUMBER || (v.kind == OC_JK_STRING && !id));
    if (!is_odd && (!id || !*id || strlen(id) > ND_MAX_CANVAS_ID)) {
        oc_free(id);
        return oc_strdup(DEFAULT_SURFACE);
    }
    return id;
}

/* Length of "[12]" at p, or 0. */
static size_t canvas_kept_bracket(const char *p) {
    size_t n = p[0] == '[' ? strspn(p + 1, "0123456789") : 0;
    return n > 0 && p[n + 1] == ']' ? n + 2 : 0;
}

static void put_part(struct oc_buf *b, const char *part, size_t len, size_t *count) {
    if (len > 0) {
        (void)oc_buf_putc(b, '/');
        (void)oc_buf_append(b, part, len);
        ++*count;
    }
}

/* Paths of all spellings, "/a/b", "a.b" and "a[0]", as "/a/b"; "" is the root. NULL: the canvas
 * ignores it. */
static char *plain_path(const char *given) {
    struct oc_buf b = OC_BUF_INIT(2 * strlen(given) + 2);
    const char *from = given, *p = given;
    size_t count = 0;
    while (*p) {
        size_t n = canvas_kept_bracket(p);
        if (n > 0) {
            put_part(&b, from, (size_t)(p - from), &count);
            put_part(&b, p + 1, n - 2, &count);
            from = p += n;
        } else if (*p == '.' || *p == '/') {
            put_part(&b, from, (size_t)(p - from), &count);
            from = ++p;
        } else {
            p++;
        }
    }
    put_part(&b, from, (size_t)(p - from), &count);
    if (count > ND_MAX_CANVAS_PATH) {
        oc_buf_finish(&b);
        return NULL;
    }
    return oc_buf_take(&b);
}

/* False: the canvas ignores the message. */
static bool read_path(struct oc_slice body, struct message *m) {
    struct oc_json_value v;
    bool is_string = oc_json_find(body, "path", &v) && v.kind == OC_JK_STRING;
    OC_AUTO_FREE char *given =
            is_string ? oc_json_unescape(oc_json_body(v), ND_MAX_CANVAS_KEPT) : oc_strdup("");
    if (!given) {
        m->kind = OTHER; /* a NUL in it */
        return true;
    }
    m->path = plain_path(given);
    return m->path != NULL;
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

/* False: the canvas has ignored it. */
static bool read_message(struct oc_slice line, struct message *ret) {
    static const struct {
        const char *name;
        enum kept_kind kind;
    } kinds[] = { { "beginRendering", BEGIN }, { "surfaceUpdate", COMPONENTS },
        { "dataModelUpdate", DATA }, { "deleteSurface", DELETE } };
    struct oc_json_value body;
    *ret = (struct message){ .len = line.len };
    if (!oc_json_valid(line.ptr, line.len, 64) || oc_json_root(line).kind != OC_JK_OBJECT) {
        return true; /* the canvas may still take it; it tells what is wrong */
    }
    for (size_t i = 0; i < OC_COUNT(kinds); i++) {
        if (oc_json_find(line, kinds[i].name, &body) && body.kind == OC_JK_OBJECT) {
            ret->surface = surface_of(body.raw);
            ret->kind = ret->surface ? kinds[i].kind : OTHER;
            if (ret->kind == COMPONENTS) {
                read_ids(body.raw, &ret->ids);
            }
            return ret->kind != DATA || read_path(body.raw, ret);
        }
    }
    return true;
}

/* Whether nothing is left of what m did, and notes what it does to those before it. */
static bool is_over(struct nd_canvas_settled *later, const struct message *m) {
    bool is_over = false;
    if (m->kind == OTHER) {
        return false;
    }
    if (nd_canvas_settled_has(later, 'x', m->surface, "")) {
        return true;
    }
    switch (m->kind) {
    case DELETE:
        (void)nd_canvas_settled_add(later, 'x', m->surface, "");
        return true;
    case BEGIN:
        return nd_canvas_settled_add(later, 'b', m->surface, "");
    case DATA:
    case ENTERED:
        return nd_canvas_settled_add_path(later, m->surface, m->path);
    default:
        is_over = true;
        for (size_t i = 0; i < m->ids.count; i++) {
            is_over = nd_canvas_settled_add(later, 'c', m->surface, m->ids.items[i]) && is_over;
        }
        return is_over;
    }
}

static void canvas_kept_compact(struct nd_canvas_kept *k) {
    struct nd_canvas_settled later = { 0 };
    for (size_t i = k->count; i > 0; i--) {
        struct message *m = &k->items[i - 1];
        if (is_over(&later, m)) {
            k->bytes -= m->len + 1;
            canvas_kept_finish(m);
            m->line = NULL;
        }
    }
    nd_canvas_settled_finish(&later);
    size_t kept = 0;
    for (size_t i = 0; i < k->count; i++) {
        if (k->items[i].line) {
            k->items[kept++] = k->items[i];
        }
    }
    k->count = k->compacted_count = kept;
    k->compacted_bytes = k->bytes;
}

static void canvas_kept_append(struct nd_canvas_kept *k, struct message take_message) {
    if (k->count == k->capacity) {
        k->capacity = k->capacity ? 2 * k->capacity : 16;
        k->items = oc_realloc(k->items, k->capacity * sizeof(*k->items));
    }
    k->items[k->count++] = take_message;
    k->bytes += take_message.len + 1;
}

/* Whether the canvas has a surface of this name now, or makes one. */
static bool has_surface(struct nd_canvas_kept *k, const struct message *m) {
    if (!m->surface || oc_strv_has(&k->surfaces, m->surface)) {
        return true;
    }
    if (m->kind == DELETE || k->surfaces.count >= ND_MAX_CANVAS_SURFACES) {
        return false;
    }
    oc_strv_add(&k->surfaces, m->surface);
    return true;
}

/* What the canvas has ignored is not kept: it would be ignored again, and there is no end to what
 * it ignores. */
/* Messages of many lines become one: what is kept is sent as JSONL. */
static char *on_one_line(struct oc_slice message) {
    struct oc_buf line = OC_BUF_INIT(message.len + 2);
    (void)oc_a2ui_put_line(&line, message);
    line.data[message.len] = '\0'; /* without its end */
    return oc_buf_take(&line);
}

static void canvas_kept_add(struct nd_canvas_kept *k, struct oc_slice line) {
    struct message m;
    bool is_read = read_message(line, &m);
    if (!has_surface(k, &m) || !is_read) {
        canvas_kept_finish(&m);
        return;
    }
    m.line = on_one_line(line);
    canvas_kept_append(k, m);
    if (m.kind == DELETE) {
        oc_strv_remove(&k->surfaces, m.surface);
    }
}

static bool stays_below_ceilings(struct nd_canvas_kept *k) {
    if (k->count > 2 * k->compacted_count + OFTEN_MESSAGES ||
            k->bytes > 2 * k->compacted_bytes + OFTEN_BYTES) {
        canvas_kept_compact(k);
    }
    if (k->bytes > ND_MAX_CANVAS_KEPT || k->count > ND_MAX_CANVAS_MESSAGES) {
        nd_canvas_kept_clear(k);
        return false;
    }
    return true;
}

bool nd_canvas_kept_add(struct nd_canvas_kept *k, const char *jsonl, size_t len) {
    struct oc_a2ui_reader r;
    struct oc_slice message;
    oc_a2ui_begin(&r, jsonl, len);
    while (oc_a2ui_next(&r, &message)) {
        canvas_kept_add(k, message);
        if (!stays_below_ceilings(k)) {
            return false;
        }
    }
    return true;
}

/* As "/a/0", whatever is in the keys; NULL: it is no list of names. */
static char *path_of(struct oc_slice entry) {
    struct oc_json_value list, v;
    struct oc_json_cursor at = { 0 };
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT((size_t)2 * MAX_NAME);
    size_t count = 0;
    if (!oc_json_find(entry, "path", &list) || list.kind != OC_JK_ARRAY) {
        return NULL;
    }
    while (oc_json_next_item(list.raw, &at, &v)) {
        OC_AUTO_FREE char *name =
                v.kind == OC_JK_STRING ? oc_json_unescape(oc_json_body(v), MAX_NAME) : NULL;
        if (!name || ++count > ND_MAX_CANVAS_PATH || oc_buf_putc(&b, '/') != OC_OK ||
                oc_buf_puts(&b, name) != OC_OK) {
            return NULL;
        }
    }
    return b.len > 0 ? oc_buf_take(&b) : NULL;
}

void nd_canvas_kept_enter(struct nd_canvas_kept *k, const char *entry, size_t len) {
    struct oc_slice line = { entry, len };
    if (memchr(entry, '\n', len) || !oc_json_valid(entry, len, 64) ||
            oc_json_root(line).kind != OC_JK_OBJECT) {
        return;
    }
    struct message m = {
        .kind = ENTERED, .surface = string_member(line, "surfaceId"), .path = path_of(line)
    };
    if (!m.surface || !m.path || !oc_strv_has(&k->surfaces, m.surface)) {
        canvas_kept_finish(&m);
        return;
    }
    m.line = oc_strndup(entry, len);
    m.len = len;
    canvas_kept_append(k, m);
    (void)stays_below_ceilings(k);
}

/* A surface stands where it was first spoken of, and that message may be gone. */
static void put_order(const struct nd_canvas_kept *k, struct oc_buf *ret) {
    for (size_t i = 0; i < k->surfaces.count; i++) {
        (void)oc_buf_puts(ret, "{\"surfaceUpdate\":{\"surfaceId\":");
        (void)oc_json_append_string(ret, k->surfaces.items[i], strlen(k->surfaces.items[i]));
        (void)oc_buf_puts(ret, ",\"components\":[]}}\n");
    }
}

/* *at: 0, then one more than the index. */
bool nd_canvas_kept_next(
        struct nd_canvas_kept *k, size_t *at, size_t max, struct oc_buf *ret, bool *ret_entered) {
    oc_buf_clear(ret);
    *ret_entered = false;
    if (*at == 0 && k->count > 0) {
        canvas_kept_compact(k);
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
