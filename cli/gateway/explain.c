#include "cli/gateway/explain.h"

#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/net/peer.h"
#include "lib/text/fix.h"
#include "lib/text/paste.h"

void cli_explained_finish(struct cli_explained *e) {
    oc_free(e->text);
    oc_free(e->fix);
    oc_free(e->code);
    *e = (struct cli_explained){ 0 };
}

static bool is_local(const struct cli_target *t) {
    return t->from == CLI_TARGET_LOCAL;
}

static char *fix_secret(const struct cli_target *t, const char *which, const char *env) {
    if (t->from == CLI_TARGET_URL) {
        return oc_strfmt("pass the gateway's %s with --%s-file <file>", which, which);
    }
    if (is_local(t)) {
        return oc_strfmt("set %s to the gateway's gateway.auth.%s (or put it into %s)", env, which,
                t->config_path);
    }
    return oc_strfmt("set gateway.remote.%s in %s to match the gateway's gateway.auth.%s", which,
            t->config_path, which);
}

static char *fix_pairing(const struct oc_session_end *end) {
    return oc_paste("on the gateway host run: openclaw devices list, then openclaw devices approve "
                    "<request>",
            "on the gateway host run: openclaw devices approve %s",
            oc_json_get_str(end->details, "requestId"));
}

static char *fix_locked_out(const struct oc_session_end *end) {
    int64_t ms = oc_json_get_ms(end->details, "retryAfterMs", end->retry_after_ms);
    if (ms <= 0) {
        return oc_strdup("too many wrong tries from this address; wait a few minutes");
    }
    int64_t s = (ms + 999) / 1000;
    return oc_strfmt("too many wrong tries from this address; try again in %lld %s",
            (long long)(s < 120 ? s : (s + 59) / 60), s < 120 ? "s" : "minutes");
}

/* What the gateway said about our connect. */
static char *fix_refused(const struct cli_target *t, const struct oc_session_end *end) {
    switch (end->grounds.cause) {
    case OC_CAUSE_NOT_PAIRED:
        return fix_pairing(end);
    case OC_CAUSE_DEVICE_TOKEN_MISMATCH:
        return oc_strdup(
                "the stored device token was dropped; run the command again with the gateway token "
                "(OPENCLAW_GATEWAY_TOKEN)");
    case OC_CAUSE_LOCKED_OUT:
        return fix_locked_out(end);
    case OC_CAUSE_CROWDED:
        return oc_strdup("end programs that keep connections open, or try again later; the "
                         "gateway's log names who connects");
    case OC_CAUSE_NO_SECRET:
        return oc_strdup("on the gateway host set gateway.auth.token or OPENCLAW_GATEWAY_TOKEN and "
                         "restart it");
    case OC_CAUSE_PROXY_REQUIRED:
        return oc_strdup("connect through the proxy that the gateway trusts, or change "
                         "gateway.auth.mode there");
    case OC_CAUSE_WRONG_PASSWORD:
        return fix_secret(t, "password", "OPENCLAW_GATEWAY_PASSWORD");
    case OC_CAUSE_UNAUTHORIZED:
    case OC_CAUSE_WRONG_TOKEN:
        return fix_secret(t, "token", "OPENCLAW_GATEWAY_TOKEN");
    case OC_CAUSE_PROTOCOL_MISMATCH:
        return oc_strdup("this openclaw speaks protocol 3 and 4; update the older side");
    case OC_CAUSE_BAD_PROOF:
        return oc_strdup("check that the clocks of both machines agree");
    default:
        return oc_fix_text(&end->grounds);
    }
}

/* We did not accept the gateway's certificate. */
static char *fix_certificate(const struct cli_target *t, enum oc_cause cause) {
    if (cause != OC_CAUSE_CERTIFICATE_CHANGED) {
        return oc_strdup("give its pin, which openclaw gateway status shows on the gateway host: "
                         "--tls-fingerprint <sha256> or gateway.remote.tlsFingerprint");
    }
    if (is_local(t)) {
        return oc_strdup("the gateway on this port was started with another certificate; restart "
                         "it, or check who listens there");
    }
    return oc_strdup("if the certificate was replaced on purpose, use the new fingerprint (on the "
                     "gateway host: openclaw gateway status); otherwise somebody else answers");
}

