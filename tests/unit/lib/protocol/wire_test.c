/* Replays the frames that real peers exchanged (tests/wire): what we decode and encode again says
 * the same. */
#include "tests/unit/unit.h"

#include "lib/files/file.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/frame.h"
#include "lib/protocol/invoke.h"
#include "tests/any_int.h"

#define MAX_FILE (4u << 20)

typedef void on_frame(struct oc_slice text, const cJSON *tree, const struct oc_frame *frame);

static size_t replayed;

static void each_line(const char *name, on_frame *fn) {
    OC_AUTO_FREE char *path = oc_strfmt("%s/wire/%s", OC_TEST_DIR, name);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    assert_int_equal(oc_file_read(path, MAX_FILE, &text, NULL), OC_OK);
    for (char *line = text.data, *end; (end = strchr(line, '\n')); line = end + 1) {
        struct oc_slice slice = { line, (size_t)(end - line) };
        assert_true(oc_json_valid(slice.ptr, slice.len, 64));
        struct oc_json_value v;
        assert_true(oc_json_find(slice, "frame", &v));
        OC_AUTO_JSON cJSON *tree = NULL;
        assert_int_equal(oc_json_parse(v.raw.ptr, v.raw.len, &tree, NULL), OC_OK);
        struct oc_frame frame;
        struct oc_error err = { 0 };
        if (oc_frame_decode(v.raw, &frame, &err) != OC_OK) {
            fail_msg("%s: %.*s", err.text, (int)v.raw.len, v.raw.ptr);
        }
        fn(v.raw, tree, &frame);
        oc_frame_finish(&frame);
        replayed++;
    }
}

static void all(on_frame *fn) {
    replayed = 0;
    each_line("2026.2.26.jsonl", fn);
    each_line("2026.9.6.jsonl", fn);
    each_line("mixed.jsonl", fn);
    assert_true(replayed > 300);
}

static cJSON *parse_slice(struct oc_slice s) {
    cJSON *v = NULL;
    if (s.len > 0) {
        assert_int_equal(oc_json_parse(s.ptr, s.len, &v, NULL), OC_OK);
    }
    return v;
}

static void encode_again(struct oc_slice text, const cJSON *tree, const struct oc_frame *f) {
    (void)text;
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_FILE);
    OC_AUTO_JSON cJSON *body = parse_slice(f->body), *error = parse_slice(f->error);
    const cJSON *version = oc_json_get(tree, "stateVersion");
    switch (f->type) {
    case OC_FRAME_REQ:
        oc_frame_put_req(&out, f->id, f->name, body);
        break;
    case OC_FRAME_RES:
        if (f->ok) {
            oc_frame_put_res(&out, f->id, body);
        } else {
            oc_frame_put_res_error(&out, f->id, error);
        }
        break;
    case OC_FRAME_EVENT:
        oc_frame_put_event(&out, f->name, body, f->seq, any_int(version, "presence", -1),
                any_int(version, "health", -1));
        break;
    }
    assert_false(out.failed);
    OC_AUTO_JSON cJSON *again = NULL;
    assert_int_equal(oc_json_parse(out.data, out.len, &again, NULL), OC_OK);
    if (!cJSON_Compare(tree, again, true)) {
        fail_msg("%.*s\nbecame\n%s", (int)text.len, text.ptr, out.data);
    }
}

static void frames_survive(void **state) {
    (void)state;
    all(encode_again);
}

/* cJSON_Compare ignores nothing but the order of keys; printing compares numbers to the last digit
 * too. */
static void print_again(struct oc_slice text, const cJSON *tree, const struct oc_frame *f) {
    (void)f;
    OC_AUTO_FREE char *printed = oc_json_print(tree, false);
    assert_int_equal(strlen(printed), text.len);
    assert_memory_equal(printed, text.ptr, text.len);
}

static void trees_print_as_they_came(void **state) {
    (void)state;
    all(print_again);
}

static struct { size_t p3, p4, nodes, hellos, requests, results, calls; } seen;

/* Keys of params that 2026.2.26 knows; the rest of a newer peer's is dropped on purpose. */
static void compare_known(const cJSON *sent, const cJSON *again) {
    const cJSON *member;
    cJSON_ArrayForEach(member, again) {
        const cJSON *original = cJSON_GetObjectItemCaseSensitive(sent, member->string);
        if (strcmp(member->string, "client") == 0) {
            compare_known(original, member);
        } else if (!cJSON_Compare(original, member, true)) {
            fail_msg("connect member '%s' changed", member->string);
        }
    }
    cJSON_ArrayForEach(member, sent) {
        if (!cJSON_GetObjectItemCaseSensitive(again, member->string)) {
            fail_msg("connect member '%s' got lost", member->string);
        }
    }
}

