#include "gateway/nodes/gates.h"

#include "gateway/conn/conn.h"
#include "lib/base/mem.h"
#include "lib/protocol/switches.h"
#include "lib/text/paste.h"

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

/* Why, then which gate and what opens it, the same way nodes say it. */
static void put_message(
        struct oc_gate_refusal *ret, const char *why, const char *gate, const char *fix) {
    snprintf(ret->message, sizeof(ret->message), "node command not allowed: %s (gate: %s; fix: %s)",
            why, gate, fix);
}

static void refuse_policy(struct oc_gate_refusal *ret, const struct oc_policy *policy,
        const char *platform, const char *command) {
    OC_AUTO_FREE char *why =
            oc_strv_has(&policy->deny, command)
                    ? oc_strfmt("\"%.200s\" is on the gateway's list of denied commands", command)
                    : oc_strfmt("\"%.200s\" is not in the allowlist for platform \"%.100s\"",
                              command, platform);
    OC_AUTO_FREE char *fix = oc_policy_fix(policy, command);
    put_message(ret, why, oc_gate_name(OC_GATE_POLICY), fix);
    ret->details = details("command not allowlisted", command, oc_gate_name(OC_GATE_POLICY), fix);
}

/* What the node's owner has to do for a command that needs a switch; NULL when that is not why. Caller frees. */
static char *fix_switch(const struct oc_node *node, const char *command) {
    const struct oc_switch *s = oc_switch_of(command);
    return s ? oc_switch_fix(node->permissions, s, node->conn ? node->conn->client_id : NULL)
             : NULL;
}

static void refuse_switched_off(
        struct oc_gate_refusal *ret, const struct oc_node *node, const char *command) {
    const struct oc_switch *s = oc_switch_of(command);
    OC_AUTO_FREE char *fix = fix_switch(node, command);
    OC_AUTO_FREE char *why =
            oc_switch_state(node->permissions, s) == OC_SWITCH_OFF
                    ? oc_strfmt("%s: the node's owner has not switched %s on", s->disabled, s->name)
                    : oc_strfmt("the node lacks the program for \"%.200s\"", command);
    put_message(ret, why, oc_gate_name(OC_GATE_SWITCH), fix);
    ret->details = details("switched off at the node", command, oc_gate_name(OC_GATE_SWITCH), fix);
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

static char *fix_unapproved(const struct oc_node *node) {
    return oc_paste("restart the node, then openclaw nodes approve", "openclaw nodes approve %s",
            node->pending_request_id);
}

static void refuse_unapproved(
        struct oc_gate_refusal *ret, const struct oc_node *node, const char *command) {
    OC_AUTO_FREE char *why = oc_strfmt("\"%.200s\" of this node is not approved yet", command);
    OC_AUTO_FREE char *fix = fix_unapproved(node);
    put_message(ret, why, oc_gate_name(OC_GATE_SURFACE), fix);
    ret->details = details("command not approved", command, oc_gate_name(OC_GATE_SURFACE), fix);
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
    } else if (!g.declared && g.local == OC_LOCAL_SHUT && oc_switch_of(command)) {
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

bool oc_command_is_exec_approvals(const char *command) {
    return oc_starts_with(command, "system.execApprovals.");
}

static const char *truth(bool value) {
    return value ? "true" : "false";
}

static void put_gate(struct oc_buf *out, const char *gate, const char *fix) {
    if (gate) {
        oc_buf_printf(out, ",\"gate\":\"%s\"", gate);
    }
    if (fix) {
        oc_buf_puts(out, ",\"fix\":");
        oc_json_append_string(out, fix, strlen(fix));
    }
}

static void put_command(
        struct oc_buf *out, const char *command, const struct oc_command_gates *gates) {
    oc_json_append_string(out, command, strlen(command));
    oc_buf_printf(out, ":{\"declared\":%s,\"approved\":%s,\"policy\":%s", truth(gates->declared),
            truth(gates->approved), truth(gates->policy));
    if (gates->local != OC_LOCAL_UNKNOWN) {
        oc_buf_printf(out, ",\"local\":%s", truth(gates->local == OC_LOCAL_OPEN));
    }
}

void oc_gates_put_offline(struct oc_buf *out, const struct oc_policy *policy, const char *command,
        const struct oc_command_gates *gates) {
    put_command(out, command, gates);
    OC_AUTO_FREE char *fix =
            gates->policy ? oc_strdup(OC_FIX_START_NODE) : oc_policy_fix(policy, command);
    put_gate(out, gates->policy ? NULL : oc_gate_name(OC_GATE_POLICY), fix);
    oc_buf_putc(out, '}');
}

char *oc_gates_fix_local(const char *node_id) {
    OC_AUTO_FREE char *id = oc_paste_id(node_id);
    return oc_paste("openclaw approvals security allowlist --node <its id>",
            "openclaw approvals security allowlist --node %s", id);
}

char *oc_gates_fix_program(const char *node_id, const char *program) {
    OC_AUTO_FREE char *id = oc_paste_id(node_id);
    return *program == '/'
                   ? oc_paste(NULL, "openclaw approvals allowlist add %s --node %s", program, id)
                   : NULL;
}

char *oc_gates_fix_from_afar(const char *node_id, const char *command) {
    static const char *const known[] = { "openclaw approvals ask on-miss",
        "openclaw approvals security full" };
    static const char add[] = "openclaw approvals allowlist add ";
    if (oc_starts_with(command, add)) {
        const char *program = command + strlen(add);
        return program[strcspn(program, " '\"")] ? NULL : oc_gates_fix_program(node_id, program);
    }
    OC_AUTO_FREE char *id = oc_paste_id(node_id);
    OC_AUTO_FREE char *place = oc_paste(NULL, " --node %s", id);
    for (size_t i = 0; i < OC_COUNT(known) && place; i++) {
        if (oc_streq(command, known[i])) {
            return oc_strfmt("%s%s", command, place);
        }
    }
    return NULL;
}

/* The first gate on the way that is shut: the one to open next. */
static void put_shut(struct oc_buf *out, const struct oc_node *node, const struct oc_policy *policy,
        const char *command, const struct oc_command_gates *gates) {
    if (!gates->policy) {
        OC_AUTO_FREE char *fix = oc_policy_fix(policy, command);
        put_gate(out, oc_gate_name(OC_GATE_POLICY), fix);
    } else if (!gates->approved) {
        OC_AUTO_FREE char *fix = fix_unapproved(node);
        put_gate(out, oc_gate_name(OC_GATE_SURFACE), fix);
    } else if (gates->local == OC_LOCAL_SHUT) {
        OC_AUTO_FREE char *of_switch = fix_switch(node, command);
        const struct oc_switch *afar = oc_switch_of("system.execApprovals.set");
        bool is_far = oc_switch_state(node->permissions, afar) != OC_SWITCH_OFF;
        OC_AUTO_FREE char *fix =
                of_switch ? NULL
                : is_far  ? oc_gates_fix_local(node->id)
                          : oc_strdup(OC_FIX_AT_NODE "openclaw approvals security allowlist");
        put_gate(out, of_switch ? oc_gate_name(OC_GATE_SWITCH) : oc_gate_name(OC_GATE_LOCAL),
                of_switch ? of_switch : fix);
    }
}

void oc_gates_put(struct oc_buf *out, const struct oc_node *node, const struct oc_policy *policy,
        bool with_fixes) {
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
        struct oc_command_gates gates = oc_node_gates(node, policy, command);
        put_command(out, command, &gates);
        if (with_fixes) {
            put_shut(out, node, policy, command, &gates);
        }
        oc_buf_putc(out, '}');
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
