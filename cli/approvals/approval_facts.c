#include "cli/approvals/approval_facts.h"

#include "cli/approvals/approval_view.h"
#include "cli/gateway/call.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"

#define ASK_MS 3000L /* the person waits */

static const cJSON *find_node(const cJSON *nodes, const char *id) {
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes) {
        if (id && oc_streq(oc_json_get_str(node, "nodeId"), id)) {
            return node;
        }
    }
    return NULL;
}

static bool can_say(const cJSON *node) {
    OC_AUTO_STRV struct oc_strv commands = { 0 };
    oc_json_get_strv(node, "commands", &commands);
    return oc_json_get_bool(node, "connected", false) &&
           oc_strv_has(&commands, "system.run.prepare");
}

static void copy_text(cJSON *to, const cJSON *from, const char *key) {
    oc_json_set_str(to, key, oc_json_get_str(from, key));
}

static cJSON *prepare_params(const cJSON *item, const struct oc_strv *argv) {
    const cJSON *request = oc_json_get(item, "request");
    cJSON *wanted = cJSON_CreateObject(), *invoke = cJSON_CreateObject();
    char key[OC_UUID_LEN + 1];
    oc_uuid4(key);
    oc_json_set_strv(wanted, "command", argv);
    copy_text(wanted, request, "cwd");
    copy_text(wanted, request, "agentId");
    copy_text(wanted, request, "sessionKey");
    const cJSON *env = oc_json_get(request, "env");
    oc_json_set(wanted, "env", cJSON_IsObject(env) ? cJSON_Duplicate(env, true) : NULL);
    copy_text(invoke, request, "nodeId");
    oc_json_set_str(invoke, "command", "system.run.prepare");
    oc_json_set(invoke, "params", wanted);
    oc_json_set_int(invoke, "timeoutMs", ASK_MS);
    oc_json_set_str(invoke, "idempotencyKey", key);
    return invoke;
}

/* What the node sees now; NULL: it does not say. Caller deletes. */
static cJSON *approval_facts_look(struct cli_cli *cli, const cJSON *item) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    OC_AUTO_JSON cJSON *answer = NULL;
    struct cli_rpc_reply reply;
    struct oc_error ignored;
    cli_approval_argv(item, &argv);
    if (argv.count == 0) {
        return NULL;
    }
    if (cli_call(cli, "node.invoke", prepare_params(item, &argv), 2 * ASK_MS, &reply, &ignored) !=
            OC_OK) {
        oc_free(oc_take(&cli->fix)); /* of a failure that is not the command's own */
        oc_free(oc_take(&cli->error_code));
        return NULL;
    }
    enum oc_code rc = oc_json_parse(reply.payload.ptr, reply.payload.len, &answer, &ignored);
    cli_rpc_reply_finish(&reply);
    const cJSON *said = rc == OC_OK ? oc_json_path(answer, "payload.approval") : NULL;
    return cJSON_IsObject(said) ? cJSON_Duplicate(said, true) : NULL;
}

static bool is_other(const cJSON *bound, const cJSON *now) {
    const char *then = oc_json_get_str(bound, "state"), *is = oc_json_get_str(now, "state");
    return then && is && !oc_streq(then, is);
}

cJSON *cli_approval_facts(struct cli_cli *cli, const cJSON *item, const cJSON *nodes) {
    const cJSON *request = oc_json_get(item, "request"), *bound = oc_json_get(request, "look");
    const cJSON *node = find_node(nodes, oc_json_get_str(request, "nodeId"));
    OC_AUTO_JSON cJSON *now = node && can_say(node) ? approval_facts_look(cli, item) : NULL;
    if (!bound) {
        return oc_take(&now);
    }
    cJSON *facts = cJSON_Duplicate(bound, true);
    if (is_other(bound, now)) {
        oc_json_set_bool(facts, "isChanged", true);
    }
    return facts;
}

cJSON *cli_approval_local_facts(const cJSON *item) {
    static const char *const told[] = { "resolvedPath", "reason", "security", "ask", "nodeCwd",
        "wouldAllowFor" };
    const cJSON *request = oc_json_get(item, "request");
    cJSON *facts = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(told); i++) {
        copy_text(facts, request, told[i]);
    }
    const cJSON *kept = oc_json_get(request, "wouldAllow");
    oc_json_set(facts, "wouldAllow", cJSON_IsArray(kept) ? cJSON_Duplicate(kept, true) : NULL);
    const cJSON *bound = oc_json_get(request, "bound");
    oc_json_set(facts, "bound", cJSON_IsArray(bound) ? cJSON_Duplicate(bound, true) : NULL);
    return facts;
}
