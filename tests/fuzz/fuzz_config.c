/* A config text that an administrator sends or an owner wrote: what the scanner makes of it must be
 * what the parser makes of it, and no edit may do anything but itself. */
#include "lib/base/mem.h"
#include "lib/config/config_edit.h"
#include "lib/config/config_path.h"
#include "lib/config/config_redact.h"
#include "lib/config/config_schema.h"
#include "lib/json/json5_scan.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static cJSON *parse(struct oc_slice s) {
    cJSON *v = NULL;
    return oc_json5_parse(s.ptr, s.len, &v, NULL) == OC_OK ? v : NULL;
}

static void walk_agrees(struct oc_slice value, const cJSON *tree) {
    OC_AUTO_JSON cJSON *again = parse(value);
    CHECK(again && cJSON_Compare(again, tree, true));
    struct oc_json5_cursor c = { 0 };
    struct oc_json5_item item;
    const cJSON *child = tree->child;
    while (oc_json5_next(value, &c, &item)) {
        CHECK(child);
        CHECK(cJSON_IsObject(tree) ? strcmp(item.key, child->string) == 0 : !item.key);
        walk_agrees(item.value, child);
        oc_json5_item_finish(&item);
        child = child->next;
    }
    CHECK(!child);
}

static void secrets_come_back(struct oc_slice text, const cJSON *tree) {
    if (memmem(text.ptr, text.len, "REDACTED", 8)) {
        return; /* the word itself stands for nothing */
    }
    OC_AUTO_BUF struct oc_buf shown = OC_BUF_INIT(2 * OC_CONFIG_MAX_BYTES);
    oc_buf_append(&shown, text.ptr, text.len);
    oc_config_redact_text(&shown);
    OC_AUTO_JSON cJSON *hidden = parse((struct oc_slice){ shown.data, shown.len });
    OC_AUTO_JSON cJSON *expected = cJSON_Duplicate(tree, true);
    oc_config_redact(expected);
    CHECK(hidden && cJSON_Compare(hidden, expected, true));
    CHECK(oc_config_restore_text(&shown, text, NULL) == OC_OK);
    CHECK(shown.len == text.len && memcmp(shown.data, text.ptr, text.len) == 0);
}

/* Edits check themselves; one that succeeds must be readable back, one that fails must change
 * nothing. */
static void edits_do_one_thing(struct oc_slice text, const cJSON *tree) {
    static const char *const paths[] = { "gateway.port", "a", "a.b[0].c", "[\"x y\"]" };
    OC_AUTO_JSON cJSON *value = parse((struct oc_slice){ "{n:[1,'t']}", 11 });
    for (size_t i = 0; i < OC_COUNT(paths); i++) {
        OC_AUTO_STRV struct oc_strv path = { 0 };
        CHECK(oc_config_path_parse(paths[i], &path, NULL) == OC_OK);
        OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
        oc_buf_append(&b, text.ptr, text.len);
        struct oc_error err;
        enum oc_code rc = oc_config_edit_set(&b, tree, &path, value, &err);
        CHECK(rc != OC_E_INTERNAL);
        if (rc == OC_OK) {
            OC_AUTO_JSON cJSON *now = parse((struct oc_slice){ b.data, b.len });
            CHECK(cJSON_Compare(oc_config_path_get(now, &path, path.count), value, true));
            CHECK(oc_config_edit_unset(&b, now, &path, &err) == OC_OK);
        } else {
            CHECK(b.len == text.len && memcmp(b.data, text.ptr, text.len) == 0);
        }
    }
    if (tree->child && tree->child->string[0]) {
        char *name = tree->child->string;
        struct oc_strv path = { &name, 1 };
        OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
        oc_buf_append(&b, text.ptr, text.len);
        CHECK(oc_config_edit_unset(&b, tree, &path, NULL) == OC_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct oc_slice text = { size ? (const char *)data : "", size };
    OC_AUTO_JSON cJSON *tree = parse(text);
    if (!tree) {
        return 0;
    }
    walk_agrees(oc_json5_root(text), tree);
    if (!cJSON_IsObject(tree)) {
        return 0;
    }
    secrets_come_back(text, tree);
    edits_do_one_thing(text, tree);
    OC_AUTO_JSON cJSON *errors = cJSON_CreateArray(), *warnings = cJSON_CreateArray();
    oc_config_check(tree, errors, warnings);
    return 0;
}
