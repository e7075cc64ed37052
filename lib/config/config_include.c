/* What may be included is limited, as in the reference: an administrator from afar may write the
 * config, and must not be able to read the machine's other files with it. Allowed is what is below
 * the config's own directory (also the one a linked config really is in) or below a directory of
 * OPENCLAW_INCLUDE_ROOTS, separated by colons; links are followed before it is judged. */
#include "lib/config/config_edit.h"
#include "lib/config/config_parts.h"
#include "lib/files/file.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LEVELS 10
#define MAX_FILES 64 /* in all: two files that include each other twice would be a thousand */

/* The file being read and who included it. */
struct origin {
    const struct origin *parent;
    const char *path;
    const char *real; /* without links and dots */
    const struct oc_strv *roots;
    unsigned level;
    unsigned *files_left;
    struct oc_strv *files; /* who was read, or NULL */
    struct oc_config_fault *fault;
};

/* Arrays are joined, objects merged, anything else is replaced. Takes both, returns the result. */
static cJSON *config_include_merge(cJSON *take_under, cJSON *take_over) {
    if (cJSON_IsArray(take_under) && cJSON_IsArray(take_over)) {
        for (cJSON *item; (item = cJSON_DetachItemFromArray(take_over, 0));) {
            cJSON_AddItemToArray(take_under, item);
        }
        cJSON_Delete(take_over);
        return take_under;
    }
    if (take_over && cJSON_IsObject(take_under) && cJSON_IsObject(take_over)) {
        for (cJSON *item; (item = cJSON_DetachItemViaPointer(take_over, take_over->child));) {
            OC_AUTO_FREE char *key = oc_strdup(item->string);
            cJSON *old = cJSON_DetachItemFromObjectCaseSensitive(take_under, key);
            oc_json_set(take_under, key, old ? config_include_merge(old, item) : item);
        }
        cJSON_Delete(take_over);
        return take_under;
    }
    cJSON_Delete(take_under);
    return take_over;
}

char *oc_config_include_path(const char *from, const char *name) {
    const char *slash = strrchr(from, '/');
    if (name[0] == '/' || !slash) {
        return oc_strdup(name);
    }
    OC_AUTO_FREE char *dir = oc_strndup(from, (size_t)(slash - from) + 1);
    return oc_path_join(dir, name);
}

/* The real path, also of a file that does not exist: then its directory's, or that one's. */
static char *real_path(const char *path) {
    OC_AUTO_FREE char *copy = oc_strdup(path);
    for (;;) {
        char *found = realpath(copy, NULL);
        if (found) {
            char *real = oc_strdup(found);
            free(found);
            return real;
        }
        char *slash = strrchr(copy, '/');
        if (!slash || slash == copy) {
            return oc_strdup(slash ? "/" : ".");
        }
        *slash = '\0';
    }
}

static void add_root(struct oc_strv *roots, const char *dir) {
    OC_AUTO_FREE char *real = real_path(dir);
    if (oc_file_exists(dir)) {
        oc_strv_add_unique(roots, real);
    }
}

static void find_roots(const char *config, struct oc_strv *ret) {
    OC_AUTO_FREE char *real = real_path(config);
    const char *const files[] = { config, real };
    for (size_t i = 0; i < OC_COUNT(files); i++) {
        const char *slash = strrchr(files[i], '/');
        OC_AUTO_FREE char *dir =
                slash ? oc_strndup(files[i], (size_t)(slash - files[i]) + 1) : oc_strdup(".");
        add_root(ret, dir);
    }
    const char *more = getenv("OPENCLAW_INCLUDE_ROOTS");
    while (more && *more) {
        size_t n = strcspn(more, ":");
        OC_AUTO_FREE char *dir = oc_strndup(more, n);
        if (dir[0] == '/') {
            add_root(ret, dir);
        }
        more += n + (more[n] == ':');
    }
}

static bool is_inside(const struct oc_strv *roots, const char *real) {
    for (size_t i = 0; i < roots->count; i++) {
        size_t n = strlen(roots->items[i]);
        if (strncmp(real, roots->items[i], n) == 0 &&
                (real[n] == '/' || real[n] == '\0' || roots->items[i][n - 1] == '/')) {
            return true;
        }
    }
    return false;
}

static enum oc_code resolve_value(cJSON **v, const struct origin *from, struct oc_error *err);

static enum oc_code read_one(
        const char *path, const struct origin *from, cJSON **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    enum oc_code rc = oc_file_read(path, OC_CONFIG_MAX_BYTES, &text, err);
    if (rc != OC_OK) {
        oc_error_prefix(err, "included by '%s'", from->path);
        return rc;
    }
    if (!oc_json5_parse_at(text.data ? text.data : "", text.len, ret, &from->fault->at)) {
        from->fault->file = oc_strdup(path);
        return oc_fail(err, OC_E_INVALID, "%s", from->fault->at.why);
    }
    return OC_OK;
}

