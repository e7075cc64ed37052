#include "lib/protocol/frame.h"
#include "lib/protocol/invoke.h"
#include "lib/protocol/limits.h"
#include "tests/fuzz/fuzz.h"

#include "lib/json/json_scan.h"

#include <string.h>

static void decode_invokes(struct oc_slice body) {
    struct oc_invoke_call call;
    struct oc_invoke_request request;
    struct oc_invoke_result result;
    struct oc_error err;
    if (oc_invoke_call_decode(body, &call, &err) == OC_OK) {
        CHECK(*call.node_id && *call.command && *call.idempotency_key && call.timeout_ms >= -1);
    }
    if (oc_invoke_request_decode(body, &request, &err) == OC_OK) {
        CHECK(*request.id && *request.node_id && *request.command);
    }
    if (oc_invoke_result_decode(body, &result, &err) == OC_OK) {
        CHECK(*result.id && *result.node_id);
        if (result.has_payload_json) {
            (void)oc_json_valid_escaped(result.payload_json_body, OC_MAX_FRAME_DEPTH, SIZE_MAX);
        }
    }
    oc_invoke_call_finish(&call);
    oc_invoke_request_finish(&request);
    oc_invoke_result_finish(&result);
}

static void encode(const struct oc_frame *f, const cJSON *body, struct oc_buf *out) {
    switch (f->type) {
    case OC_FRAME_REQ:
        oc_frame_put_req(out, f->id, f->name, body);
        break;
    case OC_FRAME_RES:
        oc_frame_put_res(out, f->id, body);
        break;
    case OC_FRAME_EVENT:
        oc_frame_put_event(out, f->name, body, f->seq, -1, -1);
        break;
    }
}

/* What we send is a frame of the same kind, id and name. */
static void round_trip(const struct oc_frame *f) {
    OC_AUTO_JSON cJSON *body = NULL;
    if (oc_frame_parse_body(f, OC_MAX_REQUEST_BYTES, &body, NULL) != OC_OK) {
        return;
    }
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(SIZE_MAX / 2);
    encode(f, body, &out);
    struct oc_frame again;
    CHECK(oc_frame_decode((struct oc_slice){ out.data, out.len }, &again, NULL) == OC_OK);
    CHECK(again.type == f->type && again.seq == f->seq);
    CHECK(!f->id || strcmp(again.id, f->id) == 0);
    CHECK(!f->name || strcmp(again.name, f->name) == 0);
    oc_frame_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct oc_slice text = { size ? (const char *)data : "", size };
    struct oc_frame f;
    struct oc_error err = { 0 };
    enum oc_code rc = oc_frame_decode(text, &f, &err);
    if (rc == OC_OK) {
        CHECK(f.type == OC_FRAME_EVENT || *f.id);
        CHECK(f.type == OC_FRAME_RES || *f.name);
        decode_invokes(f.body);
        round_trip(&f);
    } else {
        CHECK((rc == OC_E_INVALID || rc == OC_E_CORRUPT) && *err.text);
    }
    oc_frame_finish(&f);
    return 0;
}
