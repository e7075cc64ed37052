#include "lib/base/utf8.h"
#include "lib/json/json.h"
#include "lib/json/json_scan.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static bool valid_bytewise(const char *text, size_t len) {
    struct oc_json_check c;
    oc_json_check_init(&c, OC_JSON_MAX_DEPTH);
    for (size_t i = 0; i < len; i++) {
        if (!oc_json_check_feed(&c, text + i, 1)) {
            return false;
        }
    }
    return oc_json_check_end(&c);
}

/* Printing loses nothing: what is printed parses, and prints the same again. */
static void print_is_stable(const cJSON *v) {
    OC_AUTO_FREE char *once = oc_json_print(v, false);
    OC_AUTO_FREE char *pretty = oc_json_print(v, true);
    OC_AUTO_JSON cJSON *from_once = NULL, *from_pretty = NULL;
    CHECK(oc_json_parse(once, strlen(once), &from_once, NULL) == OC_OK);
    CHECK(oc_json_parse(pretty, strlen(pretty), &from_pretty, NULL) == OC_OK);
    OC_AUTO_FREE char *twice = oc_json_print(from_once, false);
    OC_AUTO_FREE char *thrice = oc_json_print(from_pretty, false);
    CHECK(strcmp(once, twice) == 0);
    CHECK(strcmp(once, thrice) == 0);
}

/* The walk over the text sees the members the tree has. */
static void walk_agrees(struct oc_slice text, const cJSON *tree) {
    struct oc_json_value root = oc_json_root(text);
    CHECK(cJSON_IsObject(tree) == (root.kind == OC_JK_OBJECT));
    if (root.kind != OC_JK_OBJECT) {
        return;
    }
    struct oc_json_cursor c = { 0 };
    struct oc_json_member m;
    const cJSON *child = tree->child;
    while (oc_json_next(root.raw, &c, &m)) {
        CHECK(child);
        OC_AUTO_FREE char *key = oc_json_unescape(m.key, text.len);
        CHECK(key && strcmp(key, child->string) == 0);
        CHECK(cJSON_IsString(child) == (m.value.kind == OC_JK_STRING));
        if (cJSON_IsString(child)) {
            OC_AUTO_FREE char *value = oc_json_unescape(oc_json_body(m.value), text.len);
            CHECK(value && strcmp(value, child->valuestring) == 0);
        }
        struct oc_json_value found;
        CHECK(oc_json_find(root.raw, child->string, &found) && found.raw.ptr == m.value.raw.ptr);
        child = child->next;
    }
    CHECK(!child);
}

static void escaping_is_reversible(struct oc_slice text, bool is_valid) {
    OC_AUTO_BUF struct oc_buf quoted = OC_BUF_INIT(SIZE_MAX / 2), back = OC_BUF_INIT(SIZE_MAX / 2);
    CHECK(oc_json_append_string(&quoted, text.ptr, text.len) == OC_OK);
    struct oc_slice body = { quoted.data + 1, quoted.len - 2 };
    CHECK(oc_json_unescape_append(&back, body) == OC_OK);
    if (!oc_utf8_valid(text.ptr, text.len)) {
        CHECK(oc_utf8_valid(back.data, back.len)); /* repaired, so there is no way back */
        return;
    }
    CHECK(back.len == text.len && memcmp(back.data, text.ptr, text.len) == 0);
    CHECK(oc_json_valid_escaped(body, OC_JSON_MAX_DEPTH, SIZE_MAX) == is_valid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct oc_slice text = { size ? (const char *)data : "", size };
    bool is_valid = oc_json_valid(text.ptr, text.len, OC_JSON_MAX_DEPTH);
    CHECK(is_valid == valid_bytewise(text.ptr, text.len));
    escaping_is_reversible(text, is_valid);

    OC_AUTO_JSON cJSON *strict = NULL, *loose = NULL;
    if (oc_json_parse(text.ptr, text.len, &strict, NULL) == OC_OK) {
        CHECK(is_valid);
        print_is_stable(strict);
        walk_agrees(text, strict);
    }
    if (oc_json5_parse(text.ptr, text.len, &loose, NULL) == OC_OK) {
        print_is_stable(loose);
    }
    oc_free(oc_json_unescape(text, 64)); /* any bytes: must only not crash */
    return 0;
}
