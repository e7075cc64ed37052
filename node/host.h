/* What the parts of a node share. node.c fills it; tests fill it with less. Core thread only. */
#ifndef NODE_HOST_H
#define NODE_HOST_H

#include "lib/client/session.h"
#include "lib/json/json.h"
#include "lib/net/loop/loop.h"
#include "lib/net/ws/msg.h"
#include "node/looks/looks.h"
#include "node/policy/exec_plans.h"
#include "platform/platform.h"

#include <stddef.h>
#include <stdint.h>

struct oc_announcer;      /* node/owner/announce.c */
struct oc_canvas_surface; /* node/canvas/canvas_surface.h */
struct oc_last_fix;       /* node/helper/last_fix.h */
struct oc_node_canvas;    /* node/canvas/canvas.h */
struct oc_notices;        /* node/owner/notices.h */
struct oc_power;          /* node/helper/power.h */
struct oc_exec_memory;
struct oc_run_report; /* node/run/run.h */
struct oc_runs;       /* node/run/runs.h */
struct oc_sandbox;    /* node/sandbox/containment.h */
struct oc_skill_bins;
struct oc_untold; /* node/run/untold.h */

struct oc_node_host {
    struct oc_loop *loop;
    const struct oc_platform *platform;
    const cJSON *config;              /* the owner's openclaw.json, or NULL */
    const char *device_id;            /* what gateways call nodeId */
    const char *gateway;              /* host:port, for people; NULL in tests */
    const char *name;                 /* what people call it; NULL: it has none */
    const char *instance_id;          /* of this node at its gateway; NULL in tests */
    const char *state_dir;            /* NULL: none */
    const char *approvals_path;       /* exec-approvals.json */
    const char *consent_path;         /* node/owner/consent.h; NULL: nothing is switched on */
    const struct oc_sandbox *sandbox; /* walls around commands; NULL: none */
    struct oc_skill_bins *skills;     /* node/policy/skill_bins.h; NULL: nobody to ask */
    struct oc_exec_plans plans;       /* commands that wait for an approval */
    struct oc_looks looks;            /* at their files, off the loop */
    struct oc_exec_memory
            *memory; /* node/policy/exec_remember.h; NULL: what is allowed for good is not kept */
    struct oc_journal *journal;   /* of idempotency keys; NULL: in memory only */
    struct oc_exec_log *exec_log; /* of what ran; NULL: none */
    struct oc_untold *untold;     /* ends that the gateway may not know; NULL: nobody cares */
    bool is_stopping;             /* what ends now ends because the node does */
    /* Sends one frame to the gateway that is connected now, if there is one. Consumes the message.
     */
    void (*send)(struct oc_node_host *host, struct oc_msg *take_msg);
    /* Asks that gateway; done fires exactly once, perhaps at once. NULL: there is no gateway. */
    void (*ask)(struct oc_node_host *host, const char *method, cJSON *take_params, int timeout_ms,
            oc_reply_done *done, void *user);
    /* The socket of that connection; below 0: there is none. NULL: there never is one. */
    int (*gateway_fd)(const struct oc_node_host *host);
    /* Which connection that is: grows with every new one. An answer belongs to the connection that
     * asked. */
    uint64_t connection;
    uint64_t last_frame_id;            /* of the frames built here */
    size_t max_message_bytes;          /* that the gateway takes; 0: the protocol's ceiling */
    bool takes_grounds;                /* the gateway takes them beside an error's text */
    struct oc_notices *notices;        /* shown on the desktop; NULL: none yet */
    struct oc_announcer *announcer;    /* NULL: nothing was captured yet */
    struct oc_node_canvas *canvas;     /* NULL: nothing was drawn yet */
    struct oc_canvas_surface *surface; /* the gateway's canvas files; NULL: it has none for us */
    /* What location.get learnt last; NULL: nothing yet. */
    struct oc_last_fix *last_fix;
    struct oc_power *power; /* what UPower said last; NULL: nothing yet */
    struct oc_runs *runs;   /* every run, and those that ended lately */
    size_t call_bytes;      /* that params of calls take, see OC_MAX_NODE_CALL_BYTES */
    /* Told once about every run and every refusal; NULL: nobody keeps books. */
    void (*on_run)(struct oc_node_host *host, const struct oc_run_report *report);
};

static inline void oc_node_host_give_back(struct oc_node_host *host, size_t call_bytes) {
    host->call_bytes -= call_bytes;
}

/* A request frame whose answer nobody waits for: {"type":"req","id",…,"method",…,"params":…}. */
void oc_node_host_request(struct oc_node_host *host, const char *method, cJSON *take_params);
/* Starts such a frame up to and including the opening of params; finish it with text and '}' '}'.
 */
struct oc_buf oc_node_host_open_request(struct oc_node_host *host, const char *method);

#endif
