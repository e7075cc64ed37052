#include "node/policy/exec_list.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/identity/identity.h"
#include "lib/protocol/limits.h"
#include "node/policy/exec_glob.h"

#include <string.h>

#define CWD_HASH "sha256:cwd-argv:v1:"

const char *nd_exec_entry_pattern(const cJSON *entry) {
    const char *s = cJSON_GetStringValue(entry);
    return s ? s : oc_json_get_str(entry, "pattern");
}

void nd_exec_tops_finish(struct nd_exec_tops *t) {
    oc_strv_finish(&t->dirs);
    oc_strv_finish(&t->real);
}

/* "/bin" of "/bin/git": where it leads. Borrowed from s->tops. */
static const char *real_top(const struct nd_exec_subject *s, const char *pattern, size_t len) {
    struct nd_exec_tops *t = s->tops;
    for (size_t i = 0; i < t->dirs.count; i++) {
        if (strncmp(t->dirs.items[i], pattern, len) == 0 && !t->dirs.items[i][len]) {
            return t->real.items[i];
        }
    }
    OC_AUTO_FREE char *dir = oc_strndup(pattern, len);
    OC_AUTO_FREE char *real = s->fs->real(s->fs->user, dir);
    oc_strv_add(&t->dirs, dir);
    oc_strv_add(&t->real, real ? real : dir);
    return t->real.items[t->real.count - 1];
}

/* A pattern as it is compared; NULL when it is none. Caller frees. */
static char *exec_list_expand(const char *pattern, const struct nd_exec_subject *s) {
    if (oc_starts_with(pattern, "~/")) {
        return s->home ? oc_strfmt("%s%s", s->home, pattern + 1) : NULL;
    }
    if (pattern[0] != '/') {
        return NULL; /* a name is not a program */
    }
    size_t top = 1 + strcspn(pattern + 1, "/"), literal = nd_exec_glob_literal(pattern);
    bool is_same_top = strncmp(pattern, s->real_path, top + 1) == 0; /* then it is no link */
    if (pattern[top] != '/' || literal < top || is_same_top) {
        return oc_strdup(pattern);
    }
    if (!pattern[literal] && strcmp(nd_path_name(pattern), nd_path_name(s->real_path)) != 0) {
        return NULL; /* another program wherever the link leads */
    }
    return oc_strfmt("%s%s", real_top(s, pattern, top), pattern + top);
}

/* "<bytes>\0<text>\0", as 2026.9.6 hashes it. */
static void put_counted(struct oc_buf *b, const char *text) {
    oc_buf_printf(b, "%zu", strlen(text));
    oc_buf_append(b, "", 1);
    oc_buf_append(b, text, strlen(text) + 1);
}

/* 2026.9.6 binds what it remembers to the arguments and the directory, by a hash. */
static bool has_hash(const struct nd_exec_subject *s, const char *hash) {
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT((size_t)2 * OC_MAX_REQUEST_BYTES);
    put_counted(&b, s->cwd);
    oc_buf_printf(&b, "%zu", s->argv->count - 1);
    oc_buf_append(&b, "", 1);
    for (size_t i = 1; i < s->argv->count; i++) {
        put_counted(&b, s->argv->items[i]);
    }
    char hex[65];
    oc_sha256_hex(b.data, b.len, hex);
    return !b.failed && strcmp(hex, hash) == 0;
}

static bool arguments_fit(const cJSON *entry, const struct nd_exec_subject *s) {
    const cJSON *value = oc_json_get(entry, "argPattern");
    const char *text = cJSON_GetStringValue(value);
    if (text && oc_starts_with(text, CWD_HASH)) {
        return has_hash(s, text + strlen(CWD_HASH));
    }
    /* Without the hash 2026.9.6 itself takes what it remembered as void; other forms are
     * JavaScript's expressions. */
    return !value && !oc_json_get(entry, "source");
}

static bool exec_list_allows(const cJSON *entry, const struct nd_exec_subject *s) {
    const char *given = nd_exec_entry_pattern(entry);
    if (oc_str_blank(given) || strlen(given) > ND_MAX_PATTERN) {
        return false;
    }
    OC_AUTO_FREE char *copy = oc_strdup(given);
    const char *trimmed = oc_trim(copy);
    bool is_hit = strcmp(trimmed, "*") == 0;
    if (!is_hit) {
        OC_AUTO_FREE char *pattern = exec_list_expand(trimmed, s);
        is_hit = pattern && nd_exec_glob(pattern, s->real_path);
    }
    return is_hit && arguments_fit(entry, s);
}

bool nd_exec_list_can_name(const char *path) {
    OC_AUTO_FREE char *copy = oc_strdup(path);
    return !path[nd_exec_glob_literal(path)] && strlen(path) <= ND_MAX_PATTERN &&
           strcmp(oc_trim(copy), path) == 0;
}

const cJSON *nd_exec_list_find(const cJSON *list, const struct nd_exec_subject *subject) {
    const cJSON *entry;
    cJSON_ArrayForEach(entry, list) {
        if (exec_list_allows(entry, subject)) {
            return entry;
        }
    }
    return NULL;
}
