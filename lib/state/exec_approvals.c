#include "lib/state/exec_approvals.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/files/file.h"
#include "lib/identity/identity.h"
#include "lib/protocol/limits.h"
#include "lib/state/identity_dir.h"

#include <openssl/crypto.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_AGENTS 256
#define MAX_ALLOWLIST 4096
#define TOKEN_BYTES 24
#define USE_INTERVAL_MS 60000
#define MAX_COMMAND_TEXT 200 /* bytes of a command that are kept */

/* What is on the disk now. */
struct content {
    bool exists;
    char hash[65];
    cJSON *file; /* NULL when there is none */
};

static void content_finish(struct content *c) {
    oc_json_wipe(c->file); /* it holds the socket's token */
    cJSON_Delete(c->file);
}

#define AUTO_CONTENT __attribute__((cleanup(content_finish)))

char *oc_exec_approvals_path(const char *home_dir) {
    OC_AUTO_FREE char *dir = oc_path_join(home_dir, ".openclaw");
    return oc_path_join(dir, "exec-approvals.json");
}

static enum oc_code check_words(const cJSON *o, const char *where, struct oc_error *err) {
    static const struct {
        const char *key, *words;
    } choices[] = {
        { "security", " deny allowlist full " },
        { "ask", " off on-miss always " },
        { "askFallback", " deny allowlist full " },
    };
    for (size_t i = 0; i < OC_COUNT(choices); i++) {
        const cJSON *v = oc_json_get(o, choices[i].key);
        const char *text = cJSON_GetStringValue(v);
        if (v && !text) {
            return oc_fail(err, OC_E_INVALID, "at %s/%s: must be string", where, choices[i].key);
        }
        OC_AUTO_FREE char *word = text ? oc_strfmt(" %.40s ", text) : NULL;
        if (word && (strchr(text, ' ') || !strstr(choices[i].words, word))) {
            return oc_fail(err, OC_E_INVALID, "at %s/%s: must be one of%s", where, choices[i].key,
                    choices[i].words);
        }
    }
    const cJSON *flag = oc_json_get(o, "autoAllowSkills");
    if (flag && !cJSON_IsBool(flag)) {
        return oc_fail(err, OC_E_INVALID, "at %s/autoAllowSkills: must be boolean", where);
    }
    return OC_OK;
}

static enum oc_code check_list(const cJSON *list, const char *where, struct oc_error *err) {
    if (list && (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > MAX_ALLOWLIST)) {
        return oc_fail(err, OC_E_INVALID, "at %s/allowlist: must be array of at most %d", where,
                MAX_ALLOWLIST);
    }
    int i = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        const cJSON *pattern = oc_json_get(item, "pattern");
        if (!cJSON_IsObject(item)) {
            return oc_fail(err, OC_E_INVALID, "at %s/allowlist/%d: must be object", where, i);
        }
        if (pattern && !cJSON_IsString(pattern)) {
            return oc_fail(
                    err, OC_E_INVALID, "at %s/allowlist/%d/pattern: must be string", where, i);
        }
        i++;
    }
    return OC_OK;
}