static enum oc_code read_included(
        const char *name, const struct origin *from, cJSON **ret, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_config_include_path(from->path, name);
    OC_AUTO_FREE char *real = real_path(path);
    if (!is_inside(from->roots, real)) {
        return oc_fail(err, OC_E_INVALID,
                "'%s': $include '%s' is outside of %s; move the file there, or name its directory "
                "in OPENCLAW_INCLUDE_ROOTS",
                from->path, name, from->roots->count > 0 ? from->roots->items[0] : "the config");
    }
    for (const struct origin *o = from; o; o = o->parent) {
        if (strcmp(o->real, real) == 0) {
            return oc_fail(err, OC_E_INVALID, "'%s' includes itself (from '%s')", path, from->path);
        }
    }
    if (from->level == MAX_LEVELS || *from->files_left == 0) {
        return oc_fail(
                err, OC_E_INVALID, "too many $include files (at '%s' in '%s')", name, from->path);
    }
    --*from->files_left;
    struct origin here = { from, path, real, from->roots, from->level + 1, from->files_left,
        from->files, from->fault };
    if (from->files) {
        oc_strv_add_unique(from->files, path);
    }
    OC_AUTO_JSON cJSON *v = NULL;
    enum oc_code rc = read_one(path, from, &v, err);
    if (rc != OC_OK) {
        return OC_E_INVALID; /* also when it is missing: only the main file may be */
    }
    rc = resolve_value(&v, &here, err);
    if (rc == OC_OK) {
        *ret = oc_take(&v);
    }
    return rc;
}

/* include is the value of $include: a name or an array of names. */
static enum oc_code read_all(
        const cJSON *include, const struct origin *from, cJSON **ret, struct oc_error *err) {
    const cJSON *only = cJSON_IsString(include) ? include : NULL;
    OC_AUTO_JSON cJSON *merged = only ? NULL : cJSON_CreateObject();
    for (const cJSON *name = only ? only : include->child; name; name = only ? NULL : name->next) {
        if (!cJSON_IsString(name)) {
            return oc_fail(err, OC_E_INVALID, "'%s': $include takes file names", from->path);
        }
        cJSON *v = NULL;
        enum oc_code rc = read_included(name->valuestring, from, &v, err);
        if (rc != OC_OK) {
            return rc;
        }
        merged = merged ? config_include_merge(oc_take(&merged), v) : v;
    }
    *ret = oc_take(&merged);
    return OC_OK;
}

static enum oc_code resolve_include(cJSON **v, const struct origin *from, struct oc_error *err) {
    OC_AUTO_JSON cJSON *include = cJSON_DetachItemFromObjectCaseSensitive(*v, "$include");
    if (!include || (!cJSON_IsString(include) && !cJSON_IsArray(include))) {
        return oc_fail(err, OC_E_INVALID, "'%s': $include takes file names", from->path);
    }
    OC_AUTO_JSON cJSON *content = NULL;
    enum oc_code rc = read_all(include, from, &content, err);
    if (rc != OC_OK) {
        return rc;
    }
    if ((*v)->child && !cJSON_IsObject(content)) {
        return oc_fail(err, OC_E_INVALID,
                "'%s': keys beside $include need an object in the included file", from->path);
    }
    if ((*v)->child) {
        *v = config_include_merge(oc_take(&content), *v);
    } else {
        cJSON_Delete(*v);
        *v = oc_take(&content);
    }
    return OC_OK;
}

/* The children first, so that what is merged in is complete already. */
static enum oc_code resolve_value(cJSON **v, const struct origin *from, struct oc_error *err) {
    if (!(*v)->child) {
        return OC_OK;
    }
    OC_AUTO_JSON cJSON *done = cJSON_IsArray(*v) ? cJSON_CreateArray() : cJSON_CreateObject();
    while ((*v)->child) {
        cJSON *child = cJSON_DetachItemViaPointer(*v, (*v)->child);
        OC_AUTO_FREE char *key = oc_strdup(child->string);
        bool is_include = oc_streq(key, "$include");
        enum oc_code rc = is_include ? OC_OK : resolve_value(&child, from, err);
        if (key) {
            cJSON_AddItemToObject(done, key, child);
        } else {
            cJSON_AddItemToArray(done, child);
        }
        if (rc != OC_OK) {
            return rc;
        }
    }
    cJSON *empty = *v;
    *v = oc_take(&done);
    cJSON_Delete(empty);
    return cJSON_IsObject(*v) && cJSON_GetObjectItemCaseSensitive(*v, "$include")
                   ? resolve_include(v, from, err)
                   : OC_OK;
}

enum oc_code oc_config_include(cJSON **root, const char *path, struct oc_strv *files,
        struct oc_config_fault *ret_fault, struct oc_error *err) {
    unsigned files_left = MAX_FILES;
    OC_AUTO_FREE char *real = real_path(path);
    OC_AUTO_STRV struct oc_strv roots = { 0 };
    find_roots(path, &roots);
    struct origin main_file = { NULL, path, real, &roots, 0, &files_left, files, ret_fault };
    *ret_fault = (struct oc_config_fault){ 0 };
    return resolve_value(root, &main_file, err);
}
