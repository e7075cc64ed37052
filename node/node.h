/* A headless node: keeps one connection to a gateway, forever, and runs what comes over it.
 *
 * Everything happens on the loop's thread. Time comes from the loop's clock. */
#ifndef NODE_NODE_H
#define NODE_NODE_H

#include "lib/base/error.h"
#include "lib/json/json.h"
#include "lib/net/loop/loop.h"
#include "node/status.h"
#include "platform/platform.h"

#include <stdbool.h>
#include <stdint.h>

struct nd_node;

/* What the owner asked for; NULL, 0 and false mean: as the last time (node.json), else the default.
 * All is copied, but for platform. */
struct nd_opts {
    const char *host; /* 127.0.0.1 */
    uint16_t port;    /* 18789 */
    bool tls;    /* also implied by tls_fingerprint, and remembered for the same host and port */
    bool no_tls; /* do without, although it was used the last time */
    const char *tls_fingerprint;
    const char *gateway_user; /* whose gateway counts as ours on this machine (lib/net/peer.h) */
    uint16_t own_port; /* where the gateway of this state directory listens now; 0: as the config
                          says */
    const char *context_path; /* "/": where a reverse proxy has the gateway, e.g. "/openclaw" */
    const char *node_id;      /* the instance id in node.json; not what gateways call nodeId */
    const char *display_name; /* the host's name */
    const char *state_dir;    /* required */
    const char *home_dir;     /* required: <home>/.openclaw/exec-approvals.json */
    const cJSON *config;      /* openclaw.json; NULL counts as empty */
    const char *token,
            *password; /* both NULL: from environment and config (oc_config_client_secret) */
    const char *
            setup_token; /* of a setup code: pairs this node; then the secrets above are not used */
    const char *sandbox, *sandbox_workspace; /* NULL: node.exec.* of the config */
    const char *config_path; /* where config is from: changes are taken over for the commands to
                                come; NULL: none are */
    const char *token_file;  /* where token is from, which no command may read; NULL: nowhere */
    const struct os_platform *platform; /* NULL: the one we run on */
    nd_on_status *on_status;            /* may be NULL */
    void (*on_settings)(void *user);    /* a changed config was taken over; may be NULL */
    void *user;
};

/* Reads and writes the files in state_dir, connects to nothing yet. The error's text says what to
 * change. */
enum oc_code nd_node_create(struct oc_loop *loop, const struct nd_opts *opts, struct nd_node **ret,
        struct oc_error *err) OC_MUST_USE;
/* Connects; on_status tells the rest. It goes on until nd_node_stop, or until the status is
 * ND_FAILED. */
void nd_node_start(struct nd_node *node);
/* Kills what runs, says good-bye to the gateway, then calls on_done (may be NULL) from the loop,
 * within a few seconds. */
void nd_node_stop(struct nd_node *node, void (*on_done)(void *user), void *user);
/* Frees it, from outside its callbacks; what still runs is killed, no callback fires any more. NULL
 * is fine. Not called destroy because that is the name of what the gateway does with its own record
 * of a node. */
void nd_close(struct nd_node *node);

/* The sandbox of the commands this node runs; never NULL, "off" without one. */
const char *nd_node_sandbox_summary(const struct nd_node *node);
/* "ws://127.0.0.1:18789". For tests. */
const char *nd_gateway_url(const struct nd_node *node);
/* What gateways call nodeId: the hash of this machine's key. For tests. */
const char *nd_device_id(const struct nd_node *node);

#endif
