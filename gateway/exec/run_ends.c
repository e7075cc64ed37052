#include "gateway/exec/run_ends.h"

#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/methods/methods.h"
#include "lib/base/list.h"
#include "lib/base/mem.h"

#include <string.h>

struct oc_run_ends {
    struct oc_gateway *gw;
    oc_run_end_write *write;
    struct oc_list
            waiting; /* end.link; as many as there are invokes at most, since one has one end */
    struct oc_deferred soon;
    bool has_let_pass; /* the answers of the round that brought the ends */
};

struct end {
    struct oc_list link;
    int64_t run;
    char *node_id, *actor;
    cJSON *outcome;
    char *request_id;
    char conn_id[OC_UUID_LEN + 1]; /* of who reported it */
};

/* The answer of a run comes behind its end, in the same round or later, and what is sent leaves when the round is over, after us.
 * So we wait one round. */
static void on_soon(struct oc_deferred *d) {
    struct oc_run_ends *ends = d->user;
    if (ends->has_let_pass) {
        oc_run_ends_write_now(ends);
        return;
    }
    ends->has_let_pass = true;
    oc_defer(ends->gw->loop, &ends->soon);
}

struct oc_run_ends *oc_run_ends_create(struct oc_gateway *gw, oc_run_end_write *write) {
    struct oc_run_ends *ends = oc_new(struct oc_run_ends);
    ends->gw = gw;
    ends->write = write;
    oc_list_init(&ends->waiting);
    ends->soon = (struct oc_deferred){ .run = on_soon, .user = ends };
    return ends;
}

void oc_run_ends_destroy(struct oc_run_ends *ends) {
    if (ends) {
        oc_run_ends_write_now(ends);
        oc_free(ends);
    }
}

void oc_run_ends_add(struct oc_run_ends *ends, const struct oc_run_end *end, cJSON *take_outcome) {
    struct end *e = oc_new(struct end);
    oc_list_init(&e->link);
    e->run = end->run;
    e->node_id = oc_strdup(end->node_id);
    e->actor = oc_strdup(end->actor);
    e->outcome = take_outcome;
    e->request_id = oc_strdup(end->call->id);
    memcpy(e->conn_id, end->call->conn->id, sizeof(e->conn_id));
    oc_list_append(&ends->waiting, &e->link);
    ends->has_let_pass = false;
    oc_defer(ends->gw->loop, &ends->soon);
}

/* If its connection is gone the node tells us again on the next. */
static void confirm(const struct oc_run_ends *ends, const struct end *e) {
    const struct oc_node *node = oc_nodes_find(ends->gw->nodes, e->node_id);
    if (node && strcmp(node->conn->id, e->conn_id) == 0) {
        cJSON *payload = cJSON_CreateObject();
        oc_json_set_bool(payload, "ok", true);
        oc_conn_answer(node->conn, e->request_id, payload);
    }
}

void oc_run_ends_write_now(struct oc_run_ends *ends) {
    oc_defer_cancel(&ends->soon);
    while (!oc_list_empty(&ends->waiting)) {
        struct end *e = oc_list_first(&ends->waiting, struct end, link);
        oc_list_remove(&e->link);
        ends->write(ends->gw,
                &(struct oc_run_end){ .run = e->run, .node_id = e->node_id, .actor = e->actor },
                oc_take(&e->outcome));
        confirm(ends, e);
        oc_free(e->node_id);
        oc_free(e->actor);
        oc_free(e->request_id);
        oc_free(e);
    }
}
