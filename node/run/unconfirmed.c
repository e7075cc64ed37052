#include "node/run/unconfirmed.h"

#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/connect.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/run_words.h"
#include "node/run/log/run_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct unconfirmed_end {
    struct oc_list link; /* nd_unconfirmed.ends, oldest first */
    char log_id[ND_RUN_LOG_ID + 1];
    char frame_id[32]; /* of the request that carries it; "": none does */
    cJSON *report;
};

struct nd_unconfirmed {
    struct nd_uplink *uplink;
    struct nd_run_log *log;
    struct oc_list ends;
    size_t count;
};

struct nd_unconfirmed *nd_unconfirmed_create(struct nd_uplink *uplink, struct nd_run_log *log) {
    struct nd_unconfirmed *u = oc_new(struct nd_unconfirmed);
    u->uplink = uplink;
    u->log = log;
    oc_list_init(&u->ends);
    return u;
}

static void unconfirmed_drop(struct nd_unconfirmed *u, struct unconfirmed_end *e) {
    oc_list_remove(&e->link);
    u->count--;
    cJSON_Delete(e->report);
    oc_free(e);
}

void nd_unconfirmed_destroy(struct nd_unconfirmed *u) {
    if (!u) {
        return;
    }
    while (!oc_list_empty(&u->ends)) {
        unconfirmed_drop(u, oc_list_first(&u->ends, struct unconfirmed_end, link));
    }
    oc_free(u);
}

/* As node/link/uplink.c writes it. */
static void set_frame(struct unconfirmed_end *e, uint64_t frame) {
    snprintf(e->frame_id, sizeof(e->frame_id), "node-%" PRIu64, frame);
}

void nd_unconfirmed_add(
        struct nd_unconfirmed *u, const char *log_id, cJSON *take_report, uint64_t frame) {
    if (!u) {
        cJSON_Delete(take_report);
        return;
    }
    struct unconfirmed_end *e = oc_new(struct unconfirmed_end);
    snprintf(e->log_id, sizeof(e->log_id), "%s", log_id);
    e->report = take_report;
    if (frame > 0) {
        set_frame(e, frame);
    }
    oc_list_init(&e->link);
    oc_list_append(&u->ends, &e->link);
    if (++u->count > ND_MAX_UNCONFIRMED) {
        unconfirmed_drop(u, oc_list_first(&u->ends, struct unconfirmed_end, link));
    }
}

static void unconfirmed_tell(struct nd_uplink *uplink, const cJSON *report) {
    OC_AUTO_FREE char *text = oc_json_print(report, false);
    cJSON *params = cJSON_CreateObject();
    oc_json_set_str(params, "event", OC_EVENT_NAME_RUN_ENDED);
    oc_json_set_str(params, "payloadJSON", text);
    nd_uplink_request(uplink, "node.event", params);
}

void nd_unconfirmed_repeat(struct nd_uplink *uplink, const char *invoke_id) {
    OC_AUTO_JSON cJSON *report = cJSON_CreateObject();
    oc_json_set_str(report, "invokeId", invoke_id);
    oc_json_set_str(report, "outcome", oc_outcome_name(OC_OUTCOME_REPEATED));
    oc_json_set_str(report, "gate", oc_run_gate_name(OC_RUN_GATE_IDEMPOTENCY_KEY));
    oc_json_set_str(report, "reason", "asked for again by its key; it did not run a second time");
    unconfirmed_tell(uplink, report);
}

void nd_unconfirmed_connected(struct nd_unconfirmed *u) {
    struct unconfirmed_end *e;
    oc_list_for_each(e, &u->ends, link) {
        unconfirmed_tell(u->uplink, e->report);
        set_frame(e, u->uplink->last_frame_id);
    }
}

/* The gateway could not, rather than would not: the next time it may. */
static bool may_be_told_again(const struct oc_frame *frame) {
    struct oc_json_value code;
    if (frame->ok || frame->error.len == 0 || oc_json_root(frame->error).kind != OC_JK_OBJECT ||
            !oc_json_find(frame->error, "code", &code) || code.kind != OC_JK_STRING) {
        return false;
    }
    OC_AUTO_FREE char *text = oc_json_unescape(oc_json_body(code), sizeof(OC_WIRE_UNAVAILABLE));
    return oc_streq(text, OC_WIRE_UNAVAILABLE);
}

/* Also one that the gateway makes nothing of, or refuses: the next time it would be the same. */
void nd_unconfirmed_answered(struct nd_unconfirmed *u, const struct oc_frame *frame) {
    struct unconfirmed_end *e, *next;
    oc_list_for_each_safe(e, next, &u->ends, link) {
        if (!oc_streq(e->frame_id, frame->id)) {
            continue;
        }
        if (!may_be_told_again(frame)) {
            nd_run_log_told(u->log, e->log_id);
            unconfirmed_drop(u, e);
        }
        return;
    }
}
