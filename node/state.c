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

static enum oc_code choose_path(
        const char *wanted, const char *stored, char **ret, struct oc_error *err) {
    OC_AUTO_FREE char *text = state_choose(wanted, stored);
    return nd_place_path(text ? text : "/", ret, err);
}

/* What is asked for names this place; what is not said may be anything. */
static bool names_place(const struct nd_opts *opts, const struct nd_place *p) {
    char asked[OC_TLS_PIN_LEN + 1], pin[OC_TLS_PIN_LEN + 1];
    bool is_there = (oc_str_blank(opts->host) || oc_streq(opts->host, p->host)) &&
                    (!opts->port || opts->port == p->port);
    bool is_proven =
            oc_str_blank(opts->tls_fingerprint) ||
            (p->tls_fingerprint && oc_tls_pin_normalize(opts->tls_fingerprint, asked) &&
                    oc_tls_pin_normalize(p->tls_fingerprint, pin) && strcmp(asked, pin) == 0);
    return is_there && is_proven && (!opts->tls || p->tls) && !opts->no_tls;
}

/* A start script, or a unit, that names where the gateway was before it moved means that gateway.
 * A setup code is news, and names one anew. */
static bool names_former(const struct nd_opts *opts, const struct nd_settings *kept) {
    for (size_t i = 0; i < ND_MAX_FORMER && kept->former[i].host && !opts->setup_token; i++) {
        /* A pin of another machine is the owner's word for that machine. */
        bool is_pinned_elsewhere = !oc_str_blank(opts->tls_fingerprint) &&
                                   !oc_streq(kept->former[i].host, kept->at.host);
        if (!is_pinned_elsewhere && names_place(opts, &kept->former[i])) {
            return true;
        }
    }
    return false;
}

/* kept: what the file has, whose `at` may have no host. */
static enum oc_code choose_gateway(const struct nd_opts *opts, const struct nd_settings *kept,
        struct nd_place *ret, struct oc_error *err) {
    const struct nd_place *stored = &kept->at;
    if (opts->no_tls && (opts->tls || opts->tls_fingerprint)) {
        return oc_fail(err, OC_E_INVALID, "TLS cannot be both wanted and not wanted");
    }
    if (stored->host && !names_place(opts, stored) && names_former(opts, kept)) {
        *ret = nd_place_copy(stored);
        oc_free(oc_take(&ret->path));
        return choose_path(opts->context_path, stored->path, &ret->path, err);
    }
    ret->host = state_choose(opts->host, stored->host);
    ret->host = ret->host ? ret->host : oc_strdup("127.0.0.1");
    ret->port = opts->port ? opts->port : stored->port > 0 ? stored->port : OC_DEFAULT_PORT;
    /* How the gateway proves itself belongs to that gateway: a pin is not dropped by leaving out
     * the flag. */
    bool is_same = oc_streq(ret->host, stored->host) && ret->port == stored->port;
    ret->tls_fingerprint = state_choose(
            opts->tls_fingerprint, is_same && !opts->no_tls ? stored->tls_fingerprint : NULL);
    ret->tls = opts->tls || ret->tls_fingerprint || (is_same && !opts->no_tls && stored->tls);
    char pin[OC_TLS_PIN_LEN + 1];
    if (ret->tls_fingerprint && !oc_tls_pin_normalize(ret->tls_fingerprint, pin)) {
        return oc_fail(err, OC_E_INVALID,
                "the TLS fingerprint is not a SHA-256 in hex (64 digits, colons allowed)");
    }
    return choose_path(opts->context_path, is_same ? stored->path : NULL, &ret->path, err);
}

/* What the file says of the gateway, as loosely as it was always read; what is ours and wrong is
 * left out. */
