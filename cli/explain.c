#include "cli/explain.h"

#include "cli/text.h"
#include "gateway/nodes/gates.h"
#include "lib/base/mem.h"
#include "lib/net/peer.h"
#include "lib/text/paste.h"

#include <string.h>

void oc_explained_finish(struct oc_explained *e) {
    oc_free(e->text);
    oc_free(e->fix);
    oc_free(e->code);
    *e = (struct oc_explained){ 0 };
}

static bool is_local(const struct oc_target *t) {
    return oc_streq(t->from, "local gateway");
}

static char *fix_secret(const struct oc_target *t, const char *which, const char *env) {
    if (oc_streq(t->from, "--url")) {
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
static char *fix_refused(const struct oc_target *t, const struct oc_session_end *end) {
    const char *code = oc_json_get_str(end->details, "code");
    if (!code) {
        code = end->error_code ? end->error_code : "";
    }
    if (oc_streq(code, "PAIRING_REQUIRED") || oc_streq(code, "NOT_PAIRED")) {
        return fix_pairing(end);
    }
    if (oc_streq(code, "AUTH_DEVICE_TOKEN_MISMATCH")) {
        return oc_strdup(
                "the stored device token was dropped; run the command again with the gateway token "
                "(OPENCLAW_GATEWAY_TOKEN)");
    }
    if (oc_streq(code, "AUTH_RATE_LIMITED")) {
        return fix_locked_out(end);
    }
    if (oc_streq(code, "TOO_MANY_CONNECTIONS")) {
        return oc_strdup("end programs that keep connections open, or try again later; the "
                         "gateway's log names who connects");
    }
    if (oc_starts_with(code, "AUTH_TOKEN_NOT_CONFIGURED")) {
        return oc_strdup("on the gateway host set gateway.auth.token or OPENCLAW_GATEWAY_TOKEN and "
                         "restart it");
    }
    if (oc_starts_with(code, "AUTH_PASSWORD")) {
        return fix_secret(t, "password", "OPENCLAW_GATEWAY_PASSWORD");
    }
    if (oc_starts_with(code, "AUTH_")) {
        return fix_secret(t, "token", "OPENCLAW_GATEWAY_TOKEN");
    }
    if (oc_streq(code, "PROTOCOL_MISMATCH") || end->close_code == 1002) {
        return oc_strdup("this openclaw speaks protocol 3 and 4; update the older side");
    }
    if (oc_starts_with(code, "DEVICE_AUTH")) {
        return oc_strdup("check that the clocks of both machines agree");
    }
    return NULL;
}

/* We did not accept the gateway's certificate. */
static char *fix_certificate(const struct oc_target *t, const char *why) {
    if (!strstr(why, "fingerprint mismatch")) {
        return oc_strdup("a self-signed certificate needs its pin: --tls-fingerprint <sha256> or "
                         "gateway.remote.tlsFingerprint");
    }
    if (is_local(t)) {
        return oc_strdup("the gateway on this port was started with another certificate; restart "
                         "it, or check who listens there");
    }
    return oc_strdup("if the certificate was replaced on purpose, use the new fingerprint (on the "
                     "gateway host: openclaw gateway status); otherwise somebody else answers");
}

void oc_explain_end(
        const struct oc_target *t, const struct oc_session_end *end, struct oc_explained *ret) {
    OC_AUTO_FREE char *message = oc_shown(end->message ? end->message : "connection lost");
    *ret = (struct oc_explained){ .code = oc_strdup(end->error_code) };
    if (end->had_hello) {
        static const char closed[] = "the gateway closed the connection";
        bool says_so = oc_starts_with(message, closed); /* once is enough */
        ret->text = oc_strfmt("the gateway at %s closed the connection%s%s", t->url,
                says_so ? "" : ": ", says_so ? message + strlen(closed) : message);
        if (end->close_code == 1012 || end->close_code == 1001) {
            ret->fix = oc_strdup("it is restarting or stopping: try again in a moment; a command "
                                 "that a node was running may have gone on there");
        } else if (end->close_code == 1013) {
            ret->fix = oc_strdup("it is short of memory for connections: try again in a moment, "
                                 "with fewer at a time");
        }
        return;
    }
    if (end->error_code || end->details) {
        ret->text = oc_strfmt("the gateway at %s refused the connection: %s", t->url, message);
        ret->fix = fix_refused(t, end);
        return;
    }
    char *hint = strstr(message, " (is the gateway running?"); /* our fix says it better */
    if (hint) {
        *hint = '\0';
    }
    OC_AUTO_FREE char *prefix = oc_strfmt("connect to %s:%u: ", t->host ? t->host : "", t->port);
    const char *why = oc_starts_with(message, prefix) ? message + strlen(prefix) : message;
    ret->text = oc_strfmt("cannot reach the gateway at %s: %s", t->url, why);
    if (strstr(why, "one of another gateway")) {
        ret->fix =
                oc_strdup("somebody passes on what another gateway says; if that is a proxy of "
                          "yours with TLS of its own, name its address in gateway.trustedProxies "
                          "there");
    } else if (end->code == OC_E_AUTH && t->tls) {
        ret->fix = fix_certificate(t, why);
    } else if (end->code == OC_E_AUTH) {
        ret->fix = oc_strdup(OC_PEER_FIX);
    } else if (strstr(why, "has too many connections")) {
        ret->fix = oc_strdup("try again in a moment; the gateway's log names who connects, "
                             "and openclaw devices remove <device> ends a device's connections");
    } else if (strstr(why, "too many failed attempts")) {
        ret->fix = oc_strdup("wait, then use the right token: a wrong one locks this address out "
                             "again");
    } else if (end->code == OC_E_TIMEOUT) {
        ret->fix = oc_strdup("check that this is the gateway's port; a busy gateway may need a "
                             "longer --timeout");
    } else if (t->tls && strstr(why, "does not speak TLS")) {
        ret->fix =
                oc_strdup("that gateway has no TLS: use ws:// (or set gateway.tls.enabled there)");
    } else if (!t->tls && strstr(why, "needs wss://")) {
        ret->fix =
                oc_strdup("if it has TLS, use wss:// with --tls-fingerprint (on the gateway host: "
                          "openclaw gateway status shows it); otherwise try again");
    } else if (is_local(t)) {
        ret->fix = oc_strdup("start it with: openclaw gateway run");
    } else {
        ret->fix = oc_strfmt("check that the gateway runs and that %s names it", t->from);
    }
}

/* The gates of a node command, where the answer gives them away but not their names. */
static char *fix_invoke(const cJSON *details, const char *message) {
    const char *reason = oc_json_get_str(details, "reason");
    if (oc_streq(reason, "command not allowlisted")) {
        return oc_paste("openclaw nodes allow <command> (gate: gateway command policy)",
                "openclaw nodes allow %s (gate: gateway command policy)",
                oc_json_get_str(details, "command"));
    }
    if (oc_streq(reason, "command not declared by node") ||
            oc_streq(reason, "node did not declare commands")) {
        return oc_strdup("see what the node offers, and what waits: openclaw nodes describe, "
                         "openclaw nodes pending (gate: node surface approval)");
    }
    if (strstr(message, "SYSTEM_RUN_DENIED") || strstr(message, "SYSTEM_RUN_DISABLED")) {
        return oc_strdup("openclaw approvals allowlist add <path of the program> --node <node>, or "
                         "openclaw approvals security full --node <node> for everything (gate: "
                         "local exec approvals)");
    }
    if (strstr(message, "node not connected")) {
        return oc_strdup(OC_FIX_START_NODE);
    }
    return NULL;
}

/* The message ends with what the details say once more, for clients that show only the message. */
static bool is_repeated(const char *message, const char *fix) {
    return fix && strstr(message, " (gate: ") && strstr(message, fix);
}

static char *fix_reply(const struct oc_reply *reply, const char *method) {
    const cJSON *details = oc_json_get(reply->error, "details");
    const char *message = reply->message ? reply->message : "";
    const char *given = oc_json_get_str(details, "fix");
    if (strstr(message, "fix: ") && !is_repeated(message, given)) {
        return NULL; /* the node named gate and fix itself, and it knows its own files best */
    }
    if (given) {
        const char *gate = oc_json_get_str(details, "gate");
        OC_AUTO_FREE char *shown_fix = oc_paste_told(OC_GATEWAY, given);
        OC_AUTO_FREE char *shown_gate = oc_shown(gate);
        return gate ? oc_strfmt("%s (gate: %s)", shown_fix, shown_gate) : oc_take(&shown_fix);
    }
    if (oc_starts_with(message, "missing scope: ")) {
        OC_AUTO_FREE char *shown = oc_shown(message + strlen("missing scope: "));
        return oc_strfmt(
                "this device may not do that; someone with %s must, or approve this device for it "
                "(openclaw devices list)",
                shown);
    }
    if (oc_streq(message, "unknown requestId")) {
        return oc_strdup("requests expire after five minutes; see openclaw nodes pending and "
                         "openclaw devices list");
    }
    if (oc_streq(method, "node.invoke")) {
        return fix_invoke(details, message);
    }
    return NULL;
}

/* "… (gate: …; fix: …)": what stands at the end would be pasted. Caller frees. */
static char *tame_fix(const char *message) {
    const char *at = strstr(message, "fix: ");
    if (!at) {
        return oc_strdup(message);
    }
    at += strlen("fix: ");
    size_t len = strlen(at);
    bool is_closed = len > 0 && at[len - 1] == ')';
    OC_AUTO_FREE char *said = oc_strndup(at, is_closed ? len - 1 : len);
    OC_AUTO_FREE char *told = oc_paste_told(OC_NODE, said);
    return oc_strfmt("%.*s%s%s", (int)(at - message), message, told, is_closed ? ")" : "");
}

void oc_explain_reply(const struct oc_reply *reply, const char *method, struct oc_explained *ret) {
    *ret = (struct oc_explained){ .code = oc_strdup(reply->error_code) };
    if (reply->code == OC_E_TIMEOUT && !reply->error) {
        ret->text = oc_strfmt("no answer to %s in time", method);
        ret->fix = oc_strdup("give it longer with --timeout <ms>");
        return;
    }
    OC_AUTO_FREE char *message =
            oc_strdup(reply->message ? reply->message : "the gateway gave no reason");
    ret->fix = fix_reply(reply, method);
    const char *given = oc_json_get_str(oc_json_get(reply->error, "details"), "fix");
    if (is_repeated(message, given)) {
        *strstr(message, " (gate: ") = '\0';
    }
    OC_AUTO_FREE char *tamed = tame_fix(message);
    ret->text = oc_shown(tamed);
}
