#include "gateway/audit/run_ends.h"

#include "gateway/conn/call.h"
#include "gateway/conn/conn.h"
#include "lib/base/encode.h"
#include "lib/base/list.h"
#include "lib/base/mem.h"

#include <string.h>

#define STEP 32 /* rows in a round, or a quarter of those that wait: some ten microseconds each */

struct gw_run_ends {
    struct oc_loop *loop;
    struct gw_nodes *nodes;
    struct gw_run_ends_writer writer;
    struct oc_list waiting; /* end.link, oldest first */
    size_t count;
    struct oc_deferred soon;
    uint64_t round;
};

struct queued_end {
    struct oc_list link;
    uint64_t round; /* that brought it */
    const char *kind;
    int64_t run;
    char *node_id, *actor;
    cJSON *outcome;
    char *request_id;              /* NULL: nobody reported it */
    char conn_id[OC_UUID_LEN + 1]; /* of who reported it */
    bool is_written;
};

static void write_some(struct gw_run_ends *ends, size_t max, uint64_t before);

/* The answer of a run comes behind its end, in the same round or later, and what is sent leaves
 * when the round is over, after us. So each waits one round. */
static void on_soon(struct oc_deferred *d) {
    struct gw_run_ends *ends = d->user;
    write_some(ends, ends->count / 4 > STEP ? ends->count / 4 : STEP, ends->round);
    ends->round++;
    if (ends->count > 0) {
        oc_defer(ends->loop, &ends->soon);
    }
}

struct gw_run_ends *gw_run_ends_create(
        struct oc_loop *loop, struct gw_nodes *nodes, const struct gw_run_ends_writer *writer) {
    struct gw_run_ends *ends = oc_new(struct gw_run_ends);
    ends->loop = loop;
    ends->nodes = nodes;
    ends->writer = *writer;
    oc_list_init(&ends->waiting);
    ends->soon = (struct oc_deferred){ .run = on_soon, .user = ends };
    return ends;
}

void gw_run_ends_destroy(struct gw_run_ends *ends) {
    if (ends) {
        gw_run_ends_write_now(ends);
        oc_free(ends);
    }
}

void gw_run_ends_add(struct gw_run_ends *ends, const struct gw_end_row *row, cJSON *take_outcome) {
    struct queued_end *e = oc_new(struct queued_end);
    oc_list_init(&e->link);
    e->round = ends->round;
    e->kind = row->kind;
    e->run = row->run;
    e->node_id = oc_strdup(row->node_id);
    e->actor = oc_strdup(row->actor);
    e->outcome = take_outcome;
    if (row->call) {
        e->request_id = oc_strdup(row->call->id);
        memcpy(e->conn_id, row->call->conn->id, sizeof(e->conn_id));
    }
    oc_list_append(&ends->waiting, &e->link);
    ends->count++;
    oc_defer(ends->loop, &ends->soon);
}

/* If its connection is gone the node tells us again on the next. */
static void run_ends_confirm(const struct gw_run_ends *ends, const struct queued_end *e) {
    const struct gw_node *node = gw_nodes_find(ends->nodes, e->node_id);
    if (e->request_id && node && strcmp(node->conn->id, e->conn_id) == 0) {
        cJSON *payload = cJSON_CreateObject();
        oc_json_set_bool(payload, "ok", true);
        gw_conn_answer(node->conn, e->request_id, payload);
    }
}

static void free_end(struct queued_end *e) {
    oc_list_remove(&e->link);
    oc_free(e->node_id);
    oc_free(e->actor);
    oc_free(e->request_id);
    oc_free(e);
}

/* Those of rounds before this one, as many as max. */
static void write_some(struct gw_run_ends *ends, size_t max, uint64_t before) {
    struct oc_list written;
    struct queued_end *e, *next;
    size_t count = 0;
    oc_list_init(&written);
    oc_list_for_each_safe(e, next, &ends->waiting, link) {
        if (e->round >= before || count == max) {
            break;
        }
        if (count++ == 0) {
            ends->writer.begin(ends->writer.user);
        }
        oc_list_remove(&e->link);
        oc_list_append(&written, &e->link);
        e->is_written = ends->writer.write(ends->writer.user,
                &(struct gw_end_row){
                        .kind = e->kind, .run = e->run, .node_id = e->node_id, .actor = e->actor },
                oc_take(&e->outcome));
    }
    ends->count -= count;
    bool is_kept = count > 0 && ends->writer.end(ends->writer.user);
    while (!oc_list_empty(&written)) {
        e = oc_list_first(&written, struct queued_end, link);
        if (is_kept && e->is_written) {
            run_ends_confirm(ends, e);
        }
        free_end(e);
    }
}

void gw_run_ends_write_now(struct gw_run_ends *ends) {
    oc_defer_cancel(&ends->soon);
    write_some(ends, ends->count, UINT64_MAX);
}
