/* The text is searched with the JSON5 scanner and spliced. What comes out is parsed again, once,
 * and compared with the same changes made to the tree: edits that would do anything else fail. */
#include "lib/config/config_edit.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/config/config_path.h"
#include "lib/json/json5_scan.h"
#include "lib/json/json_index.h"

#include <assert.h>
#include <string.h>

#define INDENT "  "

/* Where the search for a path ended. */
struct edit_place {
    struct oc_slice text, container; /* container: the innermost one that exists */
    size_t depth;                    /* parts of the path that exist */
    struct oc_json5_item item;       /* the last part, when all exist */
    bool is_found;
};

static struct oc_slice slice_of(const struct oc_buf *b) {
    return (struct oc_slice){ b->data, b->len };
}

static void config_edit_splice(
        struct oc_buf *text, const char *from, const char *to, const char *with, size_t len) {
    size_t start = (size_t)(from - text->data), end = (size_t)(to - text->data);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_append(&out, text->data, start);
    oc_buf_append(&out, with, len);
    oc_buf_append(&out, text->data + end, text->len - end);
    struct oc_buf old = *text;
    *text = out;
    out = old;
}

/* Not NUL, which strchr would find and a comment may hold. */
static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A comment ends at either: what is put behind one needs a line of its own. */
static bool has_lines(struct oc_slice s) {
    return memchr(s.ptr, '\n', s.len) || memchr(s.ptr, '\r', s.len);
}

static bool is_container(struct oc_slice v) {
    return v.len > 0 && (v.ptr[0] == '{' || v.ptr[0] == '[');
}

static char *path_text(const struct oc_strv *path, size_t count) {
    char *text = oc_strdup("");
    for (size_t i = 0; i < count; i++) {
        char *longer = oc_config_path_add(text, path->items[i], 0);
        oc_free(text);
        text = longer;
    }
    return text;
}

/* The value is not in this text but in the config: an included file has it. */
static enum oc_code fail_included(
        struct oc_slice container, const struct oc_strv *path, size_t depth, struct oc_error *err) {
    OC_AUTO_FREE char *name = path_text(path, depth + 1);
    struct oc_json5_item include = { 0 };
    (void)oc_json5_find(container, "$include", &include);
    OC_AUTO_FREE char *files = oc_printable(include.value.ptr, include.value.len, 200);
    oc_json5_item_finish(&include);
    return oc_fail(err, OC_E_DENIED,
            "%s comes from an included file; change it there ($include %s)", name, files);
}

static bool has_include(struct oc_slice container) {
    struct oc_json5_item include = { 0 };
    bool has = container.len > 0 && container.ptr[0] == '{' &&
               oc_json5_find(container, "$include", &include);
    oc_json5_item_finish(&include);
    return has;
}

static enum oc_code config_edit_locate(struct oc_slice text, const cJSON *resolved,
        const struct oc_strv *path, struct edit_place *ret, struct oc_error *err) {
    struct edit_place p = { .text = text, .container = oc_json5_root(text) };
    for (; p.depth < path->count; p.depth++) {
        struct oc_json5_item item;
        if (!oc_json5_find(p.container, path->items[p.depth], &item)) {
            if (has_include(p.container) && oc_config_path_get(resolved, path, p.depth + 1)) {
                return fail_included(p.container, path, p.depth, err);
            }
            break;
        }
        if (p.depth + 1 == path->count) {
            p.item = item;
            p.is_found = true;
            continue;
        }
        if (!is_container(item.value)) {
            oc_json5_item_finish(&item);
            OC_AUTO_FREE char *name = path_text(path, p.depth + 1);
            return oc_fail(err, OC_E_INVALID, "%s is neither an object nor a list", name);
        }
        p.container = item.value;
        oc_json5_item_finish(&item);
    }
    *ret = p;
    return OC_OK;
}

