/* config.set, config.apply, config.patch: an administrator changes the file. The gateway notices
 * like any other change of it (supervisor.c) and takes it over, so that there is one way in. */
#include "gateway/conn/conn.h"
#include "gateway/core.h"
#include "gateway/fairness/write_budget.h"
#include "gateway/methods/config/config_restart.h"
#include "gateway/methods/methods.h"
#include "gateway/settings/config_hash.h"
#include "lib/base/mem.h"
#include "lib/config/config_edit.h"
#include "lib/config/config_file.h"
#include "lib/config/config_patch.h"
#include "lib/config/config_redact.h"
#include "lib/json/json_index.h"
#include "lib/log/log.h"
#include "lib/protocol/errors.h"
#include "lib/text/quoted.h"

#include <string.h>

#define MAX_REPLACE_PATHS 256
#define MAX_CHANGED_PATHS 256
#define MAX_NOTE_CHARS 200

/* What may be written over the wire. The gateway does nothing else while it looks at a config; who
 * has a larger one edits the file, or splits it with $include. */
#define MAX_TEXT_BYTES (256u << 10)
#define MAX_VALUES 10000 /* settings, items of lists and the objects around them */
#define MAX_KEY_BYTES 256

struct write_params {
    const char *raw, *base_hash, *note;
    int64_t restart_delay_ms; /* GW_CONFIG_RESTART_SOON: not said */
    struct oc_strv replace_paths;
};
#define T struct write_params
static const struct oc_json_field fields[] = {
    OC_STR(T, raw, "raw", OC_REQUIRED | OC_NONEMPTY),
    OC_STR(T, base_hash, "baseHash", OC_NULLABLE),
    OC_STR(T, note, "note", OC_NULLABLE),
    OC_INT(T, restart_delay_ms, "restartDelayMs", OC_NULLABLE, 0, OC_JSON_MAX_EXACT),
    OC_STRV(T, replace_paths, "replacePaths", OC_NULLABLE, MAX_REPLACE_PATHS),
};
#undef T

static void config_write_refuse(const struct gw_call *call, const char *message) {
    gw_call_fail_with(call, OC_WIRE_INVALID, message, NULL, -1);
}

/* False when the text is too large; the answer is sent then. */
static bool is_small(const struct gw_call *call, size_t len) {
    if (len > MAX_TEXT_BYTES) {
        OC_AUTO_FREE char *message =
                oc_strfmt("%s takes a config of at most %u KiB; edit the file on the gateway's "
                          "machine instead",
                        call->method, MAX_TEXT_BYTES >> 10);
        config_write_refuse(call, message);
        return false;
    }
    return true;
}

static bool within_budget(const struct gw_call *call) {
    const struct gw_conn *c = call->conn;
    const char *client = c->device_id ? c->device_id : c->from.ip;
    int64_t wait_ms = gw_write_budget_take(call->gw->writes, client, oc_mono_ms(call->gw->clock));
    if (wait_ms == 0) {
        return true;
    }
    OC_AUTO_FREE char *message = oc_strfmt("rate limit exceeded for %s; retry after %llds",
            call->method, (long long)((wait_ms + 999) / 1000));
    cJSON *details = cJSON_CreateObject();
    oc_json_set_str(details, "method", call->method);
    oc_json_set_str(details, "limit", "3 per 60s");
    gw_call_fail_with(call, OC_WIRE_UNAVAILABLE, message, details, wait_ms);
    return false;
}

/* The file must still be what the client has seen. */
static bool is_current(
        const struct gw_call *call, const struct write_params *p, const struct oc_config_file *f) {
    if (!f->exists) {
        return true;
    }
    char hash[GW_CONFIG_HASH_LEN + 1];
    gw_config_hash(&f->raw, hash);
    if (oc_str_blank(p->base_hash)) {
        config_write_refuse(call, "config base hash required; re-run config.get and retry");
        return false;
    }
    if (!oc_streq(p->base_hash, hash)) {
        config_write_refuse(call, "config changed since last load; re-run config.get and retry");
        return false;
    }
    return true;
}

static void refuse_config(const struct gw_call *call, const struct oc_config_file *f) {
    cJSON *details = cJSON_CreateObject();
    oc_json_set(details, "issues", cJSON_Duplicate(f->issues, true));
    gw_call_fail_with(call, OC_WIRE_INVALID, "invalid config", details, -1);
}

