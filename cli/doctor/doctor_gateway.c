/* The gateway, and for every command of every node the gates it passes: declared by the node,
 * approved, allowed by the gateway's policy, allowed by the node's owner. */
#include "cli/doctor/doctor.h"

#include "cli/gateway/call.h"
#include "cli/gateway/running.h"
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

/* The process that is our gateway by its lock, if it listens there; 0: it does not. */
static int own_gateway_at(const struct cli_doctor *d, uint16_t port, uint16_t *ret_port) {
    int pid = 0;
    *ret_port = 0;
    return cli_running_gateway(d->state_dir, &pid, ret_port) && *ret_port == port ? pid : 0;
}

static void explain_silence(struct cli_doctor *d, uint16_t port, uint16_t own_port) {
    if (own_port > 0 && own_port != port) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "gateway", oc_strdup("unset OPENCLAW_GATEWAY_PORT"),
                "nothing listens on port %u; the gateway that runs here listens on port %u", port,
                own_port);
    } else {
        cli_doctor_add(d, CLI_FINDING_FAIL, "gateway", oc_strdup("openclaw gateway run"),
                "no gateway runs here: nothing listens on port %u", port);
    }
}

/* The gateway of this state directory is there. Whatever is the matter, it is not in the way. */
static void explain_own(struct cli_doctor *d, int pid, const struct oc_error *err) {
    bool has_tls = err->grounds.cause == OC_CAUSE_NEEDS_TLS;
    if (has_tls || err->grounds.cause == OC_CAUSE_NO_TLS) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "tls", oc_strfmt("kill -USR1 %d", pid),
                "the gateway that runs here (process %d) serves %s TLS, but %s says otherwise; it "
                "has not restarted since that was changed",
                pid, has_tls ? "with" : "without", d->config_path);
    } else {
        cli_doctor_add(d, CLI_FINDING_FAIL, "gateway", oc_strdup("openclaw gateway restart"),
                "the gateway that runs here (process %d) does not answer: %s", pid, err->text);
    }
}

static void explain_other(struct cli_doctor *d, uint16_t port, const struct oc_error *err) {
    if (err->grounds.cause == OC_CAUSE_NEEDS_TLS) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "tls",
                oc_strfmt("openclaw doctor --url wss://127.0.0.1:%u --tls-fingerprint <sha256> "
                          "--token-file <file>",
                        port),
                "what listens on port %u speaks TLS, which %s does not say; it is not the gateway "
                "of %s",
                port, d->config_path, d->state_dir);
    } else if (err->grounds.cause == OC_CAUSE_NO_TLS) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "tls",
                oc_strdup("openclaw config set gateway.port <another>"),
                "what listens on port %u does not speak TLS, which %s wants; it is not the gateway "
                "of %s",
                port, d->config_path, d->state_dir);
    } else {
        cli_doctor_add(d, CLI_FINDING_FAIL, "port",
                oc_strdup("openclaw config set gateway.port <another>"),
                "port %u is in use by something that is no gateway of this version: %s", port,
                err->text);
    }
}

static void explain_failure(struct cli_doctor *d, enum oc_code rc, const struct oc_error *err) {
    struct cli_target target;
    struct oc_error ignored;
    bool is_local = cli_target_resolve(&d->cli->args, &target, &ignored) == OC_OK &&
                    target.from == CLI_TARGET_LOCAL;
    bool was_refused = rc == OC_E_AUTH || rc == OC_E_DENIED || d->cli->error_code;
    bool is_certificate = err->grounds.cause == OC_CAUSE_CERTIFICATE_CHANGED ||
                          err->grounds.cause == OC_CAUSE_UNKNOWN_CERTIFICATE;
    uint16_t own_port = 0;
    int pid = is_local ? own_gateway_at(d, target.port, &own_port) : 0;
    if (!is_local || was_refused) {
        cli_doctor_add(d, CLI_FINDING_FAIL,
                is_certificate ? "tls"
                : was_refused  ? "auth"
                               : "gateway",
                oc_strdup(d->cli->fix), "%s", err->text);
    } else if (!port_answers(target.port)) {
        explain_silence(d, target.port, own_port);
    } else if (pid > 0) {
        explain_own(d, pid, err);
    } else {
        explain_other(d, target.port, err);
    }
    cli_target_finish(&target);
}