/* The white space the line of a position begins with. */
static char *indent_of_line(struct oc_slice text, const char *at) {
    while (at > text.ptr && at[-1] != '\n') {
        at--;
    }
    size_t n = 0;
    while (at + n < text.ptr + text.len && (at[n] == ' ' || at[n] == '\t')) {
        n++;
    }
    return oc_strndup(at, n);
}

/* As JSON; over several lines the later ones are indented like the first. */
static void put_value(struct oc_buf *out, const cJSON *v, const char *indent, bool is_one_line) {
    OC_AUTO_SECRET char *text = oc_json_print(v, !is_one_line && v->child);
    for (const char *p = text; *p; p++) {
        oc_buf_putc(out, *p);
        if (*p == '\n') {
            oc_buf_puts(out, indent);
        }
    }
}

static bool is_identifier(const char *s) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$";
    return oc_is_one_of(*s, letters) && s[strspn(s, "0123456789"
                                                    "abcdefghijklmnopqrstuvwxyz"
                                                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_$")] == '\0';
}

/* Keys are written as the neighbours are; in an empty object as the first one of the file is. */
static void put_key(
        struct oc_buf *out, struct oc_slice text, struct oc_slice container, const char *key) {
    struct oc_slice where[] = { container, oc_json5_root(text) };
    bool is_plain = false;
    for (size_t i = 0; i < OC_COUNT(where); i++) {
        struct oc_json5_cursor c = { 0 };
        struct oc_json5_item first;
        if (where[i].ptr[0] == '{' && oc_json5_next(where[i], &c, &first)) {
            is_plain = first.name.ptr[0] != '"' && first.name.ptr[0] != '\'';
            oc_json5_item_finish(&first);
            break;
        }
    }
    if (is_plain && is_identifier(key)) {
        oc_buf_puts(out, key);
    } else {
        oc_json_append_string(out, key, strlen(key));
    }
    oc_buf_puts(out, ": ");
}

/* The rest of the path as nested objects around the value. */
static cJSON *config_edit_wrap(const struct oc_strv *path, size_t from, const cJSON *value) {
    cJSON *v = cJSON_Duplicate(value, true);
    for (size_t i = path->count; i-- > from;) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToObject(o, path->items[i], v);
        v = o;
    }
    return v;
}

/* Appends to the container that exists. The comma goes right behind the last value, before any
 * comment; the new member goes in front of the closing bracket's own white space. */
static enum oc_code config_edit_insert(struct oc_buf *text, const struct edit_place *p,
        const struct oc_strv *path, const cJSON *value, struct oc_error *err) {
    struct oc_slice box = p->container;
    assert(box.ptr);
    bool is_array = box.ptr[0] == '[';
    struct oc_json5_cursor c = { 0 };
    struct oc_json5_item item, last = { 0 };
    const char *first_start = NULL;
    while (oc_json5_next(box, &c, &item)) {
        oc_json5_item_finish(&last);
        last = item;
        if (!first_start) {
            first_start = item.name.ptr ? item.name.ptr : item.value.ptr;
        }
    }
    struct oc_slice last_value = last.value;
    bool had_comma = last.comma != NULL;
    oc_json5_item_finish(&last);
    int64_t index = 0;
    if (is_array && (!oc_parse_int(path->items[p->depth], 0, INT32_MAX, &index) ||
                            (size_t)index != c.index)) {
        OC_AUTO_FREE char *name = path_text(path, p->depth);
        return oc_fail(err, OC_E_INVALID, "%s is a list of %zu; the next item is [%zu]", name,
                c.index, c.index);
    }
    const char *close = box.ptr + box.len - 1, *end = close;
    while (end > box.ptr + 1 && is_space(end[-1])) {
        end--;
    }
    bool is_empty = end == box.ptr + 1;
    bool is_one_line = !has_lines(box) && !(is_empty && p->depth == 0);
    OC_AUTO_FREE char *outer = indent_of_line(p->text, close);
    bool starts_line = first_start && memchr(box.ptr, '\n', (size_t)(first_start - box.ptr));
    OC_AUTO_FREE char *indent =
            starts_line ? indent_of_line(p->text, first_start) : oc_strfmt("%s" INDENT, outer);
    OC_AUTO_JSON cJSON *v = config_edit_wrap(path, p->depth + 1, value);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_puts(&out, is_one_line ? " " : "\n");
    oc_buf_puts(&out, is_one_line ? "" : indent);
    if (!is_array) {
        put_key(&out, p->text, box, path->items[p->depth]);
    }
    put_value(&out, v, indent, is_one_line);
    oc_buf_puts(&out, had_comma ? "," : "");
    if (is_empty) {
        oc_buf_puts(&out, is_one_line ? " " : "\n");
        oc_buf_puts(&out, is_one_line ? "" : outer);
        config_edit_splice(text, end, close, out.data, out.len);
        return OC_OK;
    }
    size_t comma_at = last_value.ptr ? (size_t)(last_value.ptr + last_value.len - text->data) : 0;
    config_edit_splice(text, end, end, out.data, out.len);
    if (last_value.ptr && !had_comma) {
        config_edit_splice(text, text->data + comma_at, text->data + comma_at, ",", 1);
    }
    return OC_OK;
}

