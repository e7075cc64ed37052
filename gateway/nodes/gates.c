#include "gateway/nodes/gates.h"

#include "gateway/origin/client.h"
#include "lib/base/mem.h"
#include "lib/base/nearest.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/switches.h"
#include "lib/text/fix.h"

#include <string.h>

/* Fills in what the wire gets: why, then which gate and what opens it, the same way nodes say
 * it. */
static void gates_refuse(
        struct gw_gate_refusal *ret, const char *reason, const char *command, const char *why) {
    OC_AUTO_FREE char *text = oc_strfmt("node command not allowed: %s", why);
    OC_AUTO_FREE char *fix = oc_fix_text(&ret->grounds);
    OC_AUTO_FREE char *message =
            ret->grounds.gate ? oc_fix_sentence(text, &ret->grounds, fix) : oc_strdup(text);
    oc_str_put(ret->message, sizeof(ret->message), message);
    ret->details = cJSON_CreateObject();
    oc_json_set_str(ret->details, "reason", reason);
    oc_json_set_str(ret->details, "command", command);
    oc_grounds_put(ret->details, &ret->grounds, fix);
    oc_json_set_str(ret->details, "text", text);
}

static struct oc_grounds policy_grounds(const char *command) {
    struct oc_grounds g = { .cause = OC_CAUSE_COMMAND_NOT_ALLOWED,
        .gate = OC_GATE_POLICY,
        .remedy = OC_REMEDY_ALLOW_COMMAND };
    oc_grounds_set_subject(&g, command);
    return g;
}

/* A name that no node has: allowing it would help nobody. "; did you mean …?", or ""; NULL: it is
 * known. Caller frees. */
static char *gates_unknown(const struct gw_node *node, const char *command) {
    OC_AUTO_STRV struct oc_strv known = { 0 };
    gw_policy_known(&known);
    if (oc_strv_has(&known, command) || oc_strv_has(&node->declared, command)) {
        return NULL;
    }
    const char *near = oc_nearest(command, (const char *const *)known.items, known.count);
    return near ? oc_strfmt("; did you mean \"%s\"?", near) : oc_strdup("");
}

static void refuse_policy(struct gw_gate_refusal *ret, const struct gw_node *node,
        const struct gw_policy *policy, const char *platform, const char *command) {
    OC_AUTO_FREE char *unknown = gates_unknown(node, command);
    OC_AUTO_FREE char *why =
            oc_strv_has(&policy->deny, command)
                    ? oc_strfmt("\"%.200s\" is on the gateway's list of denied commands", command)
                    : oc_strfmt("\"%.200s\" is not in the allowlist for platform \"%.100s\"%s%s",
                              command, platform, unknown ? ", and no command that nodes have" : "",
                              unknown ? unknown : "");
    ret->grounds = policy_grounds(command);
    if (unknown) {
        ret->grounds.remedy = OC_REMEDY_NONE;
    }
    gates_refuse(ret, "command not allowlisted", command, why);
}

/* What the node's owner has to do for a command that needs a switch; no remedy when that is not
 * why. */
static struct oc_grounds switch_grounds(const struct gw_node *node, const char *command) {
    const struct oc_switch *s = oc_switch_of(command);
    return s ? oc_switch_grounds(node->permissions, s, node->client ? node->client->id : NULL)
             : (struct oc_grounds){ 0 };
}

static void refuse_switched_off(
        struct gw_gate_refusal *ret, const struct gw_node *node, const char *command) {
    const struct oc_switch *s = oc_switch_of(command);
    OC_AUTO_FREE char *why =
            oc_switch_read(node->permissions, s) == OC_SWITCH_OFF
                    ? oc_strfmt("%s: the node's owner has not switched %s on", s->disabled, s->name)
                    : oc_strfmt("the node lacks the program for \"%.200s\"", command);
    ret->grounds = switch_grounds(node, command);
    gates_refuse(ret, "switched off at the node", command, why);
}

/* Not one of the four gates: the program at the other end does not have it. */
static void refuse_undeclared(struct gw_gate_refusal *ret, const struct gw_node *node,
        const char *platform, const char *command) {
    ret->grounds = (struct oc_grounds){ .cause = OC_CAUSE_COMMAND_NOT_DECLARED,
        .remedy = OC_REMEDY_OTHER_NODE };
    oc_grounds_set_subject(&ret->grounds, command);
    if (node->declared.count == 0) {
        gates_refuse(ret, "node did not declare commands", command,
                "the node did not declare any supported commands");
        return;
    }
    OC_AUTO_FREE char *why =
            oc_strfmt("the node (platform: %.100s) does not support \"%.200s\"", platform, command);
    gates_refuse(ret, "command not declared by node", command, why);
}

static struct oc_grounds unapproved_grounds(const struct gw_node *node) {
    struct oc_grounds g = { .cause = OC_CAUSE_COMMAND_NOT_APPROVED,
        .gate = OC_GATE_SURFACE,
        .remedy = node->pending_request_id ? OC_REMEDY_APPROVE_NODE : OC_REMEDY_RESTART_NODE };
    oc_grounds_set_subject(&g, node->pending_request_id);
    return g;
}

