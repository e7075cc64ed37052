#include "gateway/pairing/join_codes.h"

#include "gateway/pairing/setup_codes_priv.h"
#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/identity/identity.h"
#include "lib/net/dial.h"

#include <stdio.h>
#include <string.h>

#define CODE_BYTES 16
#define TOKEN_BYTES 32

/* Hash and key must not be one: the hash is stored. */
static void join_codes_digest(const char *purpose, const char *join, char ret[65]) {
    OC_AUTO_SECRET char *text = oc_strfmt("openclaw join %s %s", purpose, join);
    oc_sha256_hex(text, strlen(text), ret);
}

/* The same again undoes it. Each key is used for one token only. */
static bool crypt_token(const char *join, const char *from, char **ret) {
    uint8_t bytes[TOKEN_BYTES + 1];
    size_t len = 0;
    char key[65];
    if (!from || !oc_base64_decode(from, strlen(from), bytes, sizeof(bytes), &len) ||
            len != TOKEN_BYTES) {
        return false;
    }
    join_codes_digest("key", join, key);
    for (size_t i = 0; i < TOKEN_BYTES; i++) {
        unsigned pad = 0;
        (void)sscanf(key + 2 * i, "%2x", &pad);
        bytes[i] ^= (uint8_t)pad;
    }
    *ret = oc_base64url(bytes, TOKEN_BYTES);
    explicit_bzero(bytes, sizeof(bytes));
    explicit_bzero(key, sizeof(key));
    return true;
}

static cJSON *join_codes_find(const cJSON *codes, const char *key, const char *value) {
    cJSON *found = NULL, *code = NULL;
    cJSON_ArrayForEach(code, codes) {
        if (oc_secret_equal(oc_json_get_str(code, key), value)) {
            found = code;
        }
    }
    return found;
}

static bool is_on_this_machine(const char *rest) {
    bool is_v6 = *rest == '[';
    OC_AUTO_FREE char *host = oc_strndup(rest + is_v6, strcspn(rest + is_v6, is_v6 ? "]" : ":/"));
    return oc_host_is_loopback(host);
}

static enum oc_code link_to(
        const struct oc_setup_code *c, const char *join, char **ret, struct oc_error *err) {
    bool is_tls = oc_starts_with(c->url, "wss://");
    const char *rest = c->url + (is_tls ? 6 : 5);
    if (!is_tls && !is_on_this_machine(rest)) {
        return oc_fail(err, OC_E_INVALID,
                "join URLs require a TLS gateway endpoint, except for loopback: switch gateway.tls "
                "on, or use the setup code directly (openclaw devices join-code of this version)");
    }
    size_t len = strlen(rest);
    while (len > 0 && rest[len - 1] == '/') {
        len--;
    }
    *ret = oc_strfmt("%s://%.*s/j/%s", is_tls ? "https" : "http", (int)len, rest, join);
    return OC_OK;
}

enum oc_code gw_join_code_make(struct gw_store *s, const struct oc_clock *clock,
        const char *setup_id, const struct oc_setup_code *c, char **ret_url, struct oc_error *err) {
    uint8_t random[CODE_BYTES];
    oc_random(random, sizeof(random));
    OC_AUTO_SECRET char *join = oc_base64url(random, sizeof(random));
    OC_AUTO_SECRET char *url = NULL;
    OC_AUTO_SECRET char *sealed = NULL;
    OC_AUTO_JSON cJSON *codes = NULL;
    enum oc_code rc = link_to(c, join, &url, err);
    if (rc == OC_OK) {
        rc = gw_setup_codes_load(s, oc_wall_ms(clock), &codes, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    cJSON *code = join_codes_find(codes, "setupId", setup_id);
    if (!code || !crypt_token(join, c->token, &sealed)) {
        return oc_fail(err, OC_E_INTERNAL, "the setup code is gone");
    }
    char hash[65];
    join_codes_digest("name", join, hash);
    cJSON *link = cJSON_CreateObject();
    oc_json_set(code, "join", link);
    oc_json_set_str(code, "joinSha256", hash);
    oc_json_set_str(link, "token", sealed);
    oc_json_set_str(link, "url", c->url);
    oc_json_set_str(link, "tlsFingerprint", c->tls_fingerprint);
    rc = gw_setup_codes_save(s, codes, err);
    if (rc == OC_OK) {
        *ret_url = oc_take(&url);
    }
    return rc;
}

enum oc_code gw_join_code_follow(struct gw_store *s, const struct oc_clock *clock, const char *join,
        struct oc_setup_code *ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *codes = NULL;
    enum oc_code rc = gw_setup_codes_load(s, oc_wall_ms(clock), &codes, err);
    if (rc != OC_OK) {
        return rc;
    }
    char hash[65];
    join_codes_digest("name", join, hash);
    cJSON *code = join_codes_find(codes, "joinSha256", hash);
    const cJSON *link = oc_json_get(code, "join");
    struct oc_setup_code found = { 0 };
    if (!code || !crypt_token(join, oc_json_get_str(link, "token"), &found.token)) {
        return oc_fail(err, OC_E_NOT_FOUND, "no such join code");
    }
    found.url = oc_strdup(oc_json_get_str(link, "url"));
    found.tls_fingerprint = oc_strdup(oc_json_get_str(link, "tlsFingerprint"));
    found.expires_at_ms = oc_json_get_ms(code, "expiresAtMs", 0);
    cJSON_DeleteItemFromObjectCaseSensitive(code, "join");
    cJSON_DeleteItemFromObjectCaseSensitive(code, "joinSha256");
    rc = gw_setup_codes_save(s, codes, err);
    if (rc != OC_OK) {
        oc_setup_code_finish(&found);
        return rc;
    }
    *ret = found;
    return OC_OK;
}

static bool is_code(const char *text) {
    return strlen(text) == GW_JOIN_CODE_LEN &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
                   GW_JOIN_CODE_LEN;
}

const char *gw_join_code_in_path(const char *path) {
    const char *found = NULL;
    for (const char *at = path; (at = strstr(at, "/j/")) != NULL; at++) {
        found = at + 3;
    }
    size_t len = strlen(path);
    if (!found && len >= 2 && strcmp(path + len - 2, "/j") == 0) {
        return "";
    }
    return found && !is_code(found) ? "" : found;
}