static const char *comma_before(struct oc_slice container, size_t index) {
    struct oc_json5_cursor c = { 0 };
    struct oc_json5_item item;
    const char *comma = NULL;
    while (oc_json5_next(container, &c, &item)) {
        comma = item.index + 1 == index ? item.comma : comma;
        oc_json5_item_finish(&item);
    }
    return comma;
}

/* Takes the member out, and its line when nothing else is on it. The last member of a text without
 * trailing commas takes the comma in front of it along: strict JSON stays strict. */
static void cut_out(struct oc_buf *text, const struct edit_place *p) {
    const struct oc_json5_item *m = &p->item;
    const char *from = m->name.ptr ? m->name.ptr : m->value.ptr, *to = m->value.ptr + m->value.len;
    const char *comma = m->comma ? NULL : comma_before(p->container, m->index);
    const char *start = from, *end = m->comma ? m->comma + 1 : to;
    const char *text_end = text->data + text->len;
    size_t comma_at = comma ? (size_t)(comma - text->data) : 0;
    OC_AUTO_BUF struct oc_buf kept = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    if (m->comma) { /* a comment between value and comma stays */
        size_t blank = oc_json5_blank((struct oc_slice){ to, (size_t)(m->comma - to) });
        oc_buf_append(&kept, to, blank);
        bool only_space = kept.len == 0 || strspn(kept.data, " \t\r\n") == kept.len;
        if (only_space) {
            oc_buf_clear(&kept);
        }
    }
    while (start > text->data && (start[-1] == ' ' || start[-1] == '\t')) {
        start--;
    }
    while (end < text_end && (*end == ' ' || *end == '\t' || *end == '\r')) {
        end++;
    }
    bool owns_line = kept.len == 0 && start > text->data && start[-1] == '\n' && end < text_end &&
                     *end == '\n';
    if (owns_line) {
        end++;
    } else {
        start = from;
        end = m->comma ? m->comma + 1 : to;
        while (kept.len == 0 && end < text_end && *end == ' ' && m->comma) {
            end++;
        }
    }
    config_edit_splice(text, start, end, kept.len > 0 ? kept.data : "", kept.len);
    if (comma) {
        config_edit_splice(text, text->data + comma_at, text->data + comma_at + 1, "", 0);
    }
}