static enum oc_code check_agents(const cJSON *agents, const char *where, struct oc_error *err) {
    if (agents && (!cJSON_IsObject(agents) || cJSON_GetArraySize(agents) > MAX_AGENTS)) {
        return oc_fail(err, OC_E_INVALID, "at %s/agents: must be object of at most %d agents",
                where, MAX_AGENTS);
    }
    const cJSON *agent;
    oc_json_for_each_member(agent, agents) {
        OC_AUTO_FREE char *name = oc_printable(agent->string, strlen(agent->string), 60);
        OC_AUTO_FREE char *at = oc_strfmt("%s/agents/%s", where, name);
        if (!cJSON_IsObject(agent)) {
            return oc_fail(err, OC_E_INVALID, "at %s: must be object", at);
        }
        enum oc_code rc = check_words(agent, at, err);
        if (rc == OC_OK) {
            rc = check_list(oc_json_get(agent, "allowlist"), at, err);
        }
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

enum oc_code oc_exec_approvals_check(const cJSON *file, const char *where, struct oc_error *err) {
    if (!cJSON_IsObject(file)) {
        return oc_fail(err, OC_E_INVALID, "at %s: must be object", where);
    }
    if (oc_json_get_int(file, "version", 1, 1, 0) != 1) {
        return oc_fail(err, OC_E_INVALID, "at %s/version: must be equal to constant", where);
    }
    static const char *const objects[] = { "socket", "defaults" };
    for (size_t i = 0; i < OC_COUNT(objects); i++) {
        const cJSON *o = oc_json_get(file, objects[i]);
        if (o && !cJSON_IsObject(o)) {
            return oc_fail(err, OC_E_INVALID, "at %s/%s: must be object", where, objects[i]);
        }
    }
    OC_AUTO_FREE char *defaults = oc_strfmt("%s/defaults", where);
    enum oc_code rc = check_words(oc_json_get(file, "defaults"), defaults, err);
    return rc == OC_OK ? check_agents(oc_json_get(file, "agents"), where, err) : rc;
}

static enum oc_code exec_approvals_load(
        const char *path, struct content *ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    enum oc_code rc = oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, err);
    if (rc == OC_E_NOT_FOUND) {
        oc_sha256_hex("", 0, ret->hash);
        return OC_OK;
    }
    if (rc != OC_OK) {
        return rc;
    }
    ret->exists = true;
    oc_sha256_hex(text.len > 0 ? text.data : "", text.len, ret->hash);
    rc = oc_json_parse(text.data, text.len, &ret->file, err);
    if (text.data) {
        OPENSSL_cleanse(text.data, text.len);
    }
    if (rc != OC_OK || !cJSON_IsObject(ret->file)) {
        return oc_fail(
                err, OC_E_CORRUPT, "%s is damaged; repair or remove it on that machine", path);
    }
    return OC_OK;
}

enum oc_code oc_exec_approvals_snapshot(const char *path, cJSON **ret, struct oc_error *err) {
    AUTO_CONTENT struct content now = { 0 };
    enum oc_code rc = exec_approvals_load(path, &now, err);
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "path", path);
    oc_json_set_bool(o, "exists", now.exists);
    oc_json_set_str(o, "hash", now.hash);
    cJSON *file = now.file ? oc_take(&now.file) : cJSON_CreateObject();
    oc_json_set_int(file, "version", 1);
    cJSON *socket = cJSON_GetObjectItemCaseSensitive(file, "socket");
    cJSON *token = cJSON_DetachItemFromObjectCaseSensitive(socket, "token");
    oc_json_wipe(token);
    cJSON_Delete(token);
    static const char *const members[] = { "defaults", "agents" };
    for (size_t i = 0; i < OC_COUNT(members); i++) {
        if (!oc_json_get(file, members[i])) {
            oc_json_set(file, members[i], cJSON_CreateObject());
        }
    }
    oc_json_set(o, "file", file);
    *ret = o;
    return OC_OK;
}

static bool has_pattern(const cJSON *list, const char *pattern) {
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (oc_streq(oc_json_get_str(item, "pattern"), pattern)) {
            return true;
        }
    }
    return false;
}

/* Entries without a pattern mean nothing and go; every other gets an id. */
static cJSON *clean_list(const cJSON *list) {
    cJSON *out = cJSON_CreateArray();
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        const char *plain = cJSON_GetStringValue(item);
        cJSON *entry = plain ? cJSON_CreateObject() : cJSON_Duplicate(item, true);
        oc_json_set_str(entry, "pattern", plain);
        if (oc_str_blank(oc_json_get_str(entry, "pattern"))) {
            cJSON_Delete(entry);
            continue;
        }
        if (oc_str_blank(oc_json_get_str(entry, "id"))) {
            char id[OC_UUID_LEN + 1];
            oc_uuid4(id);
            oc_json_set_str(entry, "id", id);
        }
        cJSON_AddItemToArray(out, entry);
    }
    return out;
}

