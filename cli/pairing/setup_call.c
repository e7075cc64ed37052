#include "cli/pairing/setup_call.h"

#include "cli/gateway/call.h"
#include "cli/gateway/target.h"
#include "cli/output.h"
#include "cli/text.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/net/dial.h"
#include "lib/protocol/setup_code.h"
#include "lib/text/paste.h"

enum oc_code cli_setup_call(
        struct cli_cli *cli, cJSON *take_params, cJSON **ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *params = take_params;
    OC_AUTO_JSON cJSON *nothing = NULL;
    const char *url = cli_args_text(&cli->args, "public-url");
    /* The first call connects; only then it is known where to. */
    enum oc_code rc = cli_call_tree(cli, "health", NULL, &nothing, err);
    if (rc != OC_OK) {
        return rc;
    }
    const struct cli_target *target = cli_rpc_target(cli->rpc);
    if (!url && target->from != CLI_TARGET_LOCAL) {
        url = target->url;
    }
    oc_json_set_str(params, "publicUrl", url);
    /* An address that this machine pins by itself is the gateway's own. */
    bool is_pinned = !cli_args_has(&cli->args, "public-url") && target->tls_fingerprint;
    if (url && (cli_args_has(&cli->args, "pin") || is_pinned)) {
        oc_json_set_bool(params, "tlsPin", true);
    }
    return cli_call_tree(cli, "device.pair.setupCode", oc_take(&params), ret, err);
}

char *cli_setup_command(const cJSON *answer) {
    return oc_paste(NULL, "openclaw node run --pair %s", oc_json_get_str(answer, "setupCode"));
}

/* A code that the new machine will not be able to use should not be found out about there. */
static void warn_of_transport(const cJSON *answer) {
    struct cli_target t = { 0 };
    struct oc_setup_code code = { 0 };
    struct oc_error ignored;
    const char *text = oc_json_get_str(answer, "setupCode");
    if (!text || oc_setup_code_decode(text, &code, &ignored) != OC_OK) {
        return;
    }
    if (cli_target_parse_url(code.url, &t, &ignored) == OC_OK) {
        OC_AUTO_FREE char *host = cli_shown(t.host);
        if (!t.tls && !oc_host_is_private(t.host)) {
            cli_note("warning: nodes refuse ws:// to %s: everyone on the way could read the token. "
                     "Give a wss:// address with --public-url",
                    host);
        } else if (t.tls && !code.tls_fingerprint) {
            cli_note("note: the code has no pin: the new machine checks the certificate of %s by "
                     "its authorities. If that address leads straight to this gateway, add --pin",
                    host);
        }
    }
    cli_target_finish(&t);
    oc_setup_code_finish(&code);
}

void cli_setup_print_facts(const cJSON *answer) {
    OC_AUTO_FREE char *url = cli_shown(oc_json_get_str(answer, "gatewayUrl"));
    char when[CLI_TIME_LEN];
    cli_time_of_day(oc_json_get_ms(answer, "expiresAtMs", 0), when);
    cli_out_line("Good once, until %s; leads to %s", when, url);
    warn_of_transport(answer);
    if (oc_streq(oc_json_get_str(answer, "urlSource"), "gateway.bind=loopback")) {
        cli_note("note: the gateway listens on this machine only. For other machines set "
                 "gateway.bind to \"lan\" (with gateway.tls), or give --public-url");
    }
}
