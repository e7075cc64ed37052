/* The gateway, and for every command of every node the gates it passes: declared by the node, approved, allowed by the
 * gateway's policy, allowed by the node's owner. */
#include "cli/doctor/doctor.h"

#include "cli/nodes/node_gates.h"
#include "cli/nodes/nodes_util.h"
#include "cli/nodes/waiting.h"
#include "cli/text.h"
#include "gateway/nodes/gates.h"
#include "lib/base/mem.h"
#include "lib/net/dial.h"
#include "lib/text/fix.h"
#include "lib/text/paste.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_NODES 200 /* described one by one */

/* Whether anything listens on a port of this machine. */
static bool port_answers(uint16_t port) {
    OC_AUTO_FD int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
    };
    return fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0;
}

static void explain_failure(struct oc_doctor *d, enum oc_code rc, const struct oc_error *err) {
    struct oc_target target;
    struct oc_error ignored;
    bool is_local = oc_target_resolve(&d->cli->args, &target, &ignored) == OC_OK &&
                    oc_streq(target.from, "local gateway");
    bool was_refused = rc == OC_E_AUTH || rc == OC_E_DENIED || d->cli->error_code;
    if (is_local && !was_refused && !port_answers(target.port)) {
        oc_doctor_add(d, OC_FINDING_FAIL, "gateway", oc_strdup("openclaw gateway run"),
                "no gateway runs here: nothing listens on port %u", target.port);
    } else if (is_local && !was_refused) {
        oc_doctor_add(d, OC_FINDING_FAIL, "port",
                oc_strfmt(
                        "stop what uses port %u, or set gateway.port to another one", target.port),
                "port %u is in use by something that is no gateway of this version: %s",
                target.port, err->text);
    } else {
        oc_doctor_add(d, OC_FINDING_FAIL, was_refused ? "auth" : "gateway", oc_strdup(d->cli->fix),
                "%s", err->text);
    }
    oc_target_finish(&target);
}

static void describe_transport(struct oc_doctor *d) {
    const struct oc_target *t = oc_rpc_target(d->cli->rpc);
    const char *version =
            oc_json_get_str(oc_json_get(oc_rpc_hello(d->cli->rpc), "server"), "version");
    OC_AUTO_FREE char *shown = oc_shown(version);
    oc_doctor_add(d, OC_FINDING_OK, "gateway", NULL, "%s answers, version %s", t->url, shown);
    oc_doctor_add(d, OC_FINDING_OK, "auth", NULL, "this machine is let in as operator");
    if (t->tls) {
        oc_doctor_add(d, OC_FINDING_OK, "tls", NULL, "the certificate is checked by %s",
                t->tls_fingerprint ? "its pin" : "the system's authorities");
    } else if (!oc_streq(t->host, "127.0.0.1") && !oc_streq(t->host, "localhost") &&
               !oc_streq(t->host, "::1")) {
        oc_doctor_add(d, OC_FINDING_WARN, "tls",
                oc_strdup("set gateway.tls.enabled on the gateway and use wss:// with "
                          "--tls-fingerprint"),
                "%s is not encrypted", t->url);
    }
}

static void check_waiting(struct oc_doctor *d) {
    OC_AUTO_WAITING struct oc_waiting waiting = { 0 };
    struct oc_error err;
    if (oc_waiting_load(d->cli, &waiting, &err) != OC_OK) {
        oc_doctor_add(d, OC_FINDING_WARN, "pairing", oc_strdup(d->cli->fix),
                "what waits for approval cannot be seen: %s", err.text);
        return;
    }
    if (waiting.count > OC_MAX_WAITING_SHOWN) {
        oc_doctor_add(d, OC_FINDING_WARN, "pairing", oc_strdup("openclaw nodes pending --json"),
                "%zu requests wait; these are the newest", waiting.count);
    }
    for (size_t i = 0; i < waiting.count && i < OC_MAX_WAITING_SHOWN; i++) {
        const struct oc_waiting_request *r = &waiting.items[i];
        OC_AUTO_FREE char *name = oc_shown(oc_json_get_str(r->doc, "displayName"));
        OC_AUTO_FREE char *node = oc_shown(r->node_id);
        oc_doctor_add(d, OC_FINDING_WARN, "pairing",
                oc_paste(OC_SEE_PENDING, "openclaw nodes approve %s", r->id),
                "%s waits at gate: %s", *name ? name : node, oc_waiting_gate(r));
    }
}

