#include "lib/config/config_edit.h"
#include "lib/config/config_parts.h"

#include <stdlib.h>
#include <string.h>

/* env is the config's own, as it was written: a value that was expanded is no source for another,
 * or a few lines that name each other would fill the memory. */
struct sources {
    const cJSON *env;
    size_t room; /* bytes that all expanded texts together may still take */
    char *where; /* what could not be expanded */
};

/* Where we are in the tree, for the error text. */
struct expand_place {
    const struct expand_place *parent;
    const char *key; /* NULL: array item */
    size_t index;
};

static const char *const our_sections[] = { "gateway", "nodeHost" };

static void put_place(struct oc_buf *out, const struct expand_place *p) {
    if (p->parent) {
        put_place(out, p->parent);
    }
    if (p->key) {
        oc_buf_printf(out, "%s%s", p->parent ? "." : "", p->key);
    } else {
        oc_buf_printf(out, "[%zu]", p->index);
    }
}

static char *place_text(const struct expand_place *p) {
    OC_AUTO_BUF struct oc_buf where = OC_BUF_INIT(SIZE_MAX / 2);
    put_place(&where, p);
    return oc_strdup(where.data);
}

static bool is_ours(const struct expand_place *p) {
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

static bool has_reference(const char *s) {
    for (const char *p = strstr(s, "${"); p; p = strstr(p + 2, "${")) {
        if (name_at(p + 2)) {
            return true;
        }
    }
    return false;
}

/* What itself needs a variable is not known yet: the same as not set. */
static const char *from_config(const cJSON *section, const char *name) {
    const char *value = oc_json_get_str(section, name);
    return oc_str_blank(value) || has_reference(value) ? NULL : value;
}

static const char *look_up(const struct sources *from, const char *name) {
    const char *value = getenv(name);
    if (oc_str_blank(value)) {
        value = from_config(oc_json_get(from->env, "vars"), name);
    }
    if (oc_str_blank(value)) {
        value = from_config(from->env, name);
    }
    return oc_str_blank(value) ? NULL : value;
}

/* False with the variable's name in *ret_missing. */
static bool expand_text(
        const struct sources *from, const char *s, struct oc_buf *out, char **ret_missing) {
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
            const char *value = look_up(from, name);
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

static enum oc_code expand_string(struct sources *from, cJSON *v, const struct expand_place *at,
        bool *ret_drop, struct oc_error *err) {
    if (!strstr(v->valuestring, "${")) {
        return OC_OK;
    }
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(from->room);
    OC_AUTO_FREE char *missing = NULL;
    bool is_complete = expand_text(from, v->valuestring, &out, &missing);
    if (out.failed) {
        from->where = place_text(at);
        return oc_fail(err, OC_E_TOO_LARGE,
                "makes the config larger than %u bytes once its ${…} are replaced",
                OC_CONFIG_MAX_BYTES);
    }
    if (is_complete) {
        from->room -= out.len;
        cJSON_SetValuestring(v, out.data);
        return OC_OK;
    }
    if (!is_ours(at)) {
        *ret_drop = true;
        return OC_OK;
    }
    from->where = place_text(at);
    return oc_fail(err, OC_E_INVALID,
            "needs ${%s}, which is not set; export the variable or write the value there", missing);
}

/* Recursion is bounded by the parser's OC_JSON_MAX_DEPTH. */
static enum oc_code expand_children(
        struct sources *from, cJSON *v, const struct expand_place *parent, struct oc_error *err) {
    size_t index = 0;
    for (cJSON *child = v->child, *next; child; child = next, index++) {
        next = child->next;
        struct expand_place at = { parent, child->string, index };
        bool drop = false;
        enum oc_code rc = cJSON_IsString(child) ? expand_string(from, child, &at, &drop, err)
                                                : expand_children(from, child, &at, err);
        if (rc != OC_OK) {
            return rc;
        }
        if (drop) {
            cJSON_Delete(cJSON_DetachItemViaPointer(v, child));
        }
    }
    return OC_OK;
}

enum oc_code oc_config_expand_at(cJSON *root, char **ret_where, struct oc_error *err) {
    const cJSON *env = oc_json_get(root, "env");
    OC_AUTO_JSON cJSON *as_written = env ? cJSON_Duplicate(env, true) : NULL;
    struct sources from = { as_written, OC_CONFIG_MAX_BYTES, NULL };
    enum oc_code rc = expand_children(&from, root, NULL, err);
    if (rc != OC_OK) {
        *ret_where = from.where;
    }
    return rc;
}

enum oc_code oc_config_expand(cJSON *root, struct oc_error *err) {
    OC_AUTO_FREE char *where = NULL;
    enum oc_code rc = oc_config_expand_at(root, &where, err);
    if (rc != OC_OK && err) {
        struct oc_error why = *err;
        rc = oc_fail(err, rc, "%s %s", where, why.text);
    }
    return rc;
}
