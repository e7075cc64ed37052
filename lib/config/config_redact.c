#include "lib/config/config_redact.h"

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/config/config_edit.h"
#include "lib/config/config_path.h"
#include "lib/json/json5_scan.h"

#include <string.h>

/* Below an object of this name, wherever that is. */
static bool is_below(const char *lower, const char *name) {
    size_t n = strlen(name);
    for (const char *p = strstr(lower, name); p; p = strstr(p + 1, name)) {
        bool begins = p == lower || p[-1] == '.';
        if (begins && (p[n] == '.' || p[n] == '[')) {
            return true;
        }
    }
    return false;
}

bool oc_config_is_secret(const char *path) {
    static const char *const parts[] = { "password", "secret", "apikey", "api_key", "api-key",
        "privatekey", "credential", "passphrase", "authorization", "cookie", "accesskey",
        "signingkey", "encryptionkey", "webhook" };
    static const char *const harmless[] = { "passwordfile" };
    OC_AUTO_FREE char *lower = oc_strdup(path);
    oc_ascii_lower(lower);
    if (is_below(lower, "env") || is_below(lower, "headers")) {
        return true;
    }
    for (size_t i = 0; i < OC_COUNT(harmless); i++) {
        if (oc_ends_with(lower, harmless[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < OC_COUNT(parts); i++) {
        if (strstr(lower, parts[i])) {
            return true;
        }
    }
    size_t n = strcspn(lower, "["); /* "tokens[0]" is one of several */
    return oc_ends_with(lower, "token") ||
           (n > 5 && lower[n] && strncmp(lower + n - 5, "token", 5) == 0);
}

/* "${NAME}" and nothing else: where the secret is, not what it is. */
static bool is_reference(const char *s) {
    size_t n = strlen(s);
    return n > 3 && oc_starts_with(s, "${") && strcspn(s, "}") == n - 1;
}

static void config_redact_redact(cJSON *v, const char *path) {
    if (cJSON_IsString(v) && v->valuestring[0] && !is_reference(v->valuestring) &&
            oc_config_is_secret(path)) {
        explicit_bzero(v->valuestring, strlen(v->valuestring));
        cJSON_SetValuestring(v, OC_CONFIG_REDACTED);
        return;
    }
    cJSON *child = NULL;
    size_t i = 0;
    cJSON_ArrayForEach(child, v) {
        OC_AUTO_FREE char *below = oc_config_path_add(path, child->string, i++);
        config_redact_redact(child, below);
    }
}

void oc_config_redact(cJSON *config) {
    config_redact_redact(config, "");
}

static cJSON *config_redact_parse(struct oc_slice s) {
    cJSON *v = NULL;
    struct oc_error ignored;
    return oc_json5_parse(s.ptr, s.len, &v, &ignored) == OC_OK ? v : NULL;
}

static bool is_text(struct oc_slice v) {
    return v.len > 0 && (v.ptr[0] == '"' || v.ptr[0] == '\'');
}

/* Copies value to out with its secrets replaced. */
static void put_redacted(struct oc_buf *out, struct oc_slice value, const char *path) {
    if (is_text(value) && oc_config_is_secret(path)) {
        OC_AUTO_JSON cJSON *v = config_redact_parse(value);
        if (!v || !cJSON_IsString(v) || (v->valuestring[0] && !is_reference(v->valuestring))) {
            oc_buf_puts(out, "\"" OC_CONFIG_REDACTED "\"");
            return;
        }
    }
    const char *from = value.ptr;
    struct oc_json5_cursor c = { 0 };
    struct oc_json5_item item;
    while (oc_json5_next(value, &c, &item)) {
        oc_buf_append(out, from, (size_t)(item.value.ptr - from));
        OC_AUTO_FREE char *below = oc_config_path_add(path, item.key, item.index);
        put_redacted(out, item.value, below);
        from = item.value.ptr + item.value.len;
        oc_json5_item_finish(&item);
    }
    oc_buf_append(out, from, (size_t)(value.ptr + value.len - from));
}

static void config_redact_replace(struct oc_buf *text, struct oc_buf *out, struct oc_slice root) {
    const char *end = root.ptr + root.len;
    oc_buf_append(out, end, (size_t)(text->data + text->len - end));
    struct oc_buf old = *text;
    *text = *out;
    *out = old;
}

void oc_config_redact_text(struct oc_buf *text) {
    struct oc_slice root = oc_json5_root((struct oc_slice){ text->data, text->len });
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT((size_t)2 * OC_CONFIG_MAX_BYTES);
    oc_buf_append(&out, text->data, (size_t)(root.ptr - text->data));
    put_redacted(&out, root, "");
    config_redact_replace(text, &out, root);
}

/* What a container of the text before holds, each found by its key or number without another look
 * through the text. */
struct redact_held {
    struct oc_json5_item *items;
    size_t count, cap;
    struct oc_map *by_key;
};

static void config_redact_hold(struct oc_slice box, struct redact_held *ret) {
    *ret = (struct redact_held){ .by_key = oc_map_create() };
    struct oc_json5_cursor c = { 0 };
    struct oc_json5_item item;
    while (oc_json5_next(box, &c, &item)) {
        if (ret->count == ret->cap) {
            ret->cap = ret->cap ? 2 * ret->cap : 16;
            ret->items = oc_realloc(ret->items, ret->cap * sizeof(*ret->items));
        }
        ret->items[ret->count++] = item;
    }
    for (size_t i = 0; i < ret->count; i++) { /* they stay where they are now */
        if (ret->items[i].key) {
            oc_map_put(ret->by_key, ret->items[i].key, &ret->items[i]);
        }
    }
}

static void held_finish(struct redact_held *h) {
    for (size_t i = 0; i < h->count; i++) {
        oc_json5_item_finish(&h->items[i]);
    }
    oc_free(h->items);
    oc_map_destroy(h->by_key);
}

/* A member for a member, an item for an item. Empty: there is none. */
static struct oc_slice held_value(const struct redact_held *h, const struct oc_json5_item *like) {
    const struct oc_json5_item *there = like->key                ? oc_map_get(h->by_key, like->key)
                                        : like->index < h->count ? &h->items[like->index]
                                                                 : NULL;
    return there && !there->key == !like->key ? there->value : (struct oc_slice){ 0 };
}

/* Copies value to out; where it holds the word, what before has there takes its place. */
static enum oc_code put_restored(struct oc_buf *out, struct oc_slice value, struct oc_slice before,
        const char *path, struct oc_error *err) {
    if (is_text(value)) {
        OC_AUTO_JSON cJSON *v = config_redact_parse(value);
        bool stands_for = v && oc_streq(v->valuestring, OC_CONFIG_REDACTED);
        if (stands_for && before.len == 0) {
            return oc_fail(err, OC_E_INVALID,
                    "%s is " OC_CONFIG_REDACTED
                    ", which stands for a secret that is not set; send the secret itself",
                    path);
        }
        oc_buf_append(
                out, stands_for ? before.ptr : value.ptr, stands_for ? before.len : value.len);
        return OC_OK;
    }
    const char *from = value.ptr;
    struct oc_json5_cursor c = { 0 };
    struct oc_json5_item item;
    struct redact_held held;
    config_redact_hold(before, &held);
    enum oc_code rc = OC_OK;
    while (rc == OC_OK && oc_json5_next(value, &c, &item)) {
        OC_AUTO_FREE char *below = oc_config_path_add(path, item.key, item.index);
        oc_buf_append(out, from, (size_t)(item.value.ptr - from));
        rc = put_restored(out, item.value, held_value(&held, &item), below, err);
        from = item.value.ptr + item.value.len;
        oc_json5_item_finish(&item);
    }
    held_finish(&held);
    oc_buf_append(out, from, (size_t)(value.ptr + value.len - from));
    return rc;
}

enum oc_code oc_config_restore_text(
        struct oc_buf *text, struct oc_slice before, struct oc_error *err) {
    struct oc_slice root = oc_json5_root((struct oc_slice){ text->data, text->len });
    struct oc_slice old = before.len > 0 ? oc_json5_root(before) : (struct oc_slice){ 0 };
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    oc_buf_append(&out, text->data, (size_t)(root.ptr - text->data));
    enum oc_code rc = put_restored(&out, root, old, "", err);
    if (rc == OC_OK && out.failed) {
        rc = oc_fail(
                err, OC_E_TOO_LARGE, "the config is larger than %u bytes", OC_CONFIG_MAX_BYTES);
    }
    if (rc == OC_OK) {
        config_redact_replace(text, &out, root);
    }
    return rc;
}
