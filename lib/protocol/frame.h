/* The three frame kinds of the wire, as text in and text out. No sockets here.
 *
 * Decoding cuts the text into slices (lib/json/json_scan.h) and copies only the short strings, so a
 * large payload is never put into a tree. The slices borrow from the text given. */
#ifndef LIB_PROTOCOL_FRAME_H
#define LIB_PROTOCOL_FRAME_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

enum oc_frame_type { OC_FRAME_REQ, OC_FRAME_RES, OC_FRAME_EVENT };

struct oc_frame {
    enum oc_frame_type type;
    char *id;              /* req, res; owned. On a shape error: the id if one could be read */
    char *name;            /* req: method, event: event; owned */
    bool ok;               /* res */
    struct oc_slice body;  /* req: params, res and event: payload; len 0 when absent */
    struct oc_slice error; /* res: error object; len 0 when absent */
    int64_t seq;           /* event; -1 when absent */
};

/* OC_E_CORRUPT: not JSON (or not UTF-8, too deep). OC_E_INVALID: JSON, but not a frame; err->text
 * then reads like the reference's ("must have required property 'id'; at /type: must be equal to
 * constant") and ret->id may be set. ret needs oc_frame_finish in every case. Unknown members are
 * ignored. */
enum oc_code oc_frame_decode(
        struct oc_slice text, struct oc_frame *ret, struct oc_error *err) OC_MUST_USE;
/* The same where others wait meanwhile. OC_E_TOO_LARGE: it would take too long to read
 * (OC_MAX_FRAME_STEPS). */
enum oc_code oc_frame_decode_quick(
        struct oc_slice text, struct oc_frame *ret, struct oc_error *err) OC_MUST_USE;
void oc_frame_finish(struct oc_frame *f);

/* Parses f->body (absent: an empty object) into a tree; OC_E_TOO_LARGE beyond max_bytes. */
enum oc_code oc_frame_parse_body(
        const struct oc_frame *f, size_t max_bytes, cJSON **ret, struct oc_error *err) OC_MUST_USE;

/* Encoders. body/payload NULL leaves the member out. They append to out and cannot fail but for
 * out's ceiling. */
void oc_frame_put_req(struct oc_buf *out, const char *id, const char *method, const cJSON *params);
void oc_frame_put_res(struct oc_buf *out, const char *id, const cJSON *payload);
void oc_frame_put_res_error(struct oc_buf *out, const char *id, const cJSON *error);
/* seq < 0 leaves it out; presence_version < 0 leaves stateVersion out. For tests. */
void oc_frame_put_event(struct oc_buf *out, const char *event, const cJSON *payload, int64_t seq,
        int64_t presence_version, int64_t health_version);

#endif
