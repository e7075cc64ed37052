#include "cli/gateway/call.h"

#include "lib/base/mem.h"

#include <string.h>

/* Moves an explanation into err and the cli. */
static enum oc_code call_explained(
        struct cli_cli *cli, enum oc_code code, struct cli_explained *why, struct oc_error *err) {
    oc_fail(err, code, "%s", why->text ? why->text : "failed");
    err->grounds = why->grounds;
    oc_free(cli->fix);
    oc_free(cli->error_code);
    cli->fix = oc_take(&why->fix);
    cli->error_code = oc_take(&why->code);
    cli_explained_finish(why);
    return code;
}

static enum oc_code connect_gateway(struct cli_cli *cli, struct oc_error *err) {
    struct cli_target target;
    enum oc_code rc = cli_target_resolve(&cli->args, &target, err);
    if (rc == OC_OK) {
        struct cli_explained why = { 0 };
        rc = cli_rpc_open(&target, cli_timeout_ms(cli), &cli->rpc, &why);
        if (rc != OC_OK) {
            call_explained(cli, rc, &why, err);
        }
    }
    cli_target_finish(&target);
    return rc;
}

enum oc_code cli_reconnect(struct cli_cli *cli, struct oc_error *err) {
    cli_rpc_close(oc_take(&cli->rpc));
    return connect_gateway(cli, err);
}

enum oc_code cli_call(struct cli_cli *cli, const char *method, cJSON *take_params,
        int64_t timeout_ms, struct cli_rpc_reply *ret, struct oc_error *err) {
    if (!cli->rpc) {
        enum oc_code rc = connect_gateway(cli, err);
        if (rc != OC_OK) {
            cJSON_Delete(take_params);
            return rc;
        }
    }
    struct cli_explained why = { 0 };
    enum oc_code rc = cli_rpc_call(cli->rpc, method, take_params,
            timeout_ms > 0 ? timeout_ms : cli_timeout_ms(cli), ret, &why);
    return rc == OC_OK ? OC_OK : call_explained(cli, rc, &why, err);
}

/* \u0000 cannot be held by a tree; U+FFFD has the same length, so the text stays where it is. */
static void replace_nuls(char *json, size_t len) {
    for (size_t i = 0; i + 5 < len; i++) {
        if (json[i] != '\\') {
            continue;
        }
        if (memcmp(json + i, "\\u0000", 6) == 0) {
            memcpy(json + i, "\\ufffd", 6);
        }
        i++; /* whatever is escaped here is not the start of another escape */
    }
}

enum oc_code cli_call_tree(struct cli_cli *cli, const char *method, cJSON *take_params, cJSON **ret,
        struct oc_error *err) {
    return cli_call_tree_within(cli, method, take_params, 0, ret, err);
}

enum oc_code cli_call_tree_within(struct cli_cli *cli, const char *method, cJSON *take_params,
        int64_t timeout_ms, cJSON **ret, struct oc_error *err) {
    struct cli_rpc_reply reply;
    enum oc_code rc = cli_call(cli, method, take_params, timeout_ms, &reply, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_FREE char *text =
            oc_strndup(reply.payload.ptr ? reply.payload.ptr : "", reply.payload.len);
    size_t len = reply.payload.len;
    cli_rpc_reply_finish(&reply);
    replace_nuls(text, len);
    rc = oc_json_parse(len > 0 ? text : "{}", len > 0 ? len : 2, ret, err);
    if (rc != OC_OK) {
        oc_error_prefix(err, "the gateway's answer to %s cannot be read", method);
    }
    return rc;
}
