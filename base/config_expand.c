#include "base/config_parts.h"

#include <stdlib.h>
#include <string.h>

/* Where we are in the tree, for the error text. */
struct place {
    const struct place *parent;
    const char *key; /* NULL: array item */
    size_t index;
};

static const char *const our_sections[] = { "gateway", "nodeHost" };

static void put_place(struct oc_buf *out, const struct place *p) {
    if (p->parent) {
        put_place(out, p->parent);
    }
    if (p->key) {
        oc_buf_printf(out, "%s%s", p->parent ? "." : "", p->key);
    } else {
        oc_buf_printf(out, "[%zu]", p->index);
    }
}

static bool is_ours(const struct place *p) {
    while (p->parent) {
        p = p->parent;
    }
    for (size_t i = 0; i < OC_COUNT(our_sections); i++) {
        if (oc_streq(p->key, our_sections[i])) {
            return true;
        }
    }
    return false;
}

/* The length of NAME} at s, without the bracket; 0 if that is not what stands there. */
static size_t name_at(const char *s) {
    size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return n > 0 && s[n] == '}' && (s[0] < '0' || s[0] > '9') ? n : 0;
}

static const char *look_up(const cJSON *root, const char *name) {
    const char *value = getenv(name);
    const cJSON *env = oc_json_get(root, "env");
    if (oc_str_blank(value)) {
        value = oc_json_get_str(oc_json_get(env, "vars"), name);
    }
    if (oc_str_blank(value)) {
        value = oc_json_get_str(env, name);
    }
    return oc_str_blank(value) ? NULL : value;
}

/* False with the variable's name in *ret_missing. */
static bool expand_text(const cJSON *root, const char *s, struct oc_buf *out, char **ret_missing) {
    while (*s) {
        bool is_literal = oc_starts_with(s, "$${") && name_at(s + 3);
        size_t n = is_literal ? name_at(s + 3) : oc_starts_with(s, "${") ? name_at(s + 2) : 0;
        if (n == 0) {
            oc_buf_putc(out, *s++);
        } else if (is_literal) {
            oc_buf_append(out, s + 1, n + 3);
            s += n + 4;
        } else {
            OC_AUTO_FREE char *name = oc_strndup(s + 2, n);
            const char *value = look_up(root, name);
            if (!value) {
                *ret_missing = oc_take(&name);
                return false;
            }
            oc_buf_puts(out, value);
            s += n + 3;
        }
    }
    return true;
}

static enum oc_code expand_string(
        const cJSON *root, cJSON *v, const struct place *at, bool *ret_drop, struct oc_error *err) {
    if (!strstr(v->valuestring, "${")) {
        return OC_OK;
    }
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(SIZE_MAX / 2);
    OC_AUTO_FREE char *missing = NULL;
    if (expand_text(root, v->valuestring, &out, &missing)) {
        cJSON_SetValuestring(v, out.data);
        return OC_OK;
    }
    if (!is_ours(at)) {
        *ret_drop = true;
        return OC_OK;
    }
    OC_AUTO_BUF struct oc_buf where = OC_BUF_INIT(SIZE_MAX / 2);
    put_place(&where, at);
    return oc_fail(err, OC_E_INVALID,
            "%s needs ${%s}, which is not set; export the variable or write the value there",
            where.data, missing);
}

/* Recursion is bounded by the parser's OC_JSON_MAX_DEPTH. */
static enum oc_code expand_children(
        const cJSON *root, cJSON *v, const struct place *parent, struct oc_error *err) {
    size_t index = 0;
    for (cJSON *child = v->child, *next; child; child = next, index++) {
        next = child->next;
        struct place at = { parent, child->string, index };
        bool drop = false;
        enum oc_code rc = cJSON_IsString(child) ? expand_string(root, child, &at, &drop, err)
                                                : expand_children(root, child, &at, err);
        if (rc != OC_OK) {
            return rc;
        }
        if (drop) {
            cJSON_Delete(cJSON_DetachItemViaPointer(v, child));
        }
    }
    return OC_OK;
}

enum oc_code oc_config_expand(cJSON *root, struct oc_error *err) {
    return expand_children(root, root, NULL, err);
}
