#include "lib/config/config_file.h"

#include "lib/base/mem.h"
#include "lib/config/config_edit.h"
#include "lib/config/config_parts.h"
#include "lib/config/config_path.h"
#include "lib/config/config_place.h"
#include "lib/config/config_schema.h"
#include "lib/files/file.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

static cJSON *add_issue(cJSON *to, const char *path, const char *message) {
    cJSON *issue = cJSON_CreateObject();
    oc_json_set_str(issue, "path", path);
    oc_json_set_str(issue, "message", message);
    cJSON_AddItemToArray(to, issue);
    return issue;
}

/* file: an included one; NULL: none. */
static void add_fault(
        struct oc_config_file *f, const char *file, const struct oc_json5_fault *fault) {
    cJSON *issue = add_issue(f->issues, "", fault->why);
    oc_json_set_int(issue, "line", fault->line);
    oc_json_set_int(issue, "column", fault->column);
    oc_json_set_str(issue, "file", file);
}

static void place_issue(const struct oc_config_file *f, cJSON *issue) {
    const char *path = oc_json_get_str(issue, "path");
    OC_AUTO_STRV struct oc_strv parts = { 0 };
    struct oc_config_place place;
    struct oc_error ignored;
    if (oc_str_blank(path) || oc_config_path_parse(path, &parts, &ignored) != OC_OK ||
            !oc_config_place_find(
                    f->path, (struct oc_slice){ f->raw.data, f->raw.len }, &parts, &place)) {
        return;
    }
    oc_json_set_int(issue, "line", place.line);
    oc_json_set_int(issue, "column", place.column);
    oc_json_set_str(issue, "file", oc_streq(place.file, f->path) ? NULL : place.file);
    oc_free(place.file);
}

void oc_config_file_add(
        const struct oc_config_file *f, cJSON *to, const char *path, const char *message) {
    place_issue(f, add_issue(to, path, message));
}

static void add_positions(const struct oc_config_file *f, cJSON *issues) {
    cJSON *issue = NULL;
    cJSON_ArrayForEach(issue, issues) {
        place_issue(f, issue);
    }
}

static bool config_file_include(struct oc_config_file *f) {
    struct oc_config_fault fault;
    struct oc_error err;
    f->resolved = cJSON_Duplicate(f->parsed, true);
    enum oc_code rc = oc_config_include(&f->resolved, f->path, &f->files, &fault, &err);
    if (fault.file) {
        add_fault(f, fault.file, &fault.at);
    } else if (rc != OC_OK) {
        add_issue(f->issues, "", err.text);
    }
    oc_free(fault.file);
    return rc == OC_OK;
}

/* From the text to the config; the first step that fails ends it. */
static bool config_file_understand(struct oc_config_file *f) {
    struct oc_json5_fault fault;
    if (!oc_json5_parse_at(f->raw.data ? f->raw.data : "", f->raw.len, &f->parsed, &fault)) {
        add_fault(f, NULL, &fault);
        return false;
    }
    if (!config_file_include(f)) {
        return false;
    }
    if (!cJSON_IsObject(f->resolved)) {
        add_fault(f, NULL, &(struct oc_json5_fault){ 1, 1, "the config must be one object { … }" });
        return false;
    }
    struct oc_error err;
    f->config = cJSON_Duplicate(f->resolved, true);
    OC_AUTO_FREE char *where = NULL;
    bool is_expanded = oc_config_expand_at(f->config, &where, &err) == OC_OK;
    if (is_expanded) {
        oc_config_check(f->config, f->issues, f->warnings);
    } else {
        add_issue(f->issues, where, err.text);
    }
    add_positions(f, f->issues);
    add_positions(f, f->warnings);
    return is_expanded;
}

/* Takes raw. */
static void config_file_fill(
        struct oc_config_file *f, bool exists, enum oc_code rc, struct oc_error *err) {
    f->exists = exists;
    if (rc != OC_OK) {
        add_issue(f->issues, "", err->text);
    }
    f->is_readable = rc == OC_OK && (!exists || config_file_understand(f));
    if (!f->is_readable) {
        cJSON_Delete(f->config); /* half done */
        f->config = NULL;
    }
    cJSON **trees[] = { &f->parsed, &f->resolved, &f->config };
    for (size_t i = 0; i < OC_COUNT(trees); i++) {
        if (!cJSON_IsObject(*trees[i])) {
            cJSON_Delete(*trees[i]);
            *trees[i] = cJSON_CreateObject();
        }
    }
}

static void config_file_begin(const char *path, struct oc_config_file *ret) {
    *ret = (struct oc_config_file){ .path = oc_strdup(path) };
    ret->raw = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    ret->issues = cJSON_CreateArray();
    ret->warnings = cJSON_CreateArray();
    oc_strv_add(&ret->files, path);
}

void oc_config_file_read(const char *path, struct oc_config_file *ret) {
    config_file_begin(path, ret);
    struct oc_error err;
    enum oc_code rc = oc_file_read(path, OC_CONFIG_MAX_BYTES, &ret->raw, &err);
    OC_AUTO_FREE char *old = rc == OC_E_NOT_FOUND ? oc_path_ancestor_config(path) : NULL;
    if (old) {
        rc = oc_file_read(old, OC_CONFIG_MAX_BYTES, &ret->raw, &err);
        oc_strv_add(&ret->files, old);
        oc_free(ret->path);
        ret->path = oc_take(&old);
        ret->is_ancestor = true;
    }
    config_file_fill(ret, rc != OC_E_NOT_FOUND, rc == OC_E_NOT_FOUND ? OC_OK : rc, &err);
}

void oc_config_file_from_text(const char *path, struct oc_slice text, struct oc_config_file *ret) {
    config_file_begin(path, ret);
    struct oc_error err;
    enum oc_code rc = oc_buf_append(&ret->raw, text.ptr, text.len);
    if (rc != OC_OK) {
        oc_fail(&err, rc, "the config is larger than %u bytes", OC_CONFIG_MAX_BYTES);
    }
    config_file_fill(ret, true, rc, &err);
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
    int64_t line = oc_json_get_int(issue, "line", 0, INT32_MAX, 0),
            column = oc_json_get_int(issue, "column", 0, INT32_MAX, 0);
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
    return oc_fail(
            err, OC_E_INVALID, "config '%s': %s", oc_config_issue_file(f, f->issues->child), text);
}

const char *oc_config_issue_file(const struct oc_config_file *f, const cJSON *issue) {
    const char *file = oc_json_get_str(issue, "file");
    return file ? file : f->path;
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