/* The same change, made to a tree. value NULL removes. */
static void change_tree(cJSON *root, const struct oc_strv *path, const cJSON *value) {
    cJSON *v = root;
    for (size_t i = 0; i < path->count; i++) {
        bool is_last = i + 1 == path->count;
        struct oc_strv one = { &path->items[i], 1 };
        cJSON *child = (cJSON *)(uintptr_t)oc_config_path_get(v, &one, 1);
        if (child && !is_last) {
            v = child;
        } else if (child && !value) {
            cJSON_Delete(cJSON_DetachItemViaPointer(v, child));
        } else if (child) {
            cJSON *copy = cJSON_Duplicate(value, true);
            cJSON_free(copy->string); /* a value out of another object brings its name */
            copy->string = child->string ? oc_strdup(child->string) : NULL;
            cJSON_ReplaceItemViaPointer(v, child, copy);
        } else if (value) {
            cJSON *rest = config_edit_wrap(path, i + 1, value);
            if (cJSON_IsArray(v)) {
                cJSON_AddItemToArray(v, rest);
            } else {
                cJSON_AddItemToObject(v, path->items[i], rest);
            }
            return;
        }
    }
}

/* A text that is being changed, and the tree that it must mean in the end. */
struct draft {
    struct oc_buf text;
    cJSON *tree;
    const cJSON *resolved;
};

static void draft_finish(struct draft *d) {
    oc_buf_finish(&d->text);
    cJSON_Delete(d->tree);
}
#define AUTO_DRAFT __attribute__((cleanup(draft_finish)))

static enum oc_code config_edit_begin(
        struct draft *d, const struct oc_buf *text, const cJSON *resolved, struct oc_error *err) {
    bool is_new = text->len == 0;
    *d = (struct draft){ .text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES), .resolved = resolved };
    oc_buf_append(&d->text, is_new ? "{}\n" : text->data, is_new ? 3 : text->len);
    enum oc_code rc = oc_json5_parse(d->text.data, d->text.len, &d->tree, err);
    if (rc == OC_OK && !cJSON_IsObject(d->tree)) {
        rc = oc_fail(err, OC_E_INVALID, "line 1, column 1: the config must be one object { … }");
    }
    return rc;
}

