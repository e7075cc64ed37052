#include "node/looks/exec_package.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/json/json_scan.h"

#include <string.h>

#define MAX_PACKAGE_BYTES (256u << 10)

/* What "main" of a package.json says. */
enum main_file { MAIN_NONE, MAIN_NAMED, MAIN_UNCLEAR };

static enum main_file main_of(const char *json, char **ret) {
    struct oc_slice all = { json, strlen(json) };
    struct oc_json_value v;
    const char *first = strstr(json, "\"main\"");
    if (!oc_json_valid(json, strlen(json), 64) || oc_json_root(all).kind != OC_JK_OBJECT ||
            strchr(json, '\\') || (first && strstr(first + 1, "\"main\""))) {
        return MAIN_UNCLEAR;
    }
    if (!oc_json_find(oc_json_root(all).raw, "main", &v)) {
        return MAIN_NONE;
    }
    if (v.kind != OC_JK_STRING) {
        return MAIN_UNCLEAR;
    }
    struct oc_slice body = oc_json_body(v);
    *ret = oc_strndup(body.ptr, body.len);
    return body.len == 0 || strstr(*ret, "..") ? MAIN_UNCLEAR : MAIN_NAMED;
}

/* As require() finds it: the first that is there. */
static bool try_endings(
        const struct oc_search_command *c, struct oc_search *s, size_t i, const char *path) {
    static const char *const endings[] = { ".js", ".json", ".node" };
    for (size_t k = 0; k < OC_COUNT(endings); k++) {
        OC_AUTO_FREE char *name = oc_strfmt("%s%s", path, endings[k]);
        if (oc_search_try_file(c, s, i, name)) {
            return true;
        }
    }
    return false;
}

static bool try_index(
        const struct oc_search_command *c, struct oc_search *s, size_t i, const char *dir) {
    OC_AUTO_FREE char *index = oc_path_join(dir, "index");
    return try_endings(c, s, i, index);
}

static bool try_package(
        const struct oc_search_command *c, struct oc_search *s, size_t i, const char *dir) {
    OC_AUTO_FREE char *path = oc_path_join(dir, "package.json"), *main = NULL;
    struct oc_exec_reading how = oc_search_reading(s, MAX_PACKAGE_BYTES);
    if (!oc_search_try_file(c, s, i, path)) {
        return try_index(c, s, i, dir);
    }
    OC_AUTO_FREE char *json = oc_exec_read_text(path, &how);
    enum main_file says = json ? main_of(json, &main) : MAIN_UNCLEAR;
    OC_AUTO_FREE char *file = says == MAIN_NAMED ? oc_search_in_dir(main, dir) : NULL;
    if (says == MAIN_UNCLEAR) {
        oc_search_not_bound(s, path, "is not plain, so which file is the main one is not known");
    }
    return (file && (oc_search_try_file(c, s, i, file) || try_endings(c, s, i, file) ||
                            try_index(c, s, i, file))) ||
           try_index(c, s, i, dir);
}

/* node takes ".." out of a path by its text, and "app.js" before the directory "app". */
bool oc_search_try_main(const struct oc_search_command *c, struct oc_search *s, size_t i) {
    const char *name = c->argv.items[i];
    size_t len = strlen(name);
    OC_AUTO_FREE char *path = oc_search_in_dir(name, c->cwd);
    bool is_subcommand = strcmp(name, "inspect") == 0;
    if (strstr(name, "..") || is_subcommand) {
        return false;
    }
    return (len > 0 && name[len - 1] != '/' &&
                   (oc_search_try_file(c, s, i, name) || try_endings(c, s, i, path))) ||
           try_package(c, s, i, path);
}
