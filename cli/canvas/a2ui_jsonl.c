#include "cli/canvas/a2ui_jsonl.h"

#include "lib/a2ui/a2ui.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/json/json.h"
#include "lib/json/json_scan.h"

#include <stdio.h>
#include <string.h>

#define MAX_REPORT ((size_t)256 * 1024)

struct report {
    struct oc_buf errors;
    size_t messages, old, fresh; /* v0.8, v0.9 */
};

static size_t find_fault(struct oc_slice line, bool *ret_has_ended) {
    struct oc_json_check c;
    size_t i = 0;
    oc_json_check_init(&c, OC_JSON_MAX_DEPTH);
    while (i < line.len && oc_json_check_feed(&c, line.ptr + i, 1)) {
        i++;
    }
    *ret_has_ended = i == line.len && oc_json_check_end(&c);
    return i;
}

/* Where it stops to be JSON, in the words of `canvas check`; what else is wrong with it is why. */
static void say_syntax(struct report *r, const struct oc_a2ui_reader *reader, struct oc_slice line,
        const struct oc_error *why) {
    bool has_ended;
    size_t at = find_fault(line, &has_ended), number = reader->line, column = 0;
    char what[40] = "", where[40] = "";
    if (!has_ended && at == line.len) {
        snprintf(what, sizeof(what), "unexpected end of JSON");
    } else if (!has_ended && line.ptr[at] > ' ' && line.ptr[at] <= '~') {
        snprintf(what, sizeof(what), "unexpected '%c'", line.ptr[at]);
    }
    if (reader->is_lines && !has_ended) {
        snprintf(where, sizeof(where), " at position %zu", at);
    } else if (!reader->is_lines && r->errors.len == 0) {
        oc_a2ui_place(reader, line.ptr + at, &number, &column);
    }
    (void)oc_buf_printf(&r->errors, "\n- line %zu", number);
    if (column > 0) {
        (void)oc_buf_printf(&r->errors, ", column %zu", column);
    }
    (void)oc_buf_printf(&r->errors, ": SyntaxError: %s%s", *what ? what : why->text, where);
}

/* A version is of A2UI v0.9. False, and told: it does not go here. */
static bool check_version(struct report *r, size_t number, const cJSON *o, bool is_fresh) {
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(o, "version");
    if (!version) {
        return true;
    }
    OC_AUTO_FREE char *text = oc_json_print(version, false);
    if (strcmp(text, "\"v0.8\"") == 0) {
        (void)oc_buf_printf(&r->errors,
                "\n- line %zu: A2UI v0.8 messages must not include a version field", number);
    } else if (strcmp(text, "\"v0.9\"") != 0) {
        (void)oc_buf_printf(
                &r->errors, "\n- line %zu: unsupported A2UI version: %.80s", number, text);
    } else if (is_fresh) {
        return true; /* the file is told of as a whole */
    } else {
        (void)oc_buf_printf(&r->errors,
                "\n- line %zu: A2UI v0.9 message (version); OpenClaw currently supports v0.8 only",
                number);
    }
    return false;
}

static bool has_key(const void *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key) != NULL;
}

static void check_message(
        struct report *r, const struct oc_a2ui_reader *reader, struct oc_slice line) {
    size_t number = reader->line;
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    enum oc_code rc = oc_json_parse(line.ptr, line.len, &o, &err);
    /* cJSON has no NUL in strings; the canvas shows it as U+FFFD, so it is none of our business. */
    if (rc != OC_OK && !memmem(line.ptr, line.len, "\\u0000", 6)) {
        say_syntax(r, reader, line, &err);
        return;
    }
    if (rc != OC_OK) {
        r->messages++;
        r->old++;
        return;
    }
    if (!cJSON_IsObject(o)) {
        (void)oc_buf_printf(&r->errors, "\n- line %zu: expected JSON object", number);
        return;
    }
    struct oc_a2ui_keys keys = oc_a2ui_keys_of(o, has_key);
    bool is_fresh = keys.creates_surface;
    if (!check_version(r, number, o, is_fresh)) {
        return;
    }
    if (keys.kinds + is_fresh != 1) {
        (void)oc_buf_printf(&r->errors,
                "\n- line %zu: expected exactly one action key (beginRendering, surfaceUpdate, "
                "dataModelUpdate, deleteSurface, createSurface)",
                number);
        return;
    }
    r->messages++;
    r->fresh += is_fresh;
    r->old += !is_fresh;
}

enum oc_code cli_a2ui_jsonl_check(
        const char *text, size_t len, size_t *ret_count, char **ret_text) {
    struct report r = { .errors = OC_BUF_INIT(MAX_REPORT) };
    struct oc_a2ui_reader reader;
    struct oc_slice message;
    oc_a2ui_begin(&reader, text, len);
    while (oc_a2ui_next(&reader, &message)) {
        check_message(&r, &reader, message);
    }
    if (r.errors.len == 0 && r.messages == 0) {
        (void)oc_buf_puts(&r.errors, "\n- " OC_A2UI_EMPTY);
    }
    if (r.old > 0 && r.fresh > 0) {
        (void)oc_buf_puts(&r.errors, "\n- mixed A2UI v0.8 and v0.9 messages in one file");
    }
    OC_AUTO_FREE char *errors = oc_buf_take(&r.errors);
    if (*errors) {
        *ret_text = oc_strfmt("Invalid A2UI JSON%s:%s", reader.is_lines ? "L" : "", errors);
        return OC_E_INVALID;
    }
    if (r.fresh > 0) {
        *ret_text = oc_strdup("Detected A2UI v0.9 JSONL (createSurface). OpenClaw currently "
                              "supports v0.8 only.");
        return OC_E_UNSUPPORTED;
    }
    *ret_count = r.messages;
    return OC_OK;
}

char *cli_a2ui_jsonl_of(const char *text, size_t len) {
    struct oc_buf lines = OC_BUF_INIT(len + len / 2 + 16); /* "[7,7,7]" grows by a half */
    struct oc_a2ui_reader reader;
    struct oc_slice message;
    oc_a2ui_begin(&reader, text, len);
    while (oc_a2ui_next(&reader, &message)) {
        (void)oc_a2ui_put_line(&lines, message);
    }
    if (reader.is_lines && !reader.has_arrays) { /* as it is */
        oc_buf_clear(&lines);
        (void)oc_buf_append(&lines, text, len);
    }
    return oc_buf_take(&lines);
}

char *cli_a2ui_jsonl_of_text(const char *text) {
    struct oc_buf b = OC_BUF_INIT(6 * strlen(text) + 4096);
    (void)oc_buf_puts(&b,
            "{\"surfaceUpdate\":{\"surfaceId\":\"main\",\"components\":[{\"id\":\"root\","
            "\"component\":{\"Column\":{\"children\":{\"explicitList\":[\"text\"]}}}},{\"id\":"
            "\"text\",\"component\":{\"Text\":{\"text\":{\"literalString\":");
    (void)oc_json_append_string(&b, text, strlen(text));
    (void)oc_buf_puts(&b, "},\"usageHint\":\"body\"}}}]}}\n{\"beginRendering\":{\"surfaceId\":"
                          "\"main\",\"root\":\"root\"}}");
    return oc_buf_take(&b);
}
