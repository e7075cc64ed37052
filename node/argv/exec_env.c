#include "node/argv/exec_env.h"

#include "lib/base/mem.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { MAX_NAME = 256 }; /* of a variable that programs get */

enum row_class { HARMLESS, OTHER, LOADS, NEVER };

static const struct env_row {
    enum row_class kind;
    const char *pattern;
    size_t len;
} rows[] = {
#define ND_ENV_NAME(kind, pattern, source) { kind, pattern, sizeof(pattern) - 1 },
#include "node/argv/exec_env_names.def"
#undef ND_ENV_NAME
};

/* False: they differ in more than case. Every variable of every command is compared with every row,
 * and most comparisons end here. */
static bool begins_alike(char a, char b) {
    return ((a ^ b) & ~('a' ^ 'A')) == 0;
}

static bool ends_like(const char *name, size_t len, const char *end, size_t n) {
    return len >= n && strncasecmp(name + len - n, end, n) == 0;
}

static bool exec_env_holds(const char *name, size_t len, const char *word, size_t n) {
    for (size_t i = 0; i + n <= len; i++) {
        if (begins_alike(name[i], word[0]) && strncasecmp(name + i, word, n) == 0) {
            return true;
        }
    }
    return false;
}

static bool exec_env_matches(const struct env_row *row, const char *name, size_t len) {
    const char *pattern = row->pattern;
    size_t n = row->len;
    bool is_open = pattern[0] == '*', is_open_after = pattern[n - 1] == '*';
    if (!is_open && !begins_alike(pattern[0], name[0])) {
        return false;
    }
    pattern += is_open;
    n -= (size_t)is_open + (size_t)is_open_after;
    if (is_open && is_open_after) {
        return exec_env_holds(name, len, pattern, n);
    }
    if (is_open) {
        return ends_like(name, len, pattern, n);
    }
    return (is_open_after ? len >= n : len == n) && strncasecmp(pattern, name, n) == 0;
}

/* The first row that fits; a name that is in none is like any other. */
static enum row_class row_of(const char *name, size_t len) {
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        if (exec_env_matches(&rows[i], name, len)) {
            return rows[i].kind;
        }
    }
    return OTHER;
}

enum nd_env_class nd_exec_env_class(const char *name) {
    size_t len = strnlen(name, MAX_NAME + 1);
    if (len > MAX_NAME) {
        return ND_ENV_LOADS; /* nothing that is known has such a name, and it takes long to be sure
                              */
    }
    switch (row_of(name, len)) {
    case HARMLESS:
        return ND_ENV_HARMLESS;
    case OTHER:
        return ND_ENV_OTHER;
    case LOADS:
    case NEVER:
        break;
    }
    return ND_ENV_LOADS;
}

static bool is_name(const char *s, size_t len) {
    if (len == 0 || len > MAX_NAME || isdigit((unsigned char)s[0])) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (!isalnum((unsigned char)s[i]) && s[i] != '_') {
            return false;
        }
    }
    return true;
}

/* The node's own credentials: a command must not be able to speak to the gateway as this machine.
 */
static bool is_our_secret(const char *name, size_t len) {
    static const char *const words[] = { "TOKEN", "PASS", "SECRET", "KEY", "CRED", "CODE" };
    if (len < 9 || strncasecmp(name, "OPENCLAW_", 9) != 0) {
        return false;
    }
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        if (exec_env_holds(name, len, words[i], strlen(words[i]))) {
            return true;
        }
    }
    return false;
}

static void exec_env_put(struct oc_strv *env, const char *name, const char *value) {
    OC_AUTO_FREE char *entry = oc_strfmt("%s=%s", name, value);
    size_t len = strlen(name) + 1;
    for (size_t i = 0; i < env->count; i++) {
        if (strncmp(env->items[i], entry, len) == 0) {
            oc_free(env->items[i]);
            env->items[i] = oc_take(&entry);
            return;
        }
    }
    oc_strv_add(env, entry);
}

/* By exact name: the owner knows which one they mean. Never PATH: what is looked up, shown and
 * bound is found on the node's own (lib/config/config_schema.c tells the owner). */
static bool is_allowed(const cJSON *config, const char *name) {
    const cJSON *item;
    cJSON_ArrayForEach(item, oc_json_path(config, "node.exec.env.allow")) {
        if (oc_streq(cJSON_GetStringValue(item), name)) {
            return strcasecmp(name, "PATH") != 0;
        }
    }
    return false;
}

static bool is_variable(const cJSON *item) {
    return cJSON_IsString(item) && item->string && is_name(item->string, strlen(item->string));
}

static bool is_taken(const cJSON *item, const cJSON *config) {
    return is_variable(item) &&
           (nd_exec_env_class(item->string) != ND_ENV_LOADS || is_allowed(config, item->string));
}

void nd_exec_env_build(
        const char *const *base, const cJSON *overrides, const cJSON *config, struct oc_strv *ret) {
    for (; *base; base++) {
        const char *eq = strchr(*base, '=');
        size_t len = eq ? (size_t)(eq - *base) : 0;
        if (is_name(*base, len) && row_of(*base, len) != NEVER && !is_our_secret(*base, len)) {
            oc_strv_add(ret, *base);
        }
    }
    const cJSON *item;
    oc_json_for_each_member(item, overrides) {
        if (is_taken(item, config)) {
            exec_env_put(ret, item->string, item->valuestring);
        }
    }
}

void nd_exec_env_dropped(const cJSON *overrides, const cJSON *config, struct oc_strv *ret) {
    const cJSON *item;
    oc_json_for_each_member(item, overrides) {
        if (!is_taken(item, config) && item->string && ret->count < ND_MAX_ENV_DROPPED) {
            OC_AUTO_FREE char *shown = oc_printable(item->string, strlen(item->string), 60);
            oc_strv_add(ret, shown);
        }
    }
}

void nd_exec_env_uncovered(const cJSON *overrides, const cJSON *config, struct oc_strv *ret) {
    const cJSON *item;
    oc_json_for_each_member(item, overrides) {
        if (is_variable(item) && nd_exec_env_class(item->string) == ND_ENV_OTHER &&
                !is_allowed(config, item->string)) {
            oc_strv_add_unique(ret, item->string);
        }
    }
}
