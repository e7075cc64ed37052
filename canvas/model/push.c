/* JSONL to messages. A push is refused as a whole, with all its bad lines; what is inside the
 * messages is the model's matter. */
#include "canvas/model/push.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <stdlib.h>
#include <string.h>

static void push_blame(
        struct cv_push_errors *e, size_t line, enum cv_push_fault fault, const char *take_detail) {
    if (e->count == CV_MAX_DIAGNOSTICS) {
        e->dropped++;
        oc_free((void *)take_detail);
        return;
    }
    e->items = oc_realloc(e->items, (e->count + 1) * sizeof(*e->items));
    e->items[e->count++] =
            (struct cv_push_error){ .line = line, .fault = fault, .detail = (char *)take_detail };
}

void cv_push_errors_clear(struct cv_push_errors *e) {
    for (size_t i = 0; i < e->count; i++) {
        oc_free(e->items[i].detail);
    }
    oc_free(e->items);
    *e = (struct cv_push_errors){ 0 };
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "a, b, c": at most ten keys, sorted, each cut to a length that a person reads. */
static char *list_keys(const struct cv_value *map) {
    char *keys[10];
    size_t count = cv_value_count(map), n = count < OC_COUNT(keys) ? count : OC_COUNT(keys);
    if (!n) {
        return oc_strdup("none");
    }
    for (size_t i = 0; i < n; i++) {
        struct oc_slice key = cv_value_key(map, i);
        keys[i] = oc_strfmt("%.*s", key.len < 60 ? (int)key.len : 60, key.ptr);
    }
    qsort(keys, n, sizeof(keys[0]), by_text);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(4096);
    for (size_t i = 0; i < n; i++) {
        oc_buf_printf(&out, "%s%s", i ? ", " : "", keys[i]);
        oc_free(keys[i]);
    }
    if (count > n) {
        oc_buf_puts(&out, ", …");
    }
    return oc_buf_take(&out);
}

static bool has_key(const void *object, const char *key) {
    return cv_value_get(object, key) != NULL;
}

static void add_message(struct cv_push *p, struct cv_push_errors *e, size_t line, bool is_array,
        const struct cv_value *doc) {
    if (cv_value_type_of(doc) != CV_V_MAP) {
        push_blame(e, line, CV_PUSH_NOT_OBJECT, NULL);
        return;
    }
    struct oc_a2ui_keys keys = oc_a2ui_keys_of(doc, has_key);
    if (keys.creates_surface || (keys.kinds == 1 && keys.newer)) {
        push_blame(e, line, CV_PUSH_V09, oc_strdup(keys.newer));
        return;
    }
    if (keys.kinds != 1) {
        push_blame(e, line, CV_PUSH_KEYS, list_keys(doc));
        return;
    }
    e->good++;
    if (p->count == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 8;
        p->items = oc_realloc(p->items, p->cap * sizeof(*p->items));
    }
    p->items[p->count++] = (struct cv_message){ .kind = keys.kind,
        .line = (unsigned)line + is_array,
        .body = cv_value_ref((struct cv_value *)cv_value_get(doc, oc_message_names[keys.kind])) };
}

/* The first is told to the column: a search for it in a long text takes its time. */
static void blame_syntax(struct cv_push_errors *e, const struct oc_a2ui_reader *r,
        struct oc_slice message, size_t at, const char *what) {
    size_t line = r->line, column = 0;
    if (r->is_lines) {
        push_blame(e, line, CV_PUSH_SYNTAX, oc_strfmt("%s at position %zu", what, at));
        return;
    }
    if (e->count == 0) {
        oc_a2ui_place(r, message.ptr + at, &line, &column);
    }
    push_blame(e, line, CV_PUSH_SYNTAX, oc_strdup(what));
    e->items[e->count - 1].column = e->count == 1 ? column : 0;
}

static void read_message(struct cv_push *p, struct cv_push_errors *e,
        const struct oc_a2ui_reader *r, struct oc_slice message, size_t *budget) {
    if (message.len > CV_MAX_LINE) {
        push_blame(
                e, r->line, CV_PUSH_TOO_LARGE, oc_strfmt("longer than %zu MiB", CV_MAX_LINE >> 20));
        return;
    }
    struct oc_error err;
    OC_AUTO(cv_value) struct cv_value *doc = NULL;
    size_t at = 0;
    switch (cv_value_parse_at(message.ptr, message.len, budget, &doc, &at, &err)) {
    case OC_OK:
        add_message(p, e, r->line, false, doc);
        return;
    case OC_E_TOO_LARGE:
        push_blame(e, r->line, CV_PUSH_TOO_LARGE, oc_strfmt("%s at position %zu", err.text, at));
        return;
    default:
        blame_syntax(e, r, message, at, err.text);
    }
}

bool cv_push_read(
        const char *jsonl, size_t len, struct cv_push **ret, struct cv_push_errors *ret_errors) {
    *ret_errors = (struct cv_push_errors){ 0 };
    if (len > CV_MAX_PUSH) {
        push_blame(ret_errors, 0, CV_PUSH_TOO_LARGE,
                oc_strfmt("larger than %zu MiB", CV_MAX_PUSH >> 20));
        return false;
    }
    OC_AUTO(cv_push) struct cv_push *p = oc_new(struct cv_push);
    size_t budget = CV_VALUE_MAX_VALUES;
    struct oc_a2ui_reader r;
    struct oc_slice message;
    oc_a2ui_begin(&r, jsonl, len);
    while (oc_a2ui_next(&r, &message)) {
        read_message(p, ret_errors, &r, message, &budget);
    }
    if (ret_errors->count) {
        return false;
    }
    *ret = oc_take(&p);
    return true;
}

static void push_say(struct oc_buf *out, const struct cv_push_error *e, bool is_array) {
    if (is_array) {
        oc_buf_printf(out, "A2UI messages[%zu]: ", e->line);
    } else if (e->column) {
        oc_buf_printf(out, "A2UI JSON line %zu, column %zu: ", e->line, e->column);
    } else if (e->line) {
        oc_buf_printf(out, "A2UI JSONL line %zu: ", e->line);
    } else {
        oc_buf_puts(out, "A2UI JSONL: ");
    }
    switch (e->fault) {
    case CV_PUSH_SYNTAX:
        oc_buf_printf(out, "expected a JSON object (%s)", e->detail);
        break;
    case CV_PUSH_NOT_OBJECT:
        oc_buf_puts(out, "expected a JSON object");
        break;
    case CV_PUSH_V09:
        oc_buf_printf(
                out, "looks like A2UI v0.9 (`%s`). Canvas supports v0.8 messages only.", e->detail);
        break;
    case CV_PUSH_KEYS:
        oc_buf_printf(out,
                "expected exactly one of beginRendering, dataModelUpdate, deleteSurface, "
                "surfaceUpdate; found: %s",
                e->detail);
        break;
    case CV_PUSH_TOO_LARGE:
        oc_buf_puts(out, e->detail);
        break;
    }
}

void cv_push_error_print(struct oc_buf *out, const struct cv_push_error *e) {
    push_say(out, e, false);
}

static enum oc_code fail_with(const struct cv_push_errors *e, bool is_array, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(sizeof(err->text));
    size_t told = 0;
    enum oc_code code = OC_E_INVALID;
    for (; told < e->count; told++) {
        OC_AUTO_BUF struct oc_buf one = OC_BUF_INIT(1 << 14);
        push_say(&one, &e->items[told], is_array);
        if (e->items[told].fault == CV_PUSH_TOO_LARGE) {
            code = OC_E_TOO_LARGE;
        }
        if (told && text.len + one.len + 1 > sizeof(err->text) - 24) {
            break;
        }
        oc_buf_printf(
                &text, "%s%.*s", told ? "\n" : "", one.len < 360 ? (int)one.len : 360, one.data);
    }
    size_t more = e->count + e->dropped - told;
    if (more) {
        oc_buf_printf(&text, "\nand %zu more", more);
    }
    return oc_fail(err, code, "%s", text.data);
}

enum oc_code cv_push_parse(
        const char *jsonl, size_t len, struct cv_push **ret, struct oc_error *err) {
    struct cv_push_errors errors;
    OC_AUTO(cv_push) struct cv_push *p = NULL;
    enum oc_code rc = OC_OK;
    if (!cv_push_read(jsonl, len, &p, &errors)) {
        rc = fail_with(&errors, false, err);
    } else if (!p->count) {
        rc = oc_fail(err, OC_E_INVALID, OC_A2UI_EMPTY);
    } else {
        *ret = oc_take(&p);
    }
    cv_push_errors_clear(&errors);
    return rc;
}

enum oc_code cv_push_parse_array(
        const struct cv_value *messages, struct cv_push **ret, struct oc_error *err) {
    if (cv_value_type_of(messages) != CV_V_ARRAY) {
        return oc_fail(err, OC_E_INVALID, "messages[] required");
    }
    struct cv_push_errors errors = { 0 };
    OC_AUTO(cv_push) struct cv_push *p = oc_new(struct cv_push);
    for (size_t i = 0; i < cv_value_count(messages); i++) {
        add_message(p, &errors, i, true, cv_value_at(messages, i));
    }
    enum oc_code rc = OC_OK;
    if (errors.count) {
        rc = fail_with(&errors, true, err);
    } else {
        *ret = oc_take(&p);
    }
    cv_push_errors_clear(&errors);
    return rc;
}

size_t cv_push_count(const struct cv_push *p) {
    return p->count;
}

void cv_push_destroy(struct cv_push *p) {
    if (!p) {
        return;
    }
    for (size_t i = 0; i < p->count; i++) {
        cv_value_destroy(p->items[i].body);
    }
    oc_free(p->items);
    oc_free(p);
}
