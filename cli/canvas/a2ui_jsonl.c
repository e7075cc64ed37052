#include "cli/canvas/a2ui_jsonl.h"

#include "lib/a2ui/a2ui.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/json/json.h"
#include "lib/json/json_scan.h"

#include <string.h>

#define MAX_REPORT ((size_t)256 * 1024)

struct report {
    struct oc_buf errors;
    size_t messages, old, fresh; /* v0.8, v0.9 */
};

/* Where it stops to be JSON, in the words of `canvas check`; what else is wrong with it is why. */
static void say_syntax(
        struct report *r, size_t number, struct oc_slice line, const struct oc_error *why) {
    struct oc_json_check c;
    size_t i = 0;
    oc_json_check_init(&c, OC_JSON_MAX_DEPTH);
    while (i < line.len && oc_json_check_feed(&c, line.ptr + i, 1)) {
        i++;
    }
    if (i == line.len && oc_json_check_end(&c)) {
        (void)oc_buf_printf(&r->errors, "\n- line %zu: SyntaxError: %s", number, why->text);
    } else if (i == line.len) {
        (void)oc_buf_printf(&r->errors,
                "\n- line %zu: SyntaxError: unexpected end of JSON at position %zu", number, i);
    } else if (line.ptr[i] > ' ' && line.ptr[i] <= '~') {
        (void)oc_buf_printf(&r->errors,
                "\n- line %zu: SyntaxError: unexpected '%c' at position %zu", number, line.ptr[i],
                i);
    } else {
        (void)oc_buf_printf(
                &r->errors, "\n- line %zu: SyntaxError: %s at position %zu", number, why->text, i);
    }
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

static void check_line(struct report *r, size_t number, struct oc_slice line) {
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error err;
    enum oc_code rc = oc_json_parse(line.ptr, line.len, &o, &err);
    /* cJSON has no NUL in strings; the canvas shows it as U+FFFD, so it is none of our business. */
    if (rc != OC_OK && !memmem(line.ptr, line.len, "\\u0000", 6)) {
        say_syntax(r, number, line, &err);
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
        const char *jsonl, size_t len, size_t *ret_count, char **ret_text) {
    struct report r = { .errors = OC_BUF_INIT(MAX_REPORT) };
    struct oc_a2ui_lines lines = { .at = jsonl, .end = jsonl + len };
    struct oc_slice line;
    while (oc_a2ui_next_line(&lines, &line)) {
        check_line(&r, lines.number, line);
    }
    if (r.errors.len == 0 && r.messages == 0) {
        (void)oc_buf_puts(&r.errors, "\n- " OC_A2UI_EMPTY);
    }
    if (r.old > 0 && r.fresh > 0) {
        (void)oc_buf_puts(&r.errors, "\n- mixed A2UI v0.8 and v0.9 messages in one file");
    }
    OC_AUTO_FREE char *errors = oc_buf_take(&r.errors);
    if (*errors) {
        *ret_text = oc_strfmt("Invalid A2UI JSONL:%s", errors);
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
