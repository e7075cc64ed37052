/* openclaw approvals pending, approve, deny, resolve: commands that wait until somebody allows
 * them. */
#include "cli/command.h"

#include "cli/approvals/approval_decide.h"
#include "cli/approvals/approval_facts.h"
#include "cli/approvals/approval_view.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"

#define MAX_ASKING_MS 5000 /* nodes that do not answer must not keep the list from being shown */

static int run_pending(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *list = NULL;
    if (cli_approvals_fetch(cli, &list, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    if (cli->is_json) {
        cli_out_json(list);
        return CLI_EXIT_OK;
    }
    if (cJSON_GetArraySize(list) == 0) {
        cli_out_line("No pending approvals.");
        return CLI_EXIT_OK;
    }
    OC_AUTO_JSON cJSON *known = NULL;
    const cJSON *nodes = cli_approval_nodes(cli, &known), *item;
    int64_t until_ms = oc_mono_ms(&oc_clock_system) + MAX_ASKING_MS;
    cJSON_ArrayForEach(item, list) {
        OC_AUTO_JSON cJSON *facts = oc_mono_ms(&oc_clock_system) < until_ms
                                            ? cli_approval_facts(cli, item, nodes)
                                            : NULL;
        cli_approval_print(item, nodes, facts);
    }
    cli_out_line("Decide with: openclaw approvals approve|deny <approval>, or one by one: openclaw "
                 "approvals watch");
    return CLI_EXIT_OK;
}

/* seen: what the decision is about, or NULL; facts: what its node says about it, or NULL. */
static int approvals_pending_finish(struct cli_cli *cli, const char *id, const cJSON *seen,
        const cJSON *facts, enum oc_decision decision) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *payload = NULL;
    if (cli_approval_decide(cli, id, seen, decision, &payload, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    bool is_always = decision == OC_DECISION_ALLOW_ALWAYS;
    const cJSON *kept = is_always ? oc_json_get(facts, "wouldAllow") : NULL;
    if (cli->is_json) {
        oc_json_set_str(payload, "id", id);
        oc_json_set_str(payload, "decision", oc_decision_name(decision));
        oc_json_set(payload, "remembers", kept ? cJSON_Duplicate(kept, true) : NULL);
        cli_out_json(payload);
        return CLI_EXIT_OK;
    }
    OC_AUTO_FREE char *shown = cli_shown(id);
    OC_AUTO_FREE char *always = is_always ? cli_approval_always(facts) : NULL;
    cli_out_line("Approval %s resolved %s%s%s", shown, oc_decision_name(decision),
            always ? ": it " : "", always ? always : "");
    return CLI_EXIT_OK;
}

/* Without a name the only one that waits. *ret borrows from *ret_list, which the caller deletes. */
static enum oc_code approvals_pending_find(struct cli_cli *cli, cJSON **ret_list, const cJSON **ret,
        bool *ret_is_exact, struct oc_error *err) {
    enum oc_code rc = cli_approvals_fetch(cli, ret_list, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (cli->args.rest.count > 0) {
        rc = cli_approval_pick(*ret_list, cli->args.rest.items[0], ret, ret_is_exact, err);
    } else if (cJSON_GetArraySize(*ret_list) == 1) {
        *ret = (*ret_list)->child;
        *ret_is_exact = false;
    } else if (cJSON_GetArraySize(*ret_list) == 0) {
        rc = oc_fail(err, OC_E_NOT_FOUND, "no command waits for approval");
    } else {
        rc = oc_fail(err, OC_E_INVALID, "several commands wait, name one");
    }
    if (rc != OC_OK) {
        cli_set_fix(cli, "openclaw approvals pending");
    }
    return rc;
}

/* Ids are chosen by whoever asks, so a beginning of one, or one that was seen a while ago, may now
 * stand for another command: what is approved is shown first. */
static enum oc_code get_consent(struct cli_cli *cli, const cJSON *item, const cJSON *nodes,
        const cJSON *facts, bool is_exact, struct oc_error *err) {
    if (cli_args_has(&cli->args, "yes")) {
        return OC_OK;
    }
    if (!cli_can_ask()) {
        if (is_exact) {
            return OC_OK;
        }
        cli_set_fix(cli, "give the whole id, or --yes");
        return oc_fail(err, OC_E_DENIED, "not approved: there is no terminal to ask on");
    }
    cli_approval_print(item, nodes, facts);
    bool is_always = cli_args_has(&cli->args, "always");
    OC_AUTO_FREE char *always = is_always ? cli_approval_always(facts) : NULL;
    return cli_ask("Allow it %s%s%s%s?", is_always ? "always" : "once", always ? " (that " : "",
                   always ? always : "", always ? ")" : "")
                   ? OC_OK
                   : oc_fail(err, OC_E_CANCELLED, "nothing was approved");
}

static int run_approve(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *list = NULL, *known = NULL;
    const cJSON *item = NULL;
    bool is_exact = false;
    if (approvals_pending_find(cli, &list, &item, &is_exact, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    OC_AUTO_FREE char *unbound =
            cli_args_has(&cli->args, "always") ? cli_approval_unbound(item) : NULL;
    if (unbound) {
        cli_set_fix(cli, "allow it once: openclaw approvals approve, without --always");
        (void)oc_fail(&err, OC_E_DENIED, "it cannot be allowed always: %.800s", unbound);
        return cli_fail(cli, &err);
    }
    const cJSON *nodes = cli_approval_nodes(cli, &known);
    OC_AUTO_JSON cJSON *facts = cli_approval_facts(cli, item, nodes);
    if (get_consent(cli, item, nodes, facts, is_exact, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    return approvals_pending_finish(cli, oc_json_get_str(item, "id"), item, facts,
            cli_args_has(&cli->args, "always") ? OC_DECISION_ALLOW_ALWAYS : OC_DECISION_ALLOW_ONCE);
}

static int run_deny(struct cli_cli *cli) {
    struct oc_error err;
    OC_AUTO_JSON cJSON *list = NULL;
    const cJSON *item = NULL;
    bool is_exact = false;
    if (approvals_pending_find(cli, &list, &item, &is_exact, &err) != OC_OK) {
        return cli_fail(cli, &err);
    }
    return approvals_pending_finish(cli, oc_json_get_str(item, "id"), item, NULL, OC_DECISION_DENY);
}

static int run_resolve(struct cli_cli *cli) {
    enum oc_decision decision = oc_decision_named(cli->args.rest.items[1]);
    if (!decision) {
        return cli_usage(cli, "the decision is one of allow-once, allow-always and deny");
    }
    return approvals_pending_finish(cli, cli->args.rest.items[0], NULL, NULL, decision);
}

static const struct cli_option approve_options[] = {
    { "always", 0, CLI_OPT_FLAG, NULL, "and let the node remember the program" },
    { "yes", 'y', CLI_OPT_FLAG, NULL, "do not ask" },
    { 0 },
};

const struct cli_command cli_command_approvals_pending = {
    .path = "approvals pending",
    .summary = "Commands that wait for somebody to allow them",
    .examples = "openclaw approvals pending",
    .calls_gateway = true,
    .run = run_pending,
};

const struct cli_command cli_command_approvals_approve = {
    .path = "approvals approve",
    .summary = "Allow a command that waits, once or always",
    .operands = "[approval]",
    .details =
            "The beginning of an id will do when only one has it; without an id the only command "
            "that waits is meant.\n"
            "Exit code: 0 approved, 1 not (decided before, out of time, not allowed), 2 misuse.",
    .examples = "openclaw approvals approve\n"
                "openclaw approvals approve 2b77 --always",
    .options = approve_options,
    .calls_gateway = true,
    .max_operands = 1,
    .run = run_approve,
};

const struct cli_command cli_command_approvals_deny = {
    .path = "approvals deny",
    .summary = "Turn away a command that waits",
    .operands = "[approval]",
    .examples = "openclaw approvals deny 2b77",
    .calls_gateway = true,
    .max_operands = 1,
    .run = run_deny,
};

const struct cli_command cli_command_approvals_resolve = {
    .path = "approvals resolve",
    .summary = "Allow a command that waits, or turn it away",
    .operands = "<approval> allow-once|allow-always|deny",
    .examples = "openclaw approvals resolve 2b77 allow-once",
    .calls_gateway = true,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_resolve,
};