/* `default` is what main was called once: main's own words win, the lists are joined. */
static void merge_default(cJSON *agents) {
    cJSON *old = cJSON_DetachItemFromObjectCaseSensitive(agents, "default");
    cJSON *main = cJSON_GetObjectItemCaseSensitive(agents, "main");
    if (!old) {
        return;
    }
    if (!main) {
        oc_json_set(agents, "main", old);
        return;
    }
    cJSON *list = cJSON_GetObjectItemCaseSensitive(main, "allowlist"), *item, *next;
    cJSON *old_list = cJSON_GetObjectItemCaseSensitive(old, "allowlist");
    if (!list) {
        list = cJSON_AddArrayToObject(main, "allowlist");
    }
    for (item = old_list ? old_list->child : NULL; item; item = next) {
        next = item->next;
        if (!has_pattern(list, oc_json_get_str(item, "pattern"))) {
            cJSON_AddItemToArray(list, cJSON_DetachItemViaPointer(old_list, item));
        }
    }
    for (item = old->child; item; item = next) {
        next = item->next;
        if (!oc_json_get(main, item->string) && item != old_list) {
            OC_AUTO_FREE char *key = oc_strdup(item->string);
            oc_json_set(main, key, cJSON_DetachItemViaPointer(old, item));
        }
    }
    cJSON_Delete(old);
}

/* The one in the new file, else the one there was, else a fresh one. */
static cJSON *build_socket(const char *path, const cJSON *file, const cJSON *before) {
    const cJSON *given = oc_json_get(file, "socket"), *old = oc_json_get(before, "socket");
    const char *where = oc_json_get_str(given, "path"), *token = oc_json_get_str(given, "token");
    where = oc_str_blank(where) ? oc_json_get_str(old, "path") : where;
    token = oc_str_blank(token) ? oc_json_get_str(old, "token") : token;
    OC_AUTO_FREE char *fresh_path = oc_strndup(path, strlen(path) - strlen("json"));
    OC_AUTO_FREE char *default_path = oc_strfmt("%ssock", fresh_path);
    uint8_t random[TOKEN_BYTES];
    oc_random(random, sizeof(random));
    OC_AUTO_SECRET char *fresh_token = oc_base64url(random, sizeof(random));
    OPENSSL_cleanse(random, sizeof(random));
    cJSON *socket = cJSON_CreateObject();
    oc_json_set_str(socket, "path", oc_str_blank(where) ? default_path : where);
    oc_json_set_str(socket, "token", oc_str_blank(token) ? fresh_token : token);
    return socket;
}

static cJSON *exec_approvals_normalize(const char *path, const cJSON *file, const cJSON *before) {
    cJSON *out = cJSON_CreateObject();
    oc_json_set_int(out, "version", 1);
    oc_json_set(out, "socket", build_socket(path, file, before));
    const cJSON *defaults = oc_json_get(file, "defaults"), *agents = oc_json_get(file, "agents");
    oc_json_set(out, "defaults", defaults ? cJSON_Duplicate(defaults, true) : cJSON_CreateObject());
    cJSON *kept = agents ? cJSON_Duplicate(agents, true) : cJSON_CreateObject();
    cJSON *agent;
    cJSON_ArrayForEach(agent, kept) {
        const cJSON *list = oc_json_get(agent, "allowlist");
        if (list) {
            oc_json_set(agent, "allowlist", clean_list(list));
        }
    }
    merge_default(kept);
    oc_json_set(out, "agents", kept);
    return out;
}

/* The owner's way to say: not from afar. */
static enum oc_code check_writable(const char *path, struct oc_error *err) {
    struct stat st;
    if (stat(path, &st) == 0 && (st.st_uid != geteuid() || !(st.st_mode & S_IWUSR))) {
        return oc_fail(err, OC_E_DENIED,
                "%s is read-only for this program; its owner changes it on that machine", path);
    }
    return OC_OK;
}

/* Whoever reads the file to write it again holds the lock beside it meanwhile, or the owner's
 * "deny" of the moment between would be undone by a note of a command's use. */
static enum oc_code exec_approvals_lock(const char *path, int *ret_fd, struct oc_error *err) {
    enum oc_code rc = check_writable(path, err);
    const char *slash = strrchr(path, '/');
    OC_AUTO_FREE char *dir = oc_strndup(path, slash ? (size_t)(slash - path) : 0);
    if (rc == OC_OK) {
        rc = oc_dir_ensure_private(slash ? dir : ".", err);
    }
    OC_AUTO_FREE char *beside = oc_strfmt("%s.lock", path);
    return rc == OC_OK ? oc_file_lock(beside, ret_fd, err) : rc;
}