static void one_connect(struct oc_slice text, const cJSON *tree, const struct oc_frame *f) {
    (void)text;
    if (f->type != OC_FRAME_REQ || strcmp(f->name, "connect") != 0) {
        return;
    }
    const cJSON *params = oc_json_get(tree, "params");
    struct oc_connect c;
    struct oc_error err = { 0 };
    if (oc_connect_decode(params, &c, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    OC_AUTO_JSON cJSON *again = oc_connect_encode(&c);
    compare_known(params, again);
    int version = oc_protocol_choose(c.min_protocol, c.max_protocol);
    seen.p3 += version == 3;
    seen.p4 += version == 4;
    seen.nodes += strcmp(c.role, "node") == 0;
    oc_connect_finish(&c);
}

static void connects_of_both_versions(void **state) {
    (void)state;
    memset(&seen, 0, sizeof(seen));
    all(one_connect);
    assert_true(seen.p3 > 2 && seen.p4 > 2 && seen.nodes > 2);
}

static void one_hello(struct oc_slice text, const cJSON *tree, const struct oc_frame *f) {
    (void)text;
    const cJSON *payload = oc_json_get(tree, "payload");
    if (f->type != OC_FRAME_RES || !oc_json_get_str(payload, "type")) {
        return;
    }
    struct oc_hello h;
    assert_int_equal(oc_hello_decode(payload, &h, NULL), OC_OK);
    assert_true(h.protocol == any_int(payload, "protocol", 0));
    const char *token = oc_json_get_str(oc_json_get(payload, "auth"), "deviceToken");
    assert_ptr_equal(h.device_token, token);
    seen.hellos++;
    oc_hello_finish(&h);
}

static void hellos_of_both_versions(void **state) {
    (void)state;
    memset(&seen, 0, sizeof(seen));
    all(one_hello);
    assert_true(seen.hellos > 5);
}

static void one_invoke(struct oc_slice text, const cJSON *tree, const struct oc_frame *f) {
    (void)text;
    const cJSON *params = oc_json_get(tree, f->type == OC_FRAME_REQ ? "params" : "payload");
    if (f->type == OC_FRAME_EVENT && strcmp(f->name, "node.invoke.request") == 0) {
        struct oc_invoke_request r;
        assert_int_equal(oc_invoke_request_decode(f->body, &r, NULL), OC_OK);
        assert_string_equal(r.command, oc_json_get_str(params, "command"));
        const char *json = oc_json_get_str(params, "paramsJSON");
        assert_true(!json == !r.params_json);
        if (json && r.params_json) {
            assert_string_equal(r.params_json->data, json);
        }
        assert_true(r.timeout_ms == any_int(params, "timeoutMs", -1));
        oc_invoke_request_finish(&r);
        seen.requests++;
    } else if (f->type == OC_FRAME_REQ && strcmp(f->name, "node.invoke.result") == 0) {
        struct oc_invoke_result r;
        assert_int_equal(oc_invoke_result_decode(f->body, &r, NULL), OC_OK);
        assert_true(r.ok == oc_json_get_bool(params, "ok", !r.ok));
        const char *json = oc_json_get_str(params, "payloadJSON");
        assert_true(r.has_payload_json == (json != NULL));
        if (json) {
            OC_AUTO_FREE char *unescaped = oc_json_unescape(r.payload_json_body, MAX_FILE);
            assert_string_equal(unescaped, json);
            assert_true(oc_json_valid_escaped(r.payload_json_body, 64, SIZE_MAX) ==
                        oc_json_valid(json, strlen(json), 64));
        }
        const char *code = oc_json_get_str(oc_json_get(params, "error"), "code");
        assert_true(!code == !r.error_code);
        oc_invoke_result_finish(&r);
        seen.results++;
    } else if (f->type == OC_FRAME_REQ && strcmp(f->name, "node.invoke") == 0) {
        struct oc_invoke_call c;
        assert_int_equal(oc_invoke_call_decode(f->body, &c, NULL), OC_OK);
        OC_AUTO_JSON cJSON *inner = parse_slice(c.params);
        const cJSON *sent = oc_json_get(params, "params");
        assert_true(sent ? cJSON_Compare(inner, sent, true) : !inner);
        oc_invoke_call_finish(&c);
        seen.calls++;
    }
}

static void invokes(void **state) {
    (void)state;
    memset(&seen, 0, sizeof(seen));
    all(one_invoke);
    assert_true(seen.requests > 20 && seen.results > 20 && seen.calls > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_survive),
        cmocka_unit_test(trees_print_as_they_came),
        cmocka_unit_test(connects_of_both_versions),
        cmocka_unit_test(hellos_of_both_versions),
        cmocka_unit_test(invokes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