static void read_gateway(const cJSON *gateway, struct nd_settings *ret) {
    struct oc_error ignored;
    OC_AUTO_FREE char *path = state_choose(oc_json_get_str(gateway, "contextPath"), "/");
    ret->at.host = state_choose(oc_json_get_str(gateway, "host"), NULL);
    ret->at.port = (uint16_t)oc_json_get_int(gateway, "port", 1, UINT16_MAX, 0);
    ret->at.tls_fingerprint = state_choose(oc_json_get_str(gateway, "tlsFingerprint"), NULL);
    ret->at.tls = ret->at.tls_fingerprint || oc_json_get_bool(gateway, "tls", false);
    ret->at.path = oc_take(&path);
    const struct nd_place nowhere = { 0 };
    const cJSON *next = oc_json_get(gateway, "next");
    if (next && nd_place_decode(next, &nowhere, &ret->next, &ignored) != OC_OK) {
        ret->next = nowhere;
    }
    const cJSON *was = NULL;
    size_t n = 0;
    cJSON_ArrayForEach(was, oc_json_get(gateway, "movedFrom")) {
        if (n < ND_MAX_FORMER &&
                nd_place_decode(was, &nowhere, &ret->former[n], &ignored) == OC_OK) {
            n++;
        }
    }
    ret->knows_own = cJSON_IsBool(oc_json_get(gateway, "own"));
    ret->is_own = oc_json_get_bool(gateway, "own", false);
}

static cJSON *encode_place(const struct nd_place *p) {
    cJSON *o = cJSON_CreateObject();
    nd_place_put(o, p);
    return o;
}