/* Writes who did it and why into the log: there is no agent that a note could be for. */
static void log_write(const struct gw_call *call, const struct write_params *p) {
    OC_AUTO_FREE char *label = gw_conn_label(call->conn);
    OC_AUTO_FREE char *note = p->note ? oc_quoted(p->note, MAX_NOTE_CHARS) : NULL;
    oc_log(OC_LOG_INFO, "gateway.config", "%s wrote %s %s%s%s", call->method, call->gw->config_path,
            label, note ? " note=" : "", note ? note : "");
}

/* Checks the text as a whole, writes it and answers. before is the config as it was. */
static void config_write_finish(const struct gw_call *call, const struct write_params *p,
        const cJSON *before, const struct oc_buf *text) {
    struct gw_gateway *gw = call->gw;
    if (!is_small(call, text->len)) {
        return;
    }
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    oc_config_file_from_text(gw->config_path, (struct oc_slice){ text->data, text->len }, &f);
    struct oc_error err;
    if (f.issues->child) {
        refuse_config(call, &f);
        return;
    }
    if (gw_check_config(gw, f.config, &err) != OC_OK) {
        /* The reason may name a value, and ${NAME} made that a variable of this machine. */
        bool may_say = !strstr(text->data, "${");
        oc_log(OC_LOG_WARN, "gateway.config", "%s refused: %s", call->method, err.text);
        OC_AUTO_FREE char *message = oc_strfmt("invalid config: %s",
                may_say ? err.text
                        : "the settings do not fit together; the gateway's log says why");
        config_write_refuse(call, message);
        return;
    }
    if (oc_config_file_write(gw->config_path, text, &err) != OC_OK) {
        gw_call_fail(call, &err);
        return;
    }
    log_write(call, p);
    char hash[GW_CONFIG_HASH_LEN + 1];
    gw_config_hash(text, hash);
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_bool(payload, "ok", true);
    oc_json_set_str(payload, "path", gw->config_path);
    oc_json_set_str(payload, "hash", hash);
    if (oc_streq(call->method, "config.patch")) {
        OC_AUTO_STRV struct oc_strv changed = { 0 };
        oc_config_diff(before, f.config, MAX_CHANGED_PATHS, &changed);
        oc_json_set_strv(payload, "changedPaths", &changed);
    }
    if (!oc_streq(call->method, "config.set")) {
        gw_config_restart(call, f.config, p->note, p->restart_delay_ms, payload);
    }
    oc_config_redact(f.parsed);
    oc_json_set(payload, "config", oc_take(&f.parsed)); /* as written: nothing read for it */
    gw_call_ok(call, payload);
}

/* Params, budget and base hash; f is always filled. */
static bool config_write_begin(
        const struct gw_call *call, struct write_params *p, struct oc_config_file *f) {
    *f = (struct oc_config_file){ 0 };
    *p = (struct write_params){ .restart_delay_ms = GW_CONFIG_RESTART_SOON };
    if (!gw_call_decode(call, fields, OC_COUNT(fields), p) || !within_budget(call)) {
        return false;
    }
    if (!call->gw->config_path) {
        config_write_refuse(call, "this gateway has no config file");
        return false;
    }
    oc_config_file_read(call->gw->config_path, f);
    return is_current(call, p, f);
}

static bool has_few_values(const cJSON *v, unsigned *left) {
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, v) {
        bool is_long = child->string && strlen(child->string) > MAX_KEY_BYTES;
        if (is_long || (*left)-- == 0 || !has_few_values(child, left)) {
            return false;
        }
    }
    return true;
}

/* The text a client sent, with the secrets it was not shown. False when it was answered with an
 * error. */
static bool read_raw(const struct gw_call *call, const char *raw, const struct oc_config_file *f,
        struct oc_buf *ret, cJSON **ret_tree) {
    struct oc_error err;
    if (!is_small(call, strlen(raw)) || oc_buf_puts(ret, raw) != OC_OK) {
        return false;
    }
    if (oc_json5_parse(ret->data, ret->len, ret_tree, &err) != OC_OK) {
        config_write_refuse(call, err.text);
        return false;
    }
    if (!cJSON_IsObject(*ret_tree)) {
        OC_AUTO_FREE char *message = oc_strfmt("%s raw must be an object", call->method);
        config_write_refuse(call, message);
        return false;
    }
    unsigned values_left = MAX_VALUES;
    if (!has_few_values(*ret_tree, &values_left)) {
        OC_AUTO_FREE char *message = oc_strfmt("%s takes at most %d values, with keys of at most "
                                               "%d bytes",
                call->method, MAX_VALUES, MAX_KEY_BYTES);
        config_write_refuse(call, message);
        return false;
    }
    struct oc_slice before = { f->raw.data, f->parsed->child ? f->raw.len : 0 };
    if (oc_config_restore_text(ret, before, &err) != OC_OK) {
        config_write_refuse(call, err.text);
        return false;
    }
    return true;
}