/* It was open. */
static void explain_close(
        const struct cli_target *t, const struct oc_session_end *end, struct cli_explained *ret) {
    bool is_close = end->code == OC_E_CLOSED && end->close_code && end->close_code != 1006;
    OC_AUTO_FREE char *said = cli_shown(is_close && end->close_reason ? end->close_reason : "");
    OC_AUTO_FREE char *message = cli_shown(end->message ? end->message : "connection lost");
    ret->text = is_close
                        ? oc_strfmt("the gateway at %s closed the connection (%u%s%s)", t->url,
                                  end->close_code, *said ? " " : "", said)
                        : oc_strfmt("the gateway at %s closed the connection: %s", t->url, message);
    if (end->close_code == 1012 || end->close_code == 1001) {
        ret->fix = oc_strdup("it is restarting or stopping: try again in a moment; a command that "
                             "a node was running may have gone on there");
    } else if (end->close_code == 1013) {
        ret->fix = oc_strdup("it is short of memory for connections: try again in a moment, with "
                             "fewer at a time");
    }
}

/* It never was: nobody has refused us, we did not get that far. */
static char *fix_unreached(const struct cli_target *t, const struct oc_session_end *end) {
    enum oc_cause cause = end->grounds.cause;
    if (cause == OC_CAUSE_OTHER_GATEWAY) {
        return oc_strdup("somebody passes on what another gateway says; if that is a proxy of "
                         "yours with TLS of its own, name its address in gateway.trustedProxies "
                         "there");
    }
    if (end->code == OC_E_AUTH) {
        return t->tls ? fix_certificate(t, cause) : oc_strdup(OC_PEER_FIX);
    }
    if (cause == OC_CAUSE_CROWDED) {
        return oc_strdup("try again in a moment; the gateway's log names who connects, "
                         "and openclaw devices remove <device> ends a device's connections");
    }
    if (cause == OC_CAUSE_LOCKED_OUT) {
        return oc_strdup("wait, then use the right token: a wrong one locks this address out "
                         "again");
    }
    if (end->code == OC_E_TIMEOUT) {
        return oc_strdup("check that this is the gateway's port; a busy gateway may need a "
                         "longer --timeout");
    }
    if (cause == OC_CAUSE_NO_TLS) {
        return oc_strdup("that gateway has no TLS: use ws:// (or set gateway.tls.enabled there)");
    }
    if (cause == OC_CAUSE_NEEDS_TLS && is_local(t)) {
        return oc_strdup(
                "the gateway there has TLS, and openclaw.json of this machine does not say "
                "so: openclaw doctor");
    }
    if (cause == OC_CAUSE_NEEDS_TLS) {
        return oc_strdup("use wss:// with its pin, which openclaw gateway status shows on the "
                         "gateway host: --tls-fingerprint <sha256>");
    }
    if (cause == OC_CAUSE_CLOSED_EARLY) {
        return oc_strdup("if it has TLS, use wss:// with --tls-fingerprint (on the gateway host: "
                         "openclaw gateway status shows it); otherwise try again");
    }
    static const struct oc_grounds not_started = { .remedy = OC_REMEDY_START_GATEWAY };
    return is_local(t) ? oc_fix_text(&not_started)
                       : oc_strfmt("check that the gateway runs and that %s names it",
                                 cli_target_from_name(t->from));
}

void cli_explain_end(
        const struct cli_target *t, const struct oc_session_end *end, struct cli_explained *ret) {
    *ret = (struct cli_explained){ .code = oc_strdup(end->error_code), .grounds = end->grounds };
    if (end->had_hello) {
        explain_close(t, end, ret);
        return;
    }
    OC_AUTO_FREE char *message = cli_shown(end->message ? end->message : "connection lost");
    if (end->error_code || end->details) {
        ret->text = oc_strfmt("the gateway at %s refused the connection: %s", t->url, message);
        ret->fix = fix_refused(t, end);
        return;
    }
    ret->text = oc_strfmt("cannot reach the gateway at %s: %s", t->url, message);
    ret->fix = fix_unreached(t, end);
}

void cli_explain_reply(
        const struct oc_reply *reply, const char *method, struct cli_explained *ret) {
    *ret = (struct cli_explained){ .code = oc_strdup(reply->error_code),
        .grounds = reply->grounds };
    if (reply->code == OC_E_TIMEOUT && !reply->error) {
        ret->grounds.cause = OC_CAUSE_TIMED_OUT;
        ret->text = oc_strfmt("no answer to %s in time", method);
        ret->fix = oc_strdup("give it longer with --timeout <ms>");
        return;
    }
    ret->text = cli_shown(reply->text ? reply->text : "the gateway gave no reason");
    ret->fix = oc_fix_text(&reply->grounds);
}
