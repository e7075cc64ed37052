#include "node/looks/exec_package.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/json/json_scan.h"

#include <stdint.h>
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

/* As path.exec_package_resolve() does it, by the text alone: without "//", "/." and a "/" at the
 * end. dir: absolute. A ".." stays, and is refused by whoever asks. Caller frees. */
static char *exec_package_resolve(const char *dir, const char *name) {
    OC_AUTO_FREE char *joined = nd_search_in_dir(name, dir);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(SIZE_MAX / 2);
    for (const char *at = joined; *at;) {
        at += strspn(at, "/");
        size_t len = strcspn(at, "/");
        if (len > 0 && !(len == 1 && at[0] == '.')) {
            oc_buf_putc(&out, '/');
            oc_buf_append(&out, at, len);
        }
        at += len;
    }
    if (out.len == 0) {
        oc_buf_putc(&out, '/');
    }
    return oc_buf_take(&out);
}

static bool try_ending(const struct nd_search_command *c, struct nd_search *s, size_t i,
        const char *path, const char *ending) {
    OC_AUTO_FREE char *name = oc_strfmt("%s%s", path, ending);
    return nd_search_try_file(c, s, i, name);
}

/* As require() finds it: the first that is there. The endings of TypeScript are for newer versions
 * only, so that they count, but do not end the search. */
static bool try_endings(
        const struct nd_search_command *c, struct nd_search *s, size_t i, const char *path) {
    static const char *const endings[] = { ".js", ".json", ".node" };
    static const char *const newer[] = { ".cts", ".mts", ".ts" };
    for (size_t k = 0; k < OC_COUNT(endings); k++) {
        if (try_ending(c, s, i, path, endings[k])) {
            return true;
        }
    }
    for (size_t k = 0; k < OC_COUNT(newer); k++) {
        if (try_ending(c, s, i, path, newer[k])) {
            OC_AUTO_FREE char *name = oc_strfmt("%s%s", path, newer[k]);
            nd_search_not_bound(
                    s, name, "is run by some versions of node, and passed over by others");
        }
    }
    return false;
}

static bool try_index(
        const struct nd_search_command *c, struct nd_search *s, size_t i, const char *dir) {
    OC_AUTO_FREE char *index = oc_path_join(dir, "index");
    return try_endings(c, s, i, index);
}

static bool try_package(
        const struct nd_search_command *c, struct nd_search *s, size_t i, const char *dir) {
    OC_AUTO_FREE char *path = oc_path_join(dir, "package.json"), *main = NULL;
    struct nd_exec_reading how = nd_search_reading(s, MAX_PACKAGE_BYTES);
    if (!nd_search_try_file(c, s, i, path)) {
        return try_index(c, s, i, dir);
    }
    OC_AUTO_FREE char *json = nd_exec_read_text(path, &how);
    enum main_file says = json ? main_of(json, &main) : MAIN_UNCLEAR;
    OC_AUTO_FREE char *file = says == MAIN_NAMED ? exec_package_resolve(dir, main) : NULL;
    if (says == MAIN_UNCLEAR) {
        nd_search_not_bound(s, path, "is not plain, so which file is the main one is not known");
    }
    return (file && (nd_search_try_file(c, s, i, file) || try_endings(c, s, i, file) ||
                            try_index(c, s, i, file))) ||
           try_index(c, s, i, dir);
}

/* node takes the path by its text first: "app/", "app/." and "app" are the same, and "." is the
 * name of the directory that it stands in. Of that "app.js" comes before the directory "app". */
bool nd_search_try_main(const struct nd_search_command *c, struct nd_search *s, size_t i) {
    const char *name = c->argv.items[i];
    bool is_subcommand = strcmp(name, "inspect") == 0;
    OC_AUTO_FREE char *cwd = nd_exec_real(c->cwd ? c->cwd : ".");
    if (!name[0] || strstr(name, "..") || is_subcommand ||
            !cwd) { /* of no name it reads its input */
        return false;
    }
    OC_AUTO_FREE char *path = exec_package_resolve(cwd, name);
    return nd_search_try_file(c, s, i, path) || try_endings(c, s, i, path) ||
           try_package(c, s, i, path);
}