/* Editors and other programs do not know the lock; what they wrote since we read stays. */
struct unchanged {
    const char *path;
    const struct content *seen;
};

static enum oc_code check_unchanged(void *user, struct oc_error *err) {
    const struct unchanged *u = user;
    OC_AUTO_BUF struct oc_buf text = { 0 };
    char hash[65];
    enum oc_code rc = oc_file_read(u->path, OC_MAX_STATE_FILE_BYTES, &text, NULL);
    oc_sha256_hex(text.len > 0 ? text.data : "", text.len, hash);
    if (text.data) {
        OPENSSL_cleanse(text.data, text.len);
    }
    bool is_same =
            u->seen->exists ? rc == OC_OK && oc_streq(hash, u->seen->hash) : rc == OC_E_NOT_FOUND;
    return is_same ? OC_OK : oc_fail(err, OC_E_CANCELLED, "%s changed meanwhile", u->path);
}

/* A pattern is bytes on a disk. Written down as text that is nearly the same it would mean another
 * file, or none. */
static enum oc_code check_text(const cJSON *v, struct oc_error *err) {
    const char *bad = v->string && !oc_utf8_valid(v->string, strlen(v->string)) ? v->string : NULL;
    const char *text = cJSON_GetStringValue(v);
    bad = text && !oc_utf8_valid(text, strlen(text)) ? text : bad;
    if (bad) {
        OC_AUTO_FREE char *shown = oc_printable(bad, strlen(bad), 200);
        return oc_fail(err, OC_E_INVALID, "'%s' is not UTF-8 text; rename it first", shown);
    }
    const cJSON *child;
    cJSON_ArrayForEach(child, v) {
        enum oc_code rc = check_text(child, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    return OC_OK;
}

/* seen: what was read under the lock. */
static enum oc_code exec_approvals_save(
        const char *path, const struct content *seen, const cJSON *file, struct oc_error *err) {
    enum oc_code rc = check_writable(path, err);
    rc = rc == OC_OK ? check_text(file, err) : rc;
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_SECRET char *text = oc_json_print(file, true);
    OC_AUTO_SECRET char *line = oc_strfmt("%s\n", text);
    if (strlen(line) > OC_MAX_STATE_FILE_BYTES) {
        return oc_fail(err, OC_E_TOO_LARGE, "exec approvals file is larger than %u bytes",
                OC_MAX_STATE_FILE_BYTES);
    }
    struct unchanged u = { path, seen };
    return oc_file_replace_private(path, line, strlen(line), check_unchanged, &u, err);
}

enum oc_code oc_exec_approvals_replace(const char *path, const cJSON *file, const char *base_hash,
        cJSON **ret_snapshot, struct oc_error *err) {
    AUTO_CONTENT struct content now = { 0 };
    OC_AUTO_FD int held = -1;
    enum oc_code rc = exec_approvals_lock(path, &held, err);
    rc = rc == OC_OK ? exec_approvals_load(path, &now, err) : rc;
    if (rc != OC_OK) {
        return rc;
    }
    if (now.exists && oc_str_blank(base_hash)) {
        return oc_fail(err, OC_E_EXISTS, "base hash required");
    }
    if (now.exists && !oc_streq(base_hash, now.hash)) {
        return oc_fail(err, OC_E_CANCELLED, "changed since");
    }
    cJSON *next = exec_approvals_normalize(path, file, now.file);
    rc = exec_approvals_save(path, &now, next, err);
    oc_json_wipe(next);
    cJSON_Delete(next);
    return rc == OC_OK ? oc_exec_approvals_snapshot(path, ret_snapshot, err) : rc;
}

enum oc_code oc_exec_approvals_allow(const char *path, const char *agent_id, const char *pattern,
        int64_t now_ms, struct oc_error *err) {
    AUTO_CONTENT struct content now = { 0 };
    OC_AUTO_FD int held = -1;
    enum oc_code rc = exec_approvals_lock(path, &held, err);
    rc = rc == OC_OK ? exec_approvals_load(path, &now, err) : rc;
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *next = exec_approvals_normalize(path, now.file, now.file);
    cJSON *agents = cJSON_GetObjectItemCaseSensitive(next, "agents");
    cJSON *agent = cJSON_GetObjectItemCaseSensitive(agents, agent_id);
    if (!agent) {
        agent = cJSON_AddObjectToObject(agents, agent_id);
    }
    cJSON *list = cJSON_GetObjectItemCaseSensitive(agent, "allowlist");
    if (cJSON_IsObject(agent) && !list) {
        list = cJSON_AddArrayToObject(agent, "allowlist");
    }
    rc = OC_OK;
    if (!cJSON_IsArray(list)) {
        rc = oc_fail(err, OC_E_CORRUPT, "%s is damaged; repair or remove it", path);
    } else if (!has_pattern(list, pattern) && cJSON_GetArraySize(list) < MAX_ALLOWLIST) {
        char id[OC_UUID_LEN + 1];
        oc_uuid4(id);
        cJSON *entry = cJSON_CreateObject();
        oc_json_set_str(entry, "id", id);
        oc_json_set_str(entry, "pattern", pattern);
        oc_json_set_int(entry, "lastUsedAt", now_ms);
        cJSON_AddItemToArray(list, entry);
        rc = exec_approvals_save(path, &now, next, err);
    }
    oc_json_wipe(next);
    cJSON_Delete(next);
    return rc;
}

static bool exec_approvals_note(
        cJSON *entry, const struct oc_exec_use *use, const char *command, int64_t now_ms) {
    int64_t last = oc_json_get_ms(entry, "lastUsedAt", 0);
    if (now_ms - last < USE_INTERVAL_MS && now_ms >= last &&
            oc_streq(oc_json_get_str(entry, "lastResolvedPath"), use->resolved_path)) {
        return false;
    }
    OC_AUTO_FREE char *text =
            oc_strndup(command, oc_utf8_cut(command, strlen(command), MAX_COMMAND_TEXT));
    oc_json_set_int(entry, "lastUsedAt", now_ms);
    oc_json_set_str(entry, "lastUsedCommand", text);
    oc_json_set_str(entry, "lastResolvedPath", use->resolved_path);
    return true;
}

/* Whether the list has the entry. */
static bool note_in(const cJSON *agents, const char *agent_id, const struct oc_exec_use *use,
        const char *command, int64_t now_ms, bool *has_changed) {
    cJSON *agent = cJSON_GetObjectItemCaseSensitive(agents, agent_id);
    cJSON *entry, *list = cJSON_GetObjectItemCaseSensitive(agent, "allowlist");
    bool is_found = false;
    cJSON_ArrayForEach(entry, list) {
        if (oc_streq(oc_json_get_str(entry, "pattern"), use->pattern)) {
            *has_changed = exec_approvals_note(entry, use, command, now_ms) || *has_changed;
            is_found = true;
        }
    }
    return is_found;
}

enum oc_code oc_exec_approvals_note_use(const char *path, const char *agent_id,
        const struct oc_exec_use *uses, size_t count, const char *command, int64_t now_ms,
        struct oc_error *err) {
    AUTO_CONTENT struct content now = { 0 };
    OC_AUTO_FD int held = -1;
    struct stat st;
    bool is_link =
            lstat(path, &st) == 0 && S_ISLNK(st.st_mode); /* a note is not worth the owner's link */
    if (count == 0 || is_link || check_writable(path, NULL) != OC_OK) {
        return OC_OK;
    }
    enum oc_code rc = exec_approvals_lock(path, &held, err);
    if (rc == OC_OK) {
        rc = exec_approvals_load(path, &now, err);
    }
    cJSON *next = rc == OC_OK ? exec_approvals_normalize(path, now.file, now.file) : NULL;
    const cJSON *agents = oc_json_get(next, "agents");
    bool has_changed = false;
    for (size_t i = 0; i < count && next; i++) {
        if (!note_in(agents, agent_id, &uses[i], command, now_ms, &has_changed)) {
            note_in(agents, "*", &uses[i], command, now_ms, &has_changed);
        }
    }
    if (has_changed) {
        rc = exec_approvals_save(path, &now, next, err);
    }
    oc_json_wipe(next);
    cJSON_Delete(next);
    /* Somebody is changing the rules: that is worth more than a note, and the next use comes. */
    return rc == OC_E_UNAVAILABLE || rc == OC_E_CANCELLED ? OC_OK : rc;
}
