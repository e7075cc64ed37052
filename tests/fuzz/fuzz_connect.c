#include "lib/identity/identity.h"
#include "lib/protocol/connect.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_device(const struct oc_connect *c) {
    char key[OC_PUBLIC_KEY_LEN + 1], device_id[OC_DEVICE_ID_LEN + 1];
    if (!c->device_id || !oc_public_key_normalize(c->public_key, key, device_id)) {
        return;
    }
    CHECK(strlen(key) == OC_PUBLIC_KEY_LEN && strlen(device_id) == OC_DEVICE_ID_LEN);
    struct oc_device_claim claim = {
        .device_id = c->device_id,
        .client_id = c->client_id,
        .client_mode = c->mode,
        .role = c->role,
        .scopes = (const char *const *)c->scopes.items,
        .scope_count = c->scopes.count,
        .signed_at_ms = c->signed_at_ms,
        .token = c->token,
        .nonce = c->nonce,
        .platform = c->platform,
        .device_family = c->device_family,
    };
    OC_AUTO_FREE char *text = oc_device_claim_text(&claim, 3);
    (void)oc_signature_verify(key, text, c->signature);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    OC_AUTO_JSON cJSON *params = NULL;
    if (oc_json_parse(size ? (const char *)data : "", size, &params, NULL) != OC_OK) {
        return 0;
    }
    struct oc_hello hello;
    if (oc_hello_decode(params, &hello, NULL) == OC_OK) {
        CHECK(hello.tick_interval_ms >= 1000 && hello.max_payload > 0);
    }
    oc_hello_finish(&hello);

    struct oc_connect c, again;
    struct oc_error err = { 0 };
    if (oc_connect_decode(params, &c, &err) == OC_OK) {
        check_device(&c);
        OC_AUTO_JSON cJSON *sent = oc_connect_encode(&c);
        CHECK(oc_connect_decode(sent, &again, &err) == OC_OK);
        OC_AUTO_JSON cJSON *twice = oc_connect_encode(&again);
        CHECK(cJSON_Compare(sent, twice, true));
        oc_connect_finish(&again);
    } else {
        CHECK(*err.text);
    }
    oc_connect_finish(&c);
    return 0;
}
