/* What a client and its proxies write about where it comes from. */
#include "gateway/origin/locality.h"
#include "lib/base/mem.h"
#include "lib/net/http/http.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void read_facts(const struct oc_http_head *head, const char *peer_ip, bool is_trusted) {
    struct gw_proxies proxies = { 0 };
    OC_AUTO_JSON cJSON *list = cJSON_CreateArray();
    cJSON_AddItemToArray(list, cJSON_CreateString("10.0.0.0/8"));
    CHECK(gw_proxies_load(list, &proxies, NULL) == OC_OK);
    struct oc_strv origins = { 0 };
    struct oc_peer peer = { .is_loopback = strcmp(peer_ip, "127.0.0.1") == 0 };
    memcpy(peer.ip, peer_ip, strlen(peer_ip) + 1);
    struct gw_origin_facts f;
    gw_origin_facts_read(&f, head, &peer, &origins, &proxies);
    struct oc_addr a;
    CHECK(oc_addr_parse(f.ip, 0, &a));
    CHECK(is_trusted || strcmp(f.ip, peer_ip) == 0);
    CHECK(!f.is_forwarded || !gw_origin_is_local(&f, true));
    CHECK(!f.is_forwarded || !gw_origin_is_direct(&f));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t from = 0;
    size_t end = size > 0 ? oc_http_head_end((const char *)data, size, &from) : 0;
    if (end == 0) {
        return 0;
    }
    char *copy = oc_realloc(NULL, end); /* exact, so that a byte too far is seen */
    memcpy(copy, data, end);
    struct oc_http_head head;
    const char *why = NULL;
    if (oc_http_parse_request(copy, end, &head, &why) == 0) {
        read_facts(&head, "10.0.0.1", true);
        read_facts(&head, "127.0.0.1", false);
        read_facts(&head, "192.0.2.1", false);
    }
    oc_free(copy);
    return 0;
}