static void describe_transport(struct cli_doctor *d) {
    const struct cli_target *t = cli_rpc_target(d->cli->rpc);
    const char *version =
            oc_json_get_str(oc_json_get(cli_rpc_hello(d->cli->rpc), "server"), "version");
    OC_AUTO_FREE char *shown = cli_shown(version);
    cli_doctor_add(d, CLI_FINDING_OK, "gateway", NULL, "%s answers, version %s", t->url, shown);
    cli_doctor_add(d, CLI_FINDING_OK, "auth", NULL, "this machine is let in as operator");
    if (t->tls) {
        cli_doctor_add(d, CLI_FINDING_OK, "tls", NULL, "the certificate is checked by %s",
                t->tls_fingerprint ? "its pin" : "the system's authorities");
    } else if (!oc_streq(t->host, "127.0.0.1") && !oc_streq(t->host, "localhost") &&
               !oc_streq(t->host, "::1")) {
        cli_doctor_add(d, CLI_FINDING_WARN, "tls",
                oc_strdup("set gateway.tls.enabled on the gateway and use wss:// with "
                          "--tls-fingerprint"),
                "%s is not encrypted", t->url);
    }
}

static void check_waiting(struct cli_doctor *d) {
    CLI_AUTO_WAITING struct cli_waiting waiting = { 0 };
    struct oc_error err;
    if (cli_waiting_load(d->cli, &waiting, &err) != OC_OK) {
        cli_doctor_add(d, CLI_FINDING_WARN, "pairing", oc_strdup(d->cli->fix),
                "what waits for approval cannot be seen: %s", err.text);
        return;
    }
    if (waiting.count > CLI_MAX_WAITING_SHOWN) {
        cli_doctor_add(d, CLI_FINDING_WARN, "pairing", oc_strdup("openclaw nodes pending --json"),
                "%zu requests wait; these are the newest", waiting.count);
    }
    for (size_t i = 0; i < waiting.count && i < CLI_MAX_WAITING_SHOWN; i++) {
        const struct cli_waiting_request *r = &waiting.items[i];
        OC_AUTO_FREE char *name = cli_shown(oc_json_get_str(r->doc, "displayName"));
        OC_AUTO_FREE char *node = cli_shown(r->node_id);
        cli_doctor_add(d, CLI_FINDING_WARN, "pairing",
                oc_paste(CLI_SEE_PENDING, "openclaw nodes approve %s", r->id),
                "%s waits at gate: %s", *name ? name : node, cli_waiting_gate(r));
    }
}

/* In the gateway's words, which are those of the refusal that would come. */
static void report_gate(
        struct cli_doctor *d, const char *node, const char *node_id, const cJSON *gates) {
    OC_AUTO_FREE char *command = cli_shown(gates->string);
    OC_AUTO_FREE char *fix = cli_node_gate_fix(gates);
    if (!oc_json_get_bool(gates, "policy", false)) {
        cli_doctor_add(d, CLI_FINDING_WARN, "gates", oc_take(&fix),
                "%s: %s is shut by the gateway's command policy", node, command);
    } else if (!oc_json_get_bool(gates, "approved", false)) {
        cli_doctor_add(d, CLI_FINDING_WARN, "gates", oc_take(&fix), "%s: %s is not approved", node,
                command);
    } else if (!oc_json_get_bool(gates, "local", true)) {
        struct oc_grounds g = gw_gates_local(node_id);
        cli_doctor_add(d, CLI_FINDING_WARN, "gates", fix ? oc_take(&fix) : oc_fix_text(&g),
                "%s: %s is not allowed by the node's owner", node, command);
    }
}

