/* The node of this machine: where its gateway is, and whether it runs. */
#include "cli/doctor/doctor.h"

#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/net/tls.h"
#include "lib/protocol/limits.h"
#include "node/status_file.h"

#include <string.h>

#define START "openclaw node run"

/* What the one that runs said last; NULL: none runs. Caller deletes. */
static cJSON *running_node(const struct cli_doctor *d) {
    cJSON *doc = NULL;
    struct oc_error ignored;
    return nd_status_file_read(d->state_dir, &doc, &ignored) == OC_OK ? doc : NULL;
}

static int pid_of(const cJSON *running) {
    return (int)oc_json_get_int(running, "pid", 1, INT32_MAX, 0);
}

/* Its last words: the line without the fix, which stands alone. Caller frees. */
static char *last_words(const cJSON *running) {
    const char *text = oc_json_get_str(running, "text");
    OC_AUTO_FREE char *line = text ? oc_strndup(text, strcspn(text, "\n")) : NULL;
    return cli_shown(line);
}

static char *told_fix(const cJSON *running) {
    const char *fix = oc_json_get_str(running, "fix");
    return fix ? cli_shown(fix) : NULL;
}

static void report_node(struct cli_doctor *d, const char *gateway) {
    OC_AUTO_JSON cJSON *running = running_node(d);
    const char *state = oc_json_get_str(running, "state");
    if (!running) {
        cli_doctor_add(d, CLI_FINDING_OFF, "node", oc_strdup(START),
                "this machine is a node of %s, but no node runs here", gateway);
    } else if (oc_streq(state, "connected")) {
        cli_doctor_add(d, CLI_FINDING_OK, "node", NULL,
                "this machine is a node of %s; it runs (process %d) and is connected", gateway,
                pid_of(running));
    } else {
        OC_AUTO_FREE char *words = last_words(running);
        cli_doctor_add(d, CLI_FINDING_WARN, "node", told_fix(running),
                "this machine is a node of %s; it runs (process %d): %s", gateway, pid_of(running),
                words);
    }
}

void cli_doctor_node(struct cli_doctor *d) {
    OC_AUTO_FREE char *path = oc_path_join(d->state_dir, "node.json");
    if (!oc_file_exists(path)) {
        return; /* most machines are no node */
    }
    OC_AUTO_JSON cJSON *doc = cli_doctor_read(d, "node", path);
    if (!doc) {
        return;
    }
    const cJSON *gateway = oc_json_get(doc, "gateway");
    const char *pin = oc_json_get_str(gateway, "tlsFingerprint");
    char normal[OC_TLS_PIN_LEN + 1];
    if (pin && !oc_tls_pin_normalize(pin, normal)) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "node",
                oc_strdup("openclaw node run --tls-fingerprint <sha256>"),
                "the TLS fingerprint in %s is not a SHA-256", path);
    } else {
        OC_AUTO_FREE char *host = cli_shown(oc_json_get_str(gateway, "host"));
        OC_AUTO_FREE char *named = oc_strfmt("%s:%lld%s", *host ? host : "127.0.0.1",
                (long long)oc_json_get_int(gateway, "port", 1, UINT16_MAX, OC_DEFAULT_PORT),
                pin                                       ? ", pinned"
                : oc_json_get_bool(gateway, "tls", false) ? ", with TLS"
                                                          : "");
        report_node(d, named);
    }
    cli_doctor_exec(d);
}

bool cli_doctor_is_own_node(const struct cli_doctor *d, const char *node_id) {
    OC_AUTO_FREE char *path = oc_path_join(d->state_dir, "identity/device.json");
    OC_AUTO_BUF struct oc_buf text = { 0 };
    OC_AUTO_JSON cJSON *doc = NULL;
    return oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, NULL) == OC_OK && text.len > 0 &&
           oc_json_parse(text.data, text.len, &doc, NULL) == OC_OK && node_id &&
           oc_streq(oc_json_get_str(doc, "deviceId"), node_id);
}

void cli_doctor_own_node_away(struct cli_doctor *d, const char *name) {
    OC_AUTO_JSON cJSON *running = running_node(d);
    if (running) {
        OC_AUTO_FREE char *words = last_words(running);
        cli_doctor_add(d, CLI_FINDING_WARN, "node", told_fix(running),
                "%s is not connected, but runs here (process %d): %s", name, pid_of(running),
                words);
    } else {
        cli_doctor_add(d, CLI_FINDING_WARN, "node", oc_strdup(START),
                "%s is this machine, and is not connected: no node runs here", name);
    }
}
