/* One request of a client while it is handled, and its answers. */
#ifndef GATEWAY_CONN_CALL_H
#define GATEWAY_CONN_CALL_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gw_conn;
struct gw_gateway;
struct gw_party;

/* Borrowed for the call. */
struct gw_call {
    struct gw_gateway *gw;
    struct gw_conn *conn;
    struct gw_party *party; /* for whom it is made */
    const char *id;
    const char *method; /* the table's own name, which outlives the message; NULL: no such method */
    const cJSON *params;  /* TREE methods: an object */
    struct oc_slice body; /* RAW methods: params as sent; len 0 when absent */
    struct oc_blob *blob; /* the message body lies in */
};

void gw_call_ok(const struct gw_call *call, cJSON *take_payload);
/* A payload that is text already. A buffer that hit its ceiling becomes an error. */
void gw_call_ok_text(const struct gw_call *call, struct oc_buf *take_payload);
/* "missing scope: X" gets the code and details of the client's protocol version. */
void gw_call_fail(const struct gw_call *call, const struct oc_error *err);
void gw_call_fail_with(const struct gw_call *call, const char *wire_code, const char *message,
        cJSON *take_details, int64_t retry_after_ms);
/* With what helps in the message, too, for those who show nothing else. */
void gw_call_fail_said(
        const struct gw_call *call, const char *wire_code, const struct oc_error *err);
/* Decodes params; on failure answers "invalid <method> params: …" and returns false. */
bool gw_call_decode(
        const struct gw_call *call, const struct oc_json_field *fields, size_t n, void *ret);
/* The same of a method that reads them itself. */
void gw_call_fail_params(const struct gw_call *call, const struct oc_error *err);
/* The caller is no operator with this scope. */
void gw_call_fail_scope(const struct gw_call *call, const char *scope);

#endif