/* Nothing wrong with it: but whoever misses a command finds out here. */
static void report_switches(struct cli_doctor *d, const char *node, const cJSON *switches) {
    const cJSON *s = NULL;
    oc_json_for_each_member(s, switches) {
        OC_AUTO_FREE char *fix = cli_node_gate_fix(s);
        if (fix) {
            OC_AUTO_FREE char *name = cli_shown(s->string),
                              *gate = cli_shown(oc_json_get_str(s, "gate"));
            cli_doctor_add(d, CLI_FINDING_OFF, "switches", oc_take(&fix),
                    "%s: %s is shut at gate: %s", node, name, gate);
        }
    }
}

static void check_node(struct cli_doctor *d, const cJSON *listed) {
    const char *node_id = oc_json_get_str(listed, "nodeId");
    OC_AUTO_FREE char *name = cli_shown(cli_node_label(listed));
    OC_AUTO_JSON cJSON *node = NULL;
    struct oc_error err;
    if (cli_call_tree(d->cli, "node.describe", cli_params_str("nodeId", node_id), &node, &err) !=
            OC_OK) {
        cli_doctor_add(
                d, CLI_FINDING_WARN, "node", oc_strdup(d->cli->fix), "%s: %s", name, err.text);
        return;
    }
    cli_node_gates_complete(d->cli, node);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToArray(d->nodes, entry);
    oc_json_set_str(entry, "nodeId", node_id);
    oc_json_set_str(entry, "displayName", oc_json_get_str(node, "displayName"));
    oc_json_set_bool(entry, "connected", cli_node_is_connected(node));
    cJSON *commands = cJSON_Duplicate(oc_json_get(node, "gates"), true);
    oc_json_set(entry, "commands", commands);
    oc_json_set(entry, "switches", cJSON_Duplicate(oc_json_get(node, "switches"), true));
    if (!cli_node_is_connected(node) && cli_doctor_is_own_node(d, node_id)) {
        cli_doctor_own_node_away(d, name);
        return;
    }
    if (!cli_node_is_connected(node)) {
        cli_doctor_add(d, CLI_FINDING_WARN, "node",
                oc_fix_text(&(struct oc_grounds){ .remedy = OC_REMEDY_START_NODE }),
                "%s is not connected", name);
        return;
    }
    size_t usable = 0, total = 0;
    cJSON *gates = NULL;
    cJSON_ArrayForEach(gates, commands) {
        total++;
        usable += cli_node_gates_usable(gates);
        report_gate(d, name, node_id, gates);
    }
    cli_doctor_add(d, CLI_FINDING_OK, "node", NULL, "%s is connected, %zu of %zu commands usable",
            name, usable, total);
    report_switches(d, name, oc_json_get(node, "switches"));
}

static void check_nodes(struct cli_doctor *d) {
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *nodes = NULL, *node = NULL;
    struct oc_error err;
    if (cli_node_list(d->cli, &list, &nodes, &err) != OC_OK) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "node", oc_strdup(d->cli->fix), "%s", err.text);
        return;
    }
    if (cJSON_GetArraySize(nodes) == 0) {
        cli_doctor_add(d, CLI_FINDING_OFF, "node", oc_strdup("openclaw devices join-code"),
                "no node is paired yet");
    }
    size_t seen = 0;
    cJSON_ArrayForEach(node, nodes) {
        if (seen++ == MAX_NODES) {
            cli_doctor_add(d, CLI_FINDING_WARN, "node", oc_strdup("openclaw nodes status"),
                    "there are more nodes than the first %d looked at here", MAX_NODES);
            return;
        }
        check_node(d, node);
    }
}

void cli_doctor_gateway(struct cli_doctor *d) {
    OC_AUTO_JSON cJSON *health = NULL;
    struct oc_error err;
    enum oc_code rc = cli_call_tree(d->cli, "health", NULL, &health, &err);
    if (rc != OC_OK) {
        explain_failure(d, rc, &err);
        return;
    }
    describe_transport(d);
    check_waiting(d);
    check_nodes(d);
}
