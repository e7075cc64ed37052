/* One HTTP head, read as a request and as an answer. */
#include "lib/base/mem.h"
#include "lib/net/http/http.h"
#include "lib/net/ws/handshake.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_fields(const struct oc_http_head *h) {
    CHECK(h->field_count <= OC_MAX_HTTP_HEADERS);
    for (size_t i = 0; i < h->field_count; i++) {
        CHECK(h->fields[i].name[0] && !strpbrk(h->fields[i].name, " \t\r\n:"));
        CHECK(!strpbrk(h->fields[i].value, "\r\n"));
        CHECK(oc_http_header(h, h->fields[i].name));
        CHECK(oc_http_header_count(h, h->fields[i].name) > 0);
    }
}

static void read_request(char *text, size_t len) {
    struct oc_http_head h;
    const char *why = NULL;
    int status = oc_http_parse_request(text, len, &h, &why);
    CHECK(status == 0 || (status >= 400 && why && strcmp(oc_http_reason(status), "Unknown") != 0));
    if (status != 0) {
        return;
    }
    check_fields(&h);
    CHECK(h.path[0] == '/' && !strpbrk(h.path, " ?#\r\n") && !strpbrk(h.query, " #\r\n"));
    CHECK(!oc_http_header(&h, "transfer-encoding"));
    if (oc_ws_is_upgrade(&h) && oc_ws_check_upgrade(&h, &why) == 0) {
        OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1000);
        oc_ws_put_accept(&out, &h);
        CHECK(!out.failed);
    }
}

static void read_answer(char *text, size_t len) {
    struct oc_http_head h;
    if (oc_http_parse_response(text, len, &h, NULL) == OC_OK) {
        check_fields(&h);
        CHECK(h.status >= 100 && h.status <= 999);
        (void)!oc_ws_check_answer(&h, "dGhlIHNhbXBsZSBub25jZQ==", NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t from = 0;
    size_t end = size > 0 ? oc_http_head_end((const char *)data, size, &from) : 0;
    if (end == 0) {
        return 0;
    }
    for (int side = 0; side < 2; side++) {
        char *copy = oc_realloc(NULL, end); /* exact, so that a byte too far is seen */
        memcpy(copy, data, end);
        (side == 0 ? read_request : read_answer)(copy, end);
        oc_free(copy);
    }
    return 0;
}