static void refuse_unapproved(
        struct gw_gate_refusal *ret, const struct gw_node *node, const char *command) {
    OC_AUTO_FREE char *why = oc_strfmt("\"%.200s\" of this node is not approved yet", command);
    ret->grounds = unapproved_grounds(node);
    gates_refuse(ret, "command not approved", command, why);
    oc_json_set_str(ret->details, "requestId", node->pending_request_id);
}

bool gw_gates_pass(const struct gw_node *node, const char *platform, const struct gw_policy *policy,
        const char *command, struct gw_gate_refusal *ret) {
    struct gw_command_gates g = gw_node_gates(node, policy, command);
    if (!platform) {
        platform = "unknown";
    }
    if (!g.policy) {
        refuse_policy(ret, node, policy, platform, command);
    } else if (!g.declared && g.local == GW_LOCAL_SHUT && oc_switch_of(command)) {
        refuse_switched_off(ret, node, command);
    } else if (!g.declared) {
        refuse_undeclared(ret, node, platform, command);
    } else if (!g.approved) {
        refuse_unapproved(ret, node, command);
    } else {
        return true;
    }
    return false;
}

bool gw_command_is_exec_approvals(const char *command) {
    return oc_starts_with(command, "system.execApprovals.");
}

static const char *gates_truth(bool value) {
    return value ? "true" : "false";
}

static void put_member(struct oc_buf *out, const char *key, const char *text) {
    if (text && *text) {
        oc_buf_printf(out, ",\"%s\":", key);
        oc_json_append_string(out, text, strlen(text));
    }
}

/* As oc_grounds_put writes them. */
static void put_gate(struct oc_buf *out, const struct oc_grounds *g) {
    OC_AUTO_FREE char *fix = oc_fix_text(g);
    put_member(out, "cause", oc_cause_name(g->cause));
    put_member(out, "gate", oc_gate_name(g->gate));
    put_member(out, "subject", g->subject);
    put_member(out, "remedy", oc_remedy_name(g->remedy));
    if (g->is_at_node) {
        oc_buf_puts(out, ",\"atNode\":true");
    }
    put_member(out, "nodeId", g->node_id);
    put_member(out, "fix", fix);
}

static void put_command(
        struct oc_buf *out, const char *command, const struct gw_command_gates *gates) {
    oc_json_append_string(out, command, strlen(command));
    oc_buf_printf(out, ":{\"declared\":%s,\"approved\":%s,\"policy\":%s",
            gates_truth(gates->declared), gates_truth(gates->approved), gates_truth(gates->policy));
    if (gates->local != GW_LOCAL_UNKNOWN) {
        oc_buf_printf(out, ",\"local\":%s", gates_truth(gates->local == GW_LOCAL_OPEN));
    }
}

void gw_gates_put_offline(
        struct oc_buf *out, const char *command, const struct gw_command_gates *gates) {
    struct oc_grounds g = { .cause = OC_CAUSE_NODE_NOT_CONNECTED, .remedy = OC_REMEDY_START_NODE };
    put_command(out, command, gates);
    if (!gates->policy) {
        g = policy_grounds(command);
    }
    put_gate(out, &g);
    oc_buf_putc(out, '}');
}

struct oc_grounds gw_gates_local(const char *node_id) {
    struct oc_grounds g = { .cause = OC_CAUSE_RUN_DISABLED,
        .gate = OC_GATE_LOCAL,
        .remedy = OC_REMEDY_SECURITY_ALLOWLIST };
    oc_grounds_set_node(&g, node_id);
    return g;
}

/* The first gate on the way that is shut: the one to open next. */
static void put_shut(struct oc_buf *out, const struct gw_node *node, const char *command,
        const struct gw_command_gates *gates) {
    struct oc_grounds g = { 0 };
    if (!gates->policy) {
        g = policy_grounds(command);
    } else if (!gates->approved) {
        g = unapproved_grounds(node);
    } else if (gates->local == GW_LOCAL_SHUT) {
        g = switch_grounds(node, command);
        if (!g.remedy) {
            const struct oc_switch *afar = oc_switch_of("system.execApprovals.set");
            g = gw_gates_local(node->id);
            g.is_at_node = oc_switch_read(node->permissions, afar) == OC_SWITCH_OFF;
        }
    }
    put_gate(out, &g);
}

void gw_gates_put(struct oc_buf *out, const struct gw_node *node, const struct gw_policy *policy,
        bool with_fixes) {
    bool is_first = true;
    oc_buf_putc(out, '{');
    for (size_t i = 0; i < node->declared.count; i++) {
        const char *command = node->declared.items[i];
        if (gw_command_is_exec_approvals(command)) {
            continue;
        }
        if (!is_first) {
            oc_buf_putc(out, ',');
        }
        is_first = false;
        struct gw_command_gates gates = gw_node_gates(node, policy, command);
        put_command(out, command, &gates);
        if (with_fixes) {
            put_shut(out, node, command, &gates);
        }
        oc_buf_putc(out, '}');
    }
    oc_buf_putc(out, '}');
}

bool gw_gates_all_open(const struct gw_node *node) {
    size_t invocable = 0, open = 0;
    for (size_t i = 0; i < node->declared.count; i++) {
        invocable += !gw_command_is_exec_approvals(node->declared.items[i]);
    }
    for (size_t i = 0; i < node->commands.count; i++) {
        open += !gw_command_is_exec_approvals(node->commands.items[i]);
    }
    return invocable == open;
}
