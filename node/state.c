#include "node/state.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "lib/json/json.h"
#include "lib/net/dial.h"
#include "lib/net/peer.h"
#include "lib/net/tls.h"
#include "lib/net/url.h"
#include "lib/protocol/limits.h"
#include "node/node.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static enum oc_code state_corrupt(struct oc_error *err, const char *path, const char *why) {
    return oc_fail(err, OC_E_CORRUPT,
            "'%s' is damaged (%s); repair it, or move it away to start afresh", path, why);
}

static enum oc_code read_file(const char *path, cJSON **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    enum oc_code rc = oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, err);
    if (rc == OC_E_NOT_FOUND) {
        *ret = cJSON_CreateObject();
        oc_json_set_int(*ret, "version", 1);
        return OC_OK;
    }
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_JSON cJSON *doc = NULL;
    struct oc_error why = { 0 };
    if (oc_json_parse(text.data ? text.data : "", text.len, &doc, &why) != OC_OK) {
        return state_corrupt(err, path, why.text);
    }
    if (!cJSON_IsObject(doc)) {
        return state_corrupt(err, path, "not an object");
    }
    const cJSON *gateway = oc_json_get(doc, "gateway"), *id = oc_json_get(doc, "nodeId");
    if ((gateway && !cJSON_IsObject(gateway)) || (id && !cJSON_IsString(id))) {
        return state_corrupt(err, path, "a member has the wrong type");
    }
    if (oc_json_get(doc, "version") && oc_json_get_int(doc, "version", 1, 1, 0) != 1) {
        return state_corrupt(err, path, "its version is not 1");
    }
    *ret = oc_take(&doc);
    return OC_OK;
}

static char *host_name(void) {
    char name[256] = "";
    if (gethostname(name, sizeof(name) - 1) != 0 || !name[0]) {
        return oc_strdup("node");
    }
    return oc_strdup(name);
}

/* The first of the two that says something, trimmed; NULL when neither does. Caller frees. */
static char *state_choose(const char *wanted, const char *stored) {
    const char *s = oc_str_blank(wanted) ? stored : wanted;
    if (oc_str_blank(s)) {
        return NULL;
    }
    OC_AUTO_FREE char *copy = oc_strdup(s);
    return oc_strdup(oc_trim(copy));
}

/* "openclaw", "/openclaw/" and "/openclaw" are one prefix. */
static enum oc_code choose_path(const struct nd_opts *opts, const char *stored,
        struct nd_settings *s, struct oc_error *err) {
    OC_AUTO_FREE char *wanted = state_choose(opts->context_path, stored);
    const char *text = wanted ? wanted : "/";
    for (const char *at = text; *at; at++) {
        if (!isgraph((unsigned char)*at) || oc_is_one_of(*at, "?#\"\\<>")) {
            return oc_fail(err, OC_E_INVALID,
                    "the context path must be a plain URL path such as /openclaw");
        }
    }
    size_t len = strlen(text);
    if (len > OC_MAX_NAME_BYTES) {
        return oc_fail(
                err, OC_E_INVALID, "the context path is longer than %d bytes", OC_MAX_NAME_BYTES);
    }
    while (len > 1 && text[len - 1] == '/') {
        len--;
    }
    s->path = oc_strfmt("%s%.*s", text[0] == '/' ? "" : "/", (int)len, text);
    return OC_OK;
}

static enum oc_code choose_gateway(
        const struct nd_opts *opts, const cJSON *doc, struct nd_settings *s, struct oc_error *err) {
    const cJSON *stored = oc_json_get(doc, "gateway");
    const char *stored_host = oc_json_get_str(stored, "host");
    int64_t stored_port = oc_json_get_int(stored, "port", 1, UINT16_MAX, 0);
    s->host = state_choose(opts->host, stored_host);
    s->host = s->host ? s->host : oc_strdup("127.0.0.1");
    s->port = opts->port ? opts->port : stored_port > 0 ? (uint16_t)stored_port : OC_DEFAULT_PORT;
    /* How the gateway proves itself belongs to that gateway: a pin is not dropped by leaving out
     * the flag. */
    bool is_same = oc_streq(s->host, stored_host) && s->port == stored_port;
    if (opts->no_tls && (opts->tls || opts->tls_fingerprint)) {
        return oc_fail(err, OC_E_INVALID, "TLS cannot be both wanted and not wanted");
    }
    s->tls_fingerprint = state_choose(opts->tls_fingerprint,
            is_same && !opts->no_tls ? oc_json_get_str(stored, "tlsFingerprint") : NULL);
    s->tls = opts->tls || s->tls_fingerprint ||
             (is_same && !opts->no_tls && oc_json_get_bool(stored, "tls", false));
    char pin[OC_TLS_PIN_LEN + 1];
    if (s->tls_fingerprint && !oc_tls_pin_normalize(s->tls_fingerprint, pin)) {
        return oc_fail(err, OC_E_INVALID,
                "the TLS fingerprint is not a SHA-256 in hex (64 digits, colons allowed)");
    }
    return choose_path(opts, is_same ? oc_json_get_str(stored, "contextPath") : NULL, s, err);
}