static enum oc_code config_edit_apply(
        struct draft *d, const struct oc_strv *path, const cJSON *value, struct oc_error *err) {
    struct oc_buf *work = &d->text;
    struct edit_place p = { 0 };
    enum oc_code rc = config_edit_locate(slice_of(work), d->resolved, path, &p, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (!value && !p.is_found) {
        OC_AUTO_FREE char *name = path_text(path, path->count);
        return oc_fail(err, OC_E_NOT_FOUND, "%s is not set", name);
    }
    if (!value) {
        cut_out(work, &p);
    } else if (p.is_found) {
        OC_AUTO_FREE char *indent = indent_of_line(p.text, p.item.value.ptr);
        OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
        put_value(&out, value, indent, !memchr(p.container.ptr, '\n', p.container.len));
        config_edit_splice(
                work, p.item.value.ptr, p.item.value.ptr + p.item.value.len, out.data, out.len);
    } else {
        rc = config_edit_insert(work, &p, path, value, err);
    }
    oc_json5_item_finish(&p.item);
    if (rc != OC_OK) {
        return rc;
    }
    if (work->failed) {
        return oc_fail(err, OC_E_TOO_LARGE, "the config would be larger than %u bytes",
                OC_CONFIG_MAX_BYTES);
    }
    change_tree(d->tree, path, value);
    return OC_OK;
}

/* Hands the text over when it means what it should. */
static enum oc_code config_edit_finish(struct draft *d, struct oc_buf *text, struct oc_error *err) {
    OC_AUTO_JSON cJSON *now = NULL;
    if (oc_json5_parse(d->text.data, d->text.len, &now, err) != OC_OK ||
            !oc_json_same(now, d->tree)) {
        return oc_fail(err, OC_E_INTERNAL,
                "this change cannot be made without touching other parts of the file; edit it by "
                "hand");
    }
    struct oc_buf old = *text;
    *text = d->text;
    d->text = old;
    return OC_OK;
}

static enum oc_code config_edit_edit(struct oc_buf *text, const cJSON *resolved,
        const struct oc_strv *path, const cJSON *value, struct oc_error *err) {
    AUTO_DRAFT struct draft d = { 0 };
    enum oc_code rc = config_edit_begin(&d, text, resolved, err);
    if (rc == OC_OK) {
        rc = config_edit_apply(&d, path, value, err);
    }
    return rc == OC_OK ? config_edit_finish(&d, text, err) : rc;
}

enum oc_code oc_config_edit_set(struct oc_buf *text, const cJSON *resolved,
        const struct oc_strv *path, const cJSON *value, struct oc_error *err) {
    return config_edit_edit(text, resolved, path, value, err);
}

enum oc_code oc_config_edit_unset(struct oc_buf *text, const cJSON *resolved,
        const struct oc_strv *path, struct oc_error *err) {
    return config_edit_edit(text, resolved, path, NULL, err);
}

/* In a patch null means "not there", also inside of what is new. */
static void drop_nulls(cJSON *v) {
    for (cJSON *child = v->child, *next; child; child = next) {
        next = child->next;
        if (cJSON_IsObject(v) && cJSON_IsNull(child)) {
            cJSON_Delete(cJSON_DetachItemViaPointer(v, child));
        } else {
            drop_nulls(child);
        }
    }
}

/* Also inside of what is new: an $include there would read a file for whoever sent the patch. */
static enum oc_code check_keys(const cJSON *v, struct oc_error *err) {
    const cJSON *child = NULL;
    enum oc_code rc = OC_OK;
    cJSON_ArrayForEach(child, v) {
        if (child->string && !oc_config_key_is_safe(child->string)) {
            return oc_fail(err, OC_E_INVALID, "'%s' cannot be patched", child->string);
        }
        rc = rc == OC_OK ? check_keys(child, err) : rc;
    }
    return rc;
}

/* Places that the patch changes, at most one more than are allowed: config_edit_merge() makes as
 * many edits. */
static unsigned count_edits(const cJSON *config, const cJSON *patch) {
    OC_AUTO_INDEX struct oc_json_index in_config = oc_json_index_of(config);
    unsigned edits = 0;
    for (const cJSON *m = patch->child; m && edits <= OC_CONFIG_MAX_EDITS; m = m->next) {
        const cJSON *there = oc_json_index_get(&in_config, m->string);
        edits += cJSON_IsObject(m) && cJSON_IsObject(there) ? count_edits(there, m) : 1;
    }
    return edits;
}

static enum oc_code config_edit_merge(
        struct draft *d, struct oc_strv *at, const cJSON *patch, struct oc_error *err) {
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, patch) {
        struct oc_strv path = { 0 };
        oc_strv_copy(&path, at);
        oc_strv_add(&path, member->string);
        enum oc_code rc;
        const cJSON *there = oc_config_path_get(d->resolved, &path, path.count);
        if (cJSON_IsNull(member)) {
            rc = config_edit_apply(d, &path, NULL, err);
            rc = rc == OC_E_NOT_FOUND ? OC_OK : rc;
        } else if (cJSON_IsObject(member) && cJSON_IsObject(there)) {
            rc = config_edit_merge(d, &path, member, err);
        } else {
            OC_AUTO_JSON cJSON *value = cJSON_Duplicate(member, true);
            drop_nulls(value);
            rc = config_edit_apply(d, &path, value, err);
        }
        oc_strv_finish(&path);
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

enum oc_code oc_config_edit_merge(
        struct oc_buf *text, const cJSON *resolved, const cJSON *patch, struct oc_error *err) {
    AUTO_DRAFT struct draft d = { 0 };
    struct oc_strv root = { 0 };
    enum oc_code rc = check_keys(patch, err);
    if (rc == OC_OK && count_edits(resolved, patch) > OC_CONFIG_MAX_EDITS) {
        rc = oc_fail(err, OC_E_TOO_LARGE,
                "a patch changes at most %d settings; send the whole config instead (config.set)",
                OC_CONFIG_MAX_EDITS);
    }
    if (rc == OC_OK) {
        rc = config_edit_begin(&d, text, resolved, err);
    }
    if (rc == OC_OK) {
        rc = config_edit_merge(&d, &root, patch, err);
    }
    return rc == OC_OK ? config_edit_finish(&d, text, err) : rc;
}
