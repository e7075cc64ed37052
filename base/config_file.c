#include "base/config_file.h"

#include "base/config_edit.h"
#include "base/config_parts.h"
#include "base/config_path.h"
#include "base/config_schema.h"
#include "base/file.h"
#include "base/json5_scan.h"
#include "base/mem.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

static void add_issue(struct oc_config_file *f, const struct oc_error *err) {
    cJSON *issue = cJSON_CreateObject();
    oc_json_set_str(issue, "path", "");
    oc_json_set_str(issue, "message", err->text);
    cJSON_AddItemToArray(f->issues, issue);
}

/* Where the value of a path stands in the main file, if it does. */
static const char *find_in_text(struct oc_slice text, const char *path) {
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    struct oc_error ignored;
    if (oc_config_path_parse(path, &parts, &ignored) != OC_OK) {
        return NULL;
    }
    struct oc_slice at = oc_json5_root(text);
    const char *found = NULL;
    for (size_t i = 0; i < parts.count; i++) {
        struct oc_json5_item item;
        if (!oc_json5_find(at, parts.items[i], &item)) {
            return NULL;
        }
        at = item.value;
        found = item.name.ptr ? item.name.ptr : item.value.ptr;
        oc_json5_item_finish(&item);
    }
    return found;
}

static void add_positions(cJSON *issues, struct oc_slice text) {
    cJSON *issue = NULL;
    cJSON_ArrayForEach(issue, issues) {
        const char *at = find_in_text(text, oc_json_get_str(issue, "path"));
        unsigned line, column;
        if (at) {
            oc_json5_position(text, at, &line, &column);
            oc_json_set_int(issue, "line", line);
            oc_json_set_int(issue, "column", column);
        }
    }
}

/* From the text to the config; the first step that fails ends it. */
static enum oc_code understand(struct oc_config_file *f, struct oc_error *err) {
    enum oc_code rc = oc_json5_parse(f->raw.data ? f->raw.data : "", f->raw.len, &f->parsed, err);
    if (rc == OC_OK && !cJSON_IsObject(f->parsed)) {
        rc = oc_fail(err, OC_E_INVALID, "line 1, column 1: the config must be one object { … }");
    }
    if (rc == OC_OK) {
        f->resolved = cJSON_Duplicate(f->parsed, true);
        rc = oc_config_include_listed(&f->resolved, f->path, &f->files, err);
    }
    if (rc == OC_OK) {
        f->config = cJSON_Duplicate(f->resolved, true);
        rc = oc_config_expand(f->config, err);
    }
    if (rc == OC_OK) {
        oc_config_check(f->config, f->issues, f->warnings);
        struct oc_slice text = { f->raw.data, f->raw.len };
        add_positions(f->issues, text);
        add_positions(f->warnings, text);
    }
    return rc;
}

/* Takes raw. */
static void fill(struct oc_config_file *f, bool exists, enum oc_code rc, struct oc_error *err) {
    f->exists = exists;
    if (exists && rc == OC_OK) {
        rc = understand(f, err);
    }
    if (rc != OC_OK) {
        add_issue(f, err);
    }
    cJSON **trees[] = { &f->parsed, &f->resolved, &f->config };
    for (size_t i = 0; i < OC_COUNT(trees); i++) {
        if (!cJSON_IsObject(*trees[i])) {
            cJSON_Delete(*trees[i]);
            *trees[i] = cJSON_CreateObject();
        }
    }
}

static void begin(const char *path, struct oc_config_file *ret) {
    *ret = (struct oc_config_file){ .path = oc_strdup(path) };
    ret->raw = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    ret->issues = cJSON_CreateArray();
    ret->warnings = cJSON_CreateArray();
    oc_strv_add(&ret->files, path);
}

void oc_config_file_read(const char *path, struct oc_config_file *ret) {
    begin(path, ret);
    struct oc_error err;
    enum oc_code rc = oc_file_read(path, OC_CONFIG_MAX_BYTES, &ret->raw, &err);
    fill(ret, rc != OC_E_NOT_FOUND, rc == OC_E_NOT_FOUND ? OC_OK : rc, &err);
}

void oc_config_file_from_text(const char *path, struct oc_slice text, struct oc_config_file *ret) {
    begin(path, ret);
    struct oc_error err;
    enum oc_code rc = oc_buf_append(&ret->raw, text.ptr, text.len);
    if (rc != OC_OK) {
        oc_fail(&err, rc, "the config is larger than %u bytes", OC_CONFIG_MAX_BYTES);
    }
    fill(ret, true, rc, &err);
}

void oc_config_file_finish(struct oc_config_file *f) {
    oc_free(f->path);
    if (f->raw.data) {
        explicit_bzero(f->raw.data, f->raw.len);
    }
    oc_buf_finish(&f->raw);
    cJSON_Delete(f->parsed);
    cJSON_Delete(f->resolved);
    cJSON_Delete(f->config);
    cJSON_Delete(f->issues);
    cJSON_Delete(f->warnings);
    oc_strv_finish(&f->files);
    *f = (struct oc_config_file){ 0 };
}

char *oc_config_issue_text(const cJSON *issue) {
    const char *path = oc_json_get_str(issue, "path"), *message = oc_json_get_str(issue, "message");
    int64_t line = oc_json_get_int(issue, "line", 0), column = oc_json_get_int(issue, "column", 0);
    OC_AUTO_FREE char *shown = oc_printable(path ? path : "", path ? strlen(path) : 0, 120);
    OC_AUTO_FREE char *where =
            line > 0 ? oc_strfmt("line %lld, column %lld: ", (long long)line, (long long)column)
                     : oc_strdup("");
    return oc_strfmt("%s%s%s%s", where, shown, *shown ? " " : "", message ? message : "");
}

enum oc_code oc_config_file_verdict(const struct oc_config_file *f, struct oc_error *err) {
    if (!f->issues->child) {
        return OC_OK;
    }
    OC_AUTO_FREE char *text = oc_config_issue_text(f->issues->child);
    return oc_fail(err, OC_E_INVALID, "config '%s': %s", f->path, text);
}

enum oc_code oc_config_file_write(
        const char *path, const struct oc_buf *text, struct oc_error *err) {
    char *real = realpath(path, NULL);
    OC_AUTO_FREE char *target = oc_strdup(real ? real : path);
    free(real);
    OC_AUTO_FREE char *copy = oc_strdup(target);
    enum oc_code rc = oc_dir_ensure_private(dirname(copy), err);
    return rc == OC_OK ? oc_file_write_private(target, text->data ? text->data : "", text->len, err)
                       : rc;
}