static void state_store(cJSON *doc, const struct nd_settings *s) {
    oc_json_set_str(doc, "nodeId", s->node_id);
    oc_json_set_str(doc, "displayName", s->display_name);
    cJSON *gateway = cJSON_GetObjectItemCaseSensitive(doc, "gateway");
    if (!cJSON_IsObject(gateway)) {
        gateway = cJSON_CreateObject();
        oc_json_set(doc, "gateway", gateway);
    }
    nd_place_put(gateway, &s->at);
    static const char *const ours[] = { "next", "movedFrom", "own" };
    for (size_t i = 0; i < OC_COUNT(ours); i++) {
        cJSON_DeleteItemFromObjectCaseSensitive(gateway, ours[i]);
    }
    if (s->next.host) {
        oc_json_set(gateway, "next", encode_place(&s->next));
    }
    if (s->former[0].host) {
        cJSON *former = cJSON_AddArrayToObject(gateway, "movedFrom");
        for (size_t i = 0; i < ND_MAX_FORMER && s->former[i].host; i++) {
            cJSON_AddItemToArray(former, encode_place(&s->former[i]));
        }
    }
    if (s->knows_own) {
        oc_json_set_bool(gateway, "own", s->is_own);
    }
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

/* The owner names the machine: it is not one that a gateway has sent us to any more. */
static void forget_other_hosts(struct nd_settings *s) {
    size_t kept = 0;
    for (size_t i = 0; i < ND_MAX_FORMER; i++) {
        struct nd_place was = s->former[i];
        s->former[i] = (struct nd_place){ 0 };
        if (was.host && oc_streq(was.host, s->at.host)) {
            s->former[kept++] = was;
        } else {
            nd_place_finish(&was);
        }
    }
}

/* What was learned about a gateway stays with it. A setup code says better where it is. */
static void keep_learned(
        const struct nd_opts *opts, struct nd_settings *s, struct nd_settings *kept) {
    if (!kept->at.host || !nd_place_is_same(&s->at, &kept->at)) {
        return;
    }
    if (!opts->setup_token) {
        s->next = kept->next;
        kept->next = (struct nd_place){ 0 };
    }
    memcpy(s->former, kept->former, sizeof(s->former));
    memset(kept->former, 0, sizeof(kept->former));
    if (oc_streq(opts->host, s->at.host)) {
        forget_other_hosts(s);
    }
    s->is_own = kept->is_own;
    s->knows_own = kept->knows_own;
}

static enum oc_code state_load(
        const char *path, const struct nd_opts *opts, struct nd_settings *s, struct oc_error *err) {
    OC_AUTO_JSON cJSON *doc = NULL;
    enum oc_code rc = read_file(path, &doc, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct nd_settings kept = { 0 };
    read_gateway(oc_json_get(doc, "gateway"), &kept);
    rc = choose_gateway(opts, &kept, &s->at, err);
    if (rc == OC_OK) {
        keep_learned(opts, s, &kept);
    }
    nd_settings_finish(&kept);
    if (rc != OC_OK) {
        return rc;
    }
    s->gateway_name = nd_place_name(&s->at);
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

/* What the running node has learned. */
static enum oc_code state_save(
        const char *state_dir, const struct nd_settings *s, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_path_join(state_dir, "node.json");
    OC_AUTO_JSON cJSON *doc = NULL;
    enum oc_code rc = read_file(path, &doc, err);
    return rc == OC_OK ? write_if_changed(path, doc, s, err) : rc;
}

enum oc_code nd_settings_set_next(const char *state_dir, struct nd_settings *s,
        const struct nd_place *next, struct oc_error *err) {
    struct nd_place fresh = next ? nd_place_copy(next) : (struct nd_place){ 0 };
    nd_place_finish(&s->next);
    s->next = fresh;
    return state_save(state_dir, s, err);
}

/* The latest first; one that it comes back to is where it is, not where it was. */
static void note_former(struct nd_settings *s, struct nd_place *take_was) {
    struct nd_place all[ND_MAX_FORMER + 1] = { *take_was };
    size_t n = 1;
    for (size_t i = 0; i < ND_MAX_FORMER && s->former[i].host; i++) {
        all[n++] = s->former[i];
    }
    memset(s->former, 0, sizeof(s->former));
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_known = nd_place_is_same(&all[i], &s->at);
        for (size_t k = 0; k < kept; k++) {
            is_known = is_known || nd_place_is_same(&all[i], &s->former[k]);
        }
        if (is_known || kept == ND_MAX_FORMER) {
            nd_place_finish(&all[i]);
        } else {
            s->former[kept++] = all[i];
        }
    }
}

enum oc_code nd_settings_arrive(
        const char *state_dir, struct nd_settings *s, struct oc_error *err) {
    struct nd_place was = s->at;
    s->at = s->next;
    s->next = (struct nd_place){ 0 };
    oc_free(s->gateway_name);
    s->gateway_name = nd_place_name(&s->at);
    note_former(s, &was);
    return state_save(state_dir, s, err);
}

enum oc_code nd_settings_set_own(
        const char *state_dir, struct nd_settings *s, bool is_own, struct oc_error *err) {
    if (s->knows_own && s->is_own == is_own) {
        return OC_OK;
    }
    s->knows_own = true;
    s->is_own = is_own;
    return state_save(state_dir, s, err);
}

static bool is_at(const struct nd_settings *s, const char *ws_url) {
    struct oc_url url = { 0 };
    if (oc_str_blank(ws_url) || strncasecmp(ws_url, "ws", 2) != 0) {
        return false;
    }
    OC_AUTO_FREE char *http = oc_strfmt("http%s", ws_url + 2);
    bool is_same = oc_url_parse(http, &url, NULL) == OC_OK &&
                   strcasecmp(url.host, s->at.host) == 0 && url.port == s->at.port &&
                   url.tls == s->at.tls;
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
    bool is_own = oc_host_is_loopback(s->at.host) && (s->at.port == own_port || s->at.port == port);
    return is_own ? OC_GATEWAY_OWN : OC_GATEWAY_OTHER;
}

void nd_settings_finish(struct nd_settings *s) {
    oc_free(s->node_id);
    oc_free(s->display_name);
    oc_free(s->gateway_name);
    nd_place_finish(&s->at);
    nd_place_finish(&s->next);
    for (size_t i = 0; i < ND_MAX_FORMER; i++) {
        nd_place_finish(&s->former[i]);
    }
    *s = (struct nd_settings){ 0 };
}
