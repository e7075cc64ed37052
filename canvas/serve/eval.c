#include "canvas/serve/eval.h"

#include "canvas/model/model.h"
#include "canvas/value/value.h"
#include "lib/base/mem.h"

#include <ctype.h>
#include <string.h>

static struct oc_slice eval_trim(struct oc_slice s) {
    while (s.len > 0 && isspace((unsigned char)s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    while (s.len > 0 && (isspace((unsigned char)s.ptr[s.len - 1]) || s.ptr[s.len - 1] == ';')) {
        s.len--;
    }
    return s;
}

static bool eval_skip(struct oc_slice *s, const char *word) {
    size_t n = strlen(word);
    if (s->len < n || memcmp(s->ptr, word, n) != 0) {
        return false;
    }
    s->ptr += n;
    s->len -= n;
    return true;
}

/* name ( … ) and nothing behind it: what is between the parentheses. */
static bool eval_call(struct oc_slice s, const char *name, struct oc_slice *ret_inside) {
    if (!eval_skip(&s, name)) {
        return false;
    }
    s = eval_trim(s);
    if (s.len < 2 || s.ptr[0] != '(' || s.ptr[s.len - 1] != ')') {
        return false;
    }
    *ret_inside = eval_trim((struct oc_slice){ s.ptr + 1, s.len - 2 });
    return true;
}

static struct oc_slice without_wrapping(struct oc_slice s) {
    static const char *const owners[] = { "window.", "globalThis.", "self." };
    struct oc_slice inside;
    s = eval_trim(s);
    if (s.len > 7 && isspace((unsigned char)s.ptr[6]) && eval_skip(&s, "return")) {
        s = eval_trim(s);
    }
    if (eval_call(s, "JSON.stringify", &inside)) {
        s = inside;
    }
    for (size_t i = 0; i < OC_COUNT(owners); i++) {
        if (eval_skip(&s, owners[i])) {
            break;
        }
    }
    return s;
}

struct cv_eval cv_eval_read(const char *script, size_t len) {
    static const struct {
        const char *name, *text;
    } constants[] = {
        { "document.title", CV_TITLE },
        { "document.readyState", "complete" },
        { "location.href", CV_HREF },
        { "document.location.href", CV_HREF },
    };
    struct oc_slice s = without_wrapping((struct oc_slice){ script, len }), inside;
    for (size_t i = 0; i < OC_COUNT(constants); i++) {
        if (oc_slice_eq(s, constants[i].name)) {
            return (struct cv_eval){ .what = CV_EVAL_TEXT, .text = constants[i].text };
        }
    }
    if (eval_call(s, "openclawA2UI.getSurfaces", &inside) && inside.len == 0) {
        return (struct cv_eval){ .what = CV_EVAL_GET_SURFACES };
    }
    if (eval_call(s, "openclawA2UI.reset", &inside) && inside.len == 0) {
        return (struct cv_eval){ .what = CV_EVAL_RESET };
    }
    if (eval_call(s, "openclawA2UI.applyMessages", &inside) && inside.len > 0) {
        return (struct cv_eval){ .what = CV_EVAL_APPLY_MESSAGES, .argument = inside };
    }
    return (struct cv_eval){ .what = CV_EVAL_UNSUPPORTED };
}

enum oc_code cv_eval_to_jsonl(struct oc_slice array, struct oc_buf *ret, struct oc_error *err) {
    struct cv_value *v = NULL;
    enum oc_code rc = cv_value_parse(array.ptr, array.len, &v, err);
    if (rc == OC_OK && cv_value_type_of(v) != CV_V_ARRAY) {
        rc = oc_fail(err, OC_E_INVALID, "applyMessages takes an array of messages, as JSON");
    }
    struct cv_push *push = NULL;
    rc = rc == OC_OK ? cv_push_parse_array(v, &push, err) : rc; /* whose errors count messages */
    cv_push_destroy(push);
    *ret = OC_BUF_INIT(CV_MAX_PUSH);
    for (size_t i = 0; rc == OC_OK && i < cv_value_count(v); i++) {
        (void)cv_value_print(ret, cv_value_at(v, i));
        (void)oc_buf_putc(ret, '\n');
    }
    if (rc == OC_OK && ret->failed) {
        rc = oc_fail(err, OC_E_TOO_LARGE, "the messages are too large");
    }
    if (rc != OC_OK) {
        oc_buf_finish(ret);
    }
    cv_value_destroy(v);
    return rc;
}
