/* gateway.moved: whatever a gateway says, a node is never led to where it is less safe. */
#include "lib/json/json.h"
#include "node/link/moves.h"
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <string.h>

static void check_place(const struct nd_place *at, bool is_named, const struct nd_place *to) {
    CHECK(to->host && *to->host && strlen(to->host) <= 253 && to->port > 0);
    CHECK(to->path && to->path[0] == '/');
    for (const char *c = to->host; *c; c++) {
        CHECK(isalnum((unsigned char)*c) || strchr("-._:", *c));
    }
    for (const char *c = to->path; *c; c++) {
        CHECK(isgraph((unsigned char)*c));
    }
    CHECK(!to->tls_fingerprint || (to->tls && strlen(to->tls_fingerprint) == 64));
    CHECK(to->tls || !at->tls);
    CHECK(!to->tls || to->tls_fingerprint || (at->tls && !at->tls_fingerprint));
    CHECK(at->tls || strcmp(to->host, at->host) == 0);
    CHECK(at->tls || is_named || (to->tls && to->port == at->port));
    CHECK(!nd_place_is_same(at, to));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char host[] = "192.168.1.5", root[] = "/",
                pin[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    static const struct nd_place from[] = {
        { .host = host, .path = root, .port = 18789 },
        { .host = host, .path = root, .port = 18789, .tls = true },
        { .host = host, .path = root, .port = 18789, .tls = true, .tls_fingerprint = pin },
    };
    OC_AUTO_JSON cJSON *payload = NULL;
    if (oc_json_parse((const char *)data, size, &payload, NULL) != OC_OK) {
        return 0;
    }
    for (size_t i = 0; i < 2 * sizeof(from) / sizeof(from[0]); i++) {
        const struct nd_place *at = &from[i / 2];
        struct nd_place to = { 0 };
        struct oc_error err = { .text = "" };
        enum nd_move move = nd_move_judge(payload, at, i % 2, &to, &err);
        CHECK((move == ND_MOVE_FOLLOW) == (to.host != NULL));
        CHECK((move == ND_MOVE_REFUSED || move == ND_MOVE_NO_TLS) == (err.text[0] != '\0'));
        if (move == ND_MOVE_FOLLOW) {
            check_place(at, i % 2, &to);
        }
        nd_place_finish(&to);
    }
    return 0;
}
