/* What comes from strangers before a gateway is known: a pasted setup code, and what the network
 * says is there. */
#include "cli/gateway/mdns.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/protocol/setup_code.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void read_code(const char *text) {
    struct oc_setup_code code;
    struct oc_error err;
    if (oc_setup_code_decode(text, &code, &err) != OC_OK) {
        return;
    }
    CHECK(oc_setup_url_ok(code.url) && code.token[0]);
    char *again = oc_setup_code_encode(&code);
    struct oc_setup_code same;
    CHECK(oc_setup_code_decode(again, &same, &err) == OC_OK);
    CHECK(strcmp(same.url, code.url) == 0 && strcmp(same.token, code.token) == 0);
    oc_setup_code_finish(&same);
    oc_setup_code_finish(&code);
    oc_free_secret(again);
}

static void read_beacons(const char *text) {
    cJSON *all = cli_mdns_parse(text);
    const cJSON *b = NULL;
    cJSON_ArrayForEach(b, all) {
        CHECK(oc_setup_url_ok(oc_json_get_str(b, "url"))); /* nothing that a shell would act on */
        CHECK(!strpbrk(oc_json_get_str(b, "name"), "\x1b\r\n"));
    }
    cJSON_Delete(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (memchr(data, 0, size)) {
        return 0;
    }
    char *text = oc_strndup((const char *)data, size);
    read_code(text);
    read_beacons(text);
    char *wrapped = oc_base64url(data, size); /* so that the JSON inside is reached at once */
    read_code(wrapped);
    oc_free(wrapped);
    oc_free(text);
    return 0;
}