/* In the gateway's words, which are those of the refusal that would come. */
static void report_gate(
        struct oc_doctor *d, const char *node, const char *node_id, const cJSON *gates) {
    OC_AUTO_FREE char *command = oc_shown(gates->string);
    const char *fix = oc_json_get_str(gates, "fix");
    OC_AUTO_FREE char *shown = oc_paste_told(OC_GATEWAY, fix);
    if (!oc_json_get_bool(gates, "policy", false)) {
        oc_doctor_add(d, OC_FINDING_WARN, "gates", oc_take(&shown),
                "%s: %s is shut by the gateway's command policy", node, command);
    } else if (!oc_json_get_bool(gates, "approved", false)) {
        oc_doctor_add(d, OC_FINDING_WARN, "gates", oc_take(&shown), "%s: %s is not approved", node,
                command);
    } else if (!oc_json_get_bool(gates, "local", true)) {
        oc_doctor_add(d, OC_FINDING_WARN, "gates",
                shown ? oc_take(&shown) : oc_gates_fix_local(node_id),
                "%s: %s is not allowed by the node's owner", node, command);
    }
}

/* Nothing wrong with it: but whoever misses a command finds out here. */
static void report_switches(struct oc_doctor *d, const char *node, const cJSON *switches) {
    const cJSON *s = NULL;
    oc_json_for_each_member(s, switches) {
        const char *fix = oc_json_get_str(s, "fix");
        if (fix) {
            OC_AUTO_FREE char *name = oc_shown(s->string),
                              *gate = oc_shown(oc_json_get_str(s, "gate"));
            oc_doctor_add(d, OC_FINDING_OK, "switches", oc_paste_told(OC_GATEWAY, fix),
                    "%s: %s is shut at gate: %s", node, name, gate);
        }
    }
}

static void check_node(struct oc_doctor *d, const cJSON *listed) {
    const char *node_id = oc_json_get_str(listed, "nodeId");
    OC_AUTO_FREE char *name = oc_shown(oc_node_label(listed));
    OC_AUTO_JSON cJSON *node = NULL;
    struct oc_error err;
    if (oc_cli_call_tree(d->cli, "node.describe", oc_params_str("nodeId", node_id), &node, &err) !=
            OC_OK) {
        oc_doctor_add(d, OC_FINDING_WARN, "node", oc_strdup(d->cli->fix), "%s: %s", name, err.text);
        return;
    }
    oc_node_gates_complete(d->cli, node);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(d->nodes, entry);
    oc_json_set_str(entry, "nodeId", node_id);
    oc_json_set_str(entry, "displayName", oc_json_get_str(node, "displayName"));
    oc_json_set_bool(entry, "connected", oc_node_is_connected(node));
    cJSON *commands = cJSON_Duplicate(oc_json_get(node, "gates"), true);
    oc_json_set(entry, "commands", commands);
    oc_json_set(entry, "switches", cJSON_Duplicate(oc_json_get(node, "switches"), true));
    if (!oc_node_is_connected(node)) {
        oc_doctor_add(d, OC_FINDING_WARN, "node",
                oc_fix_text(&(struct oc_grounds){ .remedy = OC_REMEDY_START_NODE }, OC_GATEWAY),
                "%s is not connected", name);
        return;
    }
    size_t usable = 0, total = 0;
    cJSON *gates = NULL;
    cJSON_ArrayForEach(gates, commands) {
        total++;
        usable += oc_node_gates_usable(gates);
        report_gate(d, name, node_id, gates);
    }
    oc_doctor_add(d, OC_FINDING_OK, "node", NULL, "%s is connected, %zu of %zu commands usable",
            name, usable, total);
    report_switches(d, name, oc_json_get(node, "switches"));
}

static void check_nodes(struct oc_doctor *d) {
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *nodes = NULL, *node = NULL;
    struct oc_error err;
    if (oc_cli_node_list(d->cli, &list, &nodes, &err) != OC_OK) {
        oc_doctor_add(d, OC_FINDING_FAIL, "node", oc_strdup(d->cli->fix), "%s", err.text);
        return;
    }
    if (cJSON_GetArraySize(nodes) == 0) {
        oc_doctor_add(d, OC_FINDING_OK, "node", oc_strdup("openclaw devices join-code"),
                "no node is paired yet");
    }
    size_t seen = 0;
    cJSON_ArrayForEach(node, nodes) {
        if (seen++ == MAX_NODES) {
            oc_doctor_add(d, OC_FINDING_WARN, "node", oc_strdup("openclaw nodes status"),
                    "there are more nodes than the first %d looked at here", MAX_NODES);
            return;
        }
        check_node(d, node);
    }
}

void oc_doctor_gateway(struct oc_doctor *d) {
    OC_AUTO_JSON cJSON *health = NULL;
    struct oc_error err;
    enum oc_code rc = oc_cli_call_tree(d->cli, "health", NULL, &health, &err);
    if (rc != OC_OK) {
        explain_failure(d, rc, &err);
        return;
    }
    describe_transport(d);
    check_waiting(d);
    check_nodes(d);
}
