#include "gateway/gates.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static cJSON *details(const char *reason, const char *command, const char *gate, const char *fix) {
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "reason", reason);
    oc_json_set_str(d, "command", command);
    oc_json_set_str(d, "gate", gate);
    oc_json_set_str(d, "fix", fix);
    return d;
}

static void refuse_policy(struct oc_gate_refusal *ret, const struct oc_policy *policy,
        const char *platform, const char *command) {
    snprintf(ret->message, sizeof(ret->message),
            "node command not allowed: \"%.200s\" is not in the allowlist for platform \"%.100s\"",
            command, platform);
    OC_AUTO_FREE char *fix = oc_strv_has(&policy->deny, command)
                                     ? oc_strfmt("remove \"%s\" from gateway.nodes.commands.deny "
                                                 "(or denyCommands) in openclaw.json",
                                               command)
                                     : oc_strfmt("add \"%s\" to gateway.nodes.commands.allow in "
                                                 "openclaw.json",
                                               command);
    ret->details = details("command not allowlisted", command, OC_GATE_POLICY, fix);
}

/* Not one of the four gates: the program at the other end does not have it. */
#define UNDECLARED_FIX "use a node that has it: openclaw nodes status lists what each offers"

static void refuse_undeclared(struct oc_gate_refusal *ret, const struct oc_node *node,
        const char *platform, const char *command) {
    if (node->declared.count == 0) {
        snprintf(ret->message, sizeof(ret->message),
                "node command not allowed: the node did not declare any supported commands");
        ret->details = details("node did not declare commands", command, NULL, UNDECLARED_FIX);
        return;
    }
    snprintf(ret->message, sizeof(ret->message),
            "node command not allowed: the node (platform: %.100s) does not support \"%.200s\"",
            platform, command);
    ret->details = details("command not declared by node", command, NULL, UNDECLARED_FIX);
}

static void refuse_unapproved(
        struct oc_gate_refusal *ret, const struct oc_node *node, const char *command) {
    snprintf(ret->message, sizeof(ret->message),
            "node command not allowed: \"%.200s\" of this node is not approved yet", command);
    OC_AUTO_FREE char *fix =
            node->pending_request_id
                    ? oc_strfmt("openclaw nodes approve %s", node->pending_request_id)
                    : oc_strdup("restart the node, then openclaw nodes pending");
    ret->details = details("command not approved", command, OC_GATE_SURFACE, fix);
    oc_json_set_str(ret->details, "requestId", node->pending_request_id);
}

bool oc_gates_pass(const struct oc_node *node, const char *platform, const struct oc_policy *policy,
        const char *command, struct oc_gate_refusal *ret) {
    struct oc_command_gates g = oc_node_gates(node, policy, command);
    if (!platform) {
        platform = "unknown";
    }
    if (!g.policy) {
        refuse_policy(ret, policy, platform, command);
    } else if (!g.declared) {
        refuse_undeclared(ret, node, platform, command);
    } else if (!g.approved) {
        refuse_unapproved(ret, node, command);
    } else {
        return true;
    }
    return false;
}

bool oc_command_is_exec_approvals(const char *command) {
    return oc_starts_with(command, "system.execApprovals.");
}

static const char *truth(bool value) {
    return value ? "true" : "false";
}

void oc_gates_put_one(struct oc_buf *out, const char *command, struct oc_command_gates gates) {
    oc_json_append_string(out, command, strlen(command));
    oc_buf_printf(out, ":{\"declared\":%s,\"approved\":%s,\"policy\":%s", truth(gates.declared),
            truth(gates.approved), truth(gates.policy));
    if (gates.local != OC_LOCAL_UNKNOWN) {
        oc_buf_printf(out, ",\"local\":%s", truth(gates.local == OC_LOCAL_OPEN));
    }
    oc_buf_putc(out, '}');
}

void oc_gates_put(struct oc_buf *out, const struct oc_node *node, const struct oc_policy *policy) {
    bool is_first = true;
    oc_buf_putc(out, '{');
    for (size_t i = 0; i < node->declared.count; i++) {
        const char *command = node->declared.items[i];
        if (oc_command_is_exec_approvals(command)) {
            continue;
        }
        if (!is_first) {
            oc_buf_putc(out, ',');
        }
        is_first = false;
        oc_gates_put_one(out, command, oc_node_gates(node, policy, command));
    }
    oc_buf_putc(out, '}');
}

bool oc_gates_all_open(const struct oc_node *node) {
    size_t invocable = 0, open = 0;
    for (size_t i = 0; i < node->declared.count; i++) {
        invocable += !oc_command_is_exec_approvals(node->declared.items[i]);
    }
    for (size_t i = 0; i < node->commands.count; i++) {
        open += !oc_command_is_exec_approvals(node->commands.items[i]);
    }
    return invocable == open;
}