static void config_write_replace(const struct gw_call *call) {
    struct write_params p;
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    OC_AUTO_JSON cJSON *tree = NULL;
    if (config_write_begin(call, &p, &f) && read_raw(call, p.raw, &f, &text, &tree)) {
        config_write_finish(call, &p, f.config, &text);
    }
    oc_strv_finish(&p.replace_paths);
}

void gw_method_config_set(const struct gw_call *call) {
    config_write_replace(call);
}

void gw_method_config_apply(const struct gw_call *call) {
    config_write_replace(call);
}

/* Clients that patch again what they have seen already wrote nothing. */
static void answer_unchanged(const struct gw_call *call, struct oc_config_file *f) {
    char hash[GW_CONFIG_HASH_LEN + 1];
    gw_config_hash(&f->raw, hash);
    oc_config_redact(f->parsed);
    cJSON *payload = cJSON_CreateObject();
    oc_json_set_bool(payload, "ok", true);
    oc_json_set_bool(payload, "noop", true);
    cJSON_AddArrayToObject(payload, "changedPaths");
    oc_json_set_str(payload, "path", f->path);
    oc_json_set_str(payload, "hash", hash);
    oc_json_set(payload, "config", oc_take(&f->parsed));
    gw_call_ok(call, payload);
}

/* Makes the change in the text. Lists that stand in the file and in one it includes are joined, so
 * what comes out has to be looked at again. */
static enum oc_code config_write_edit(
        struct oc_config_file *f, const cJSON *wanted, struct oc_error *err) {
    OC_AUTO_JSON cJSON *plain = oc_config_diff_patch(f->resolved, wanted);
    enum oc_code rc = oc_config_edit_merge(&f->raw, f->resolved, plain, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_CONFIG_FILE struct oc_config_file now;
    oc_config_file_from_text(f->path, (struct oc_slice){ f->raw.data, f->raw.len }, &now);
    OC_AUTO_STRV struct oc_strv off = { 0 };
    oc_config_diff(wanted, now.resolved, 1, &off);
    return off.count == 0 ? OC_OK
                          : oc_fail(err, OC_E_DENIED,
                                    "%s comes from an included file in part; change it there",
                                    off.items[0]);
}

static void config_write_patch(
        const struct gw_call *call, const struct write_params *p, struct oc_config_file *f) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(OC_CONFIG_MAX_BYTES);
    OC_AUTO_JSON cJSON *tree = NULL, *change = NULL, *wanted = NULL;
    struct oc_error err;
    if (f->issues->child) {
        config_write_refuse(call, "invalid config; fix before patching");
        return;
    }
    if (!is_small(call, f->raw.len) || !read_raw(call, p->raw, f, &text, &tree)) {
        return;
    }
    enum oc_code rc = oc_json5_parse(text.data, text.len, &change, &err);
    struct oc_config_patch how = {
        .patch = change,
        .replace_paths = p->replace_paths,
        .may_lose_items = call->conn->protocol < 4, /* 2026.2.26 does not ask */
    };
    if (rc == OC_OK) {
        rc = oc_config_patch_apply(&how, f->resolved, &wanted, &err);
    }
    if (rc == OC_OK && oc_json_same(f->resolved, wanted)) {
        answer_unchanged(call, f);
        return;
    }
    if (rc == OC_OK) {
        rc = config_write_edit(f, wanted, &err);
    }
    if (rc != OC_OK) {
        config_write_refuse(call, err.text);
        return;
    }
    config_write_finish(call, p, f->config, &f->raw);
}

void gw_method_config_patch(const struct gw_call *call) {
    struct write_params p;
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    if (config_write_begin(call, &p, &f)) {
        config_write_patch(call, &p, &f);
    }
    oc_strv_finish(&p.replace_paths);
}
