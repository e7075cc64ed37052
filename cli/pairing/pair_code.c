#include "cli/pairing/pair_code.h"

#include "cli/gateway/secret.h"
#include "cli/gateway/target.h"
#include "cli/pairing/join_link.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "node/link/enrolled.h"

#include <stdlib.h>

static enum oc_code read_text(const char *given, char **ret, struct oc_error *err) {
    if (oc_streq(given, "-")) {
        return cli_secret_from_file("-", "join code", ret, err);
    }
    *ret = oc_strdup(given);
    return OC_OK;
}

/* A link is followed only when it is needed, because that uses it up. */
static enum oc_code read_link(const char *link, const struct cli_args *args,
        const char *gateway_user, const char *state_dir, bool is_needed, struct cli_pair_code *ret,
        struct oc_error *err) {
    enum oc_code rc = cli_join_link_target(link, &ret->target, err);
    if (rc != OC_OK) {
        return rc;
    }
    if (!is_needed && nd_is_enrolled(state_dir, ret->target.host, ret->target.port)) {
        ret->code.url = oc_strdup(ret->target.url);
        return OC_OK;
    }
    rc = cli_join_link_follow(
            link, cli_args_text(args, "tls-fingerprint"), gateway_user, &ret->code, err);
    if (rc == OC_OK) {
        cli_target_finish(&ret->target);
        rc = cli_target_parse_url(ret->code.url, &ret->target, err);
    }
    return rc;
}

static enum oc_code pair_code_parse(const char *given, const struct cli_args *args,
        const char *gateway_user, const char *state_dir, bool is_needed, struct cli_pair_code *ret,
        struct oc_error *err) {
    OC_AUTO_SECRET char *text = NULL;
    enum oc_code rc = read_text(given, &text, err);
    const char *code = text ? oc_trim(text) : "";
    if (rc == OC_OK && cli_join_link_is(code)) {
        return read_link(code, args, gateway_user, state_dir, is_needed, ret, err);
    }
    if (rc == OC_OK) {
        rc = oc_setup_code_decode(code, &ret->code, err);
    }
    if (rc == OC_OK) {
        rc = cli_target_parse_url(ret->code.url, &ret->target, err);
    }
    return rc;
}

enum oc_code cli_pair_code_read(const struct cli_args *args, const char *state_dir,
        const char *gateway_user, struct cli_pair_code *ret, struct oc_error *err) {
    const char *now = cli_args_text(args, "pair");
    const char *maybe = cli_args_text(args, "pair-if-needed");
    if (!now && !maybe) {
        maybe = getenv("OPENCLAW_PAIR_CODE");
    }
    const char *given = now ? now : maybe;
    if (!given || !*given) {
        return OC_OK;
    }
    enum oc_code rc = pair_code_parse(given, args, gateway_user, state_dir, now != NULL, ret, err);
    if (rc != OC_OK) {
        return rc;
    }
    ret->is_needed = ret->code.token &&
                     (now || !nd_is_enrolled(state_dir, ret->target.host, ret->target.port));
    /* The gateway's clock decides; this only saves a connection to be told the same. */
    if (ret->is_needed && ret->code.expires_at_ms > 0 &&
            ret->code.expires_at_ms + 60000 < oc_wall_ms(&oc_clock_system)) {
        rc = oc_fail(err, OC_E_AUTH, "the setup code has expired");
        if (err) {
            err->grounds.remedy = OC_REMEDY_NEW_CODE;
        }
        return rc;
    }
    return OC_OK;
}

void cli_pair_code_finish(struct cli_pair_code *p) {
    oc_setup_code_finish(&p->code);
    cli_target_finish(&p->target);
}