static void state_store(cJSON *doc, const struct nd_settings *s) {
    oc_json_set_str(doc, "nodeId", s->node_id);
    oc_json_set_str(doc, "displayName", s->display_name);
    cJSON *gateway = cJSON_GetObjectItemCaseSensitive(doc, "gateway");
    if (!cJSON_IsObject(gateway)) {
        gateway = cJSON_CreateObject();
        oc_json_set(doc, "gateway", gateway);
    }
    oc_json_set_str(gateway, "host", s->host);
    oc_json_set_int(gateway, "port", s->port);
    oc_json_set_bool(gateway, "tls", s->tls);
    cJSON_DeleteItemFromObjectCaseSensitive(gateway, "tlsFingerprint");
    oc_json_set_str(gateway, "tlsFingerprint", s->tls_fingerprint);
    cJSON_DeleteItemFromObjectCaseSensitive(gateway, "contextPath");
    oc_json_set_str(gateway, "contextPath", oc_streq(s->path, "/") ? NULL : s->path);
}

static enum oc_code write_if_changed(
        const char *path, cJSON *doc, const struct nd_settings *s, struct oc_error *err) {
    OC_AUTO_FREE char *before = oc_json_print(doc, false);
    state_store(doc, s);
    OC_AUTO_FREE char *after = oc_json_print(doc, false);
    if (strcmp(before, after) == 0) {
        return OC_OK;
    }
    OC_AUTO_FREE char *pretty = oc_json_print(doc, true);
    OC_AUTO_FREE char *text = oc_strfmt("%s\n", pretty);
    return oc_file_write_private(path, text, strlen(text), err);
}

static enum oc_code state_load(
        const char *path, const struct nd_opts *opts, struct nd_settings *s, struct oc_error *err) {
    OC_AUTO_JSON cJSON *doc = NULL;
    enum oc_code rc = read_file(path, &doc, err);
    if (rc == OC_OK) {
        rc = choose_gateway(opts, doc, s, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    s->gateway_name = oc_gateway_name(s->host, s->port, s->path, s->tls, s->tls_fingerprint);
    s->node_id = state_choose(opts->node_id, oc_json_get_str(doc, "nodeId"));
    if (!s->node_id) {
        char id[OC_UUID_LEN + 1];
        oc_uuid4(id);
        s->node_id = oc_strdup(id);
    }
    s->display_name = state_choose(opts->display_name, oc_json_get_str(doc, "displayName"));
    s->display_name = s->display_name ? s->display_name : host_name();
    if (strlen(s->display_name) > OC_MAX_NAME_BYTES || strlen(s->node_id) > OC_MAX_ID_BYTES) {
        return oc_fail(err, OC_E_INVALID, "the node's name or id is longer than %d bytes",
                OC_MAX_NAME_BYTES);
    }
    return write_if_changed(path, doc, s, err);
}

enum oc_code nd_settings_load(
        const struct nd_opts *opts, struct nd_settings *ret, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_path_join(opts->state_dir, "node.json");
    struct nd_settings s = { 0 };
    enum oc_code rc = state_load(path, opts, &s, err);
    if (rc != OC_OK) {
        nd_settings_finish(&s);
        return rc;
    }
    *ret = s;
    return OC_OK;
}

static bool is_at(const struct nd_settings *s, const char *ws_url) {
    struct oc_url url = { 0 };
    if (oc_str_blank(ws_url) || strncasecmp(ws_url, "ws", 2) != 0) {
        return false;
    }
    OC_AUTO_FREE char *http = oc_strfmt("http%s", ws_url + 2);
    bool is_same = oc_url_parse(http, &url, NULL) == OC_OK && strcasecmp(url.host, s->host) == 0 &&
                   url.port == s->port && url.tls == s->tls;
    oc_url_finish(&url);
    return is_same;
}

enum oc_gateway_kind nd_gateway_kind(
        const struct nd_settings *s, const cJSON *config, uint16_t own_port) {
    const cJSON *gateway = oc_json_get(config, "gateway");
    if (oc_streq(oc_json_get_str(gateway, "mode"), "remote")) {
        const char *url = oc_json_get_str(oc_json_get(gateway, "remote"), "url");
        return is_at(s, url) ? OC_GATEWAY_REMOTE : OC_GATEWAY_OTHER;
    }
    int64_t port = OC_DEFAULT_PORT;
    const char *env = getenv("OPENCLAW_GATEWAY_PORT");
    if (oc_str_blank(env) || !oc_parse_int(env, 1, UINT16_MAX, &port)) {
        port = oc_json_get_int(gateway, "port", 1, UINT16_MAX, OC_DEFAULT_PORT);
    }
    bool is_own = oc_host_is_loopback(s->host) && (s->port == own_port || s->port == port);
    return is_own ? OC_GATEWAY_OWN : OC_GATEWAY_OTHER;
}

void nd_settings_finish(struct nd_settings *s) {
    oc_free(s->node_id);
    oc_free(s->display_name);
    oc_free(s->host);
    oc_free(s->tls_fingerprint);
    oc_free(s->path);
    oc_free(s->gateway_name);
    *s = (struct nd_settings){ 0 };
}
