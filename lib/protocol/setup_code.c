#include "lib/protocol/setup_code.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/json/json.h"
#include "lib/protocol/limits.h"

#include <string.h>
#include <strings.h>

#define PREFIX "oc-pair://"

cJSON *oc_setup_code_json(const struct oc_setup_code *c) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "url", c->url);
    oc_json_set_str(o, "bootstrapToken", c->token);
    if (c->expires_at_ms > 0) {
        oc_json_set_int(o, "expiresAtMs", c->expires_at_ms);
    }
    oc_json_set_str(o, "tlsFingerprint", c->tls_fingerprint);
    return o;
}

char *oc_setup_code_encode(const struct oc_setup_code *c) {
    OC_AUTO_JSON cJSON *o = oc_setup_code_json(c);
    OC_AUTO_SECRET char *text = oc_json_print(o, false);
    return oc_base64url(text, strlen(text));
}

bool oc_setup_url_ok(const char *url) {
    static const char host_chars[] = "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]%";
    static const char path_chars[] = "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_~%/";
    if (!url || strlen(url) > OC_MAX_SETUP_URL_BYTES) {
        return false;
    }
    size_t scheme = strncmp(url, "wss://", 6) == 0 ? 6 : strncmp(url, "ws://", 5) == 0 ? 5 : 0;
    const char *host = url + scheme;
    size_t host_len = strspn(host, host_chars);
    if (scheme == 0 || host_len == 0) {
        return false;
    }
    const char *path = host + host_len;
    return *path == '\0' || (*path == '/' && path[strspn(path, path_chars)] == '\0');
}

static enum oc_code setup_code_invalid(const char *why, struct oc_error *err) {
    enum oc_code rc = oc_fail(err, OC_E_INVALID, "that is no setup code (%s)", why);
    if (err) {
        err->grounds.remedy = OC_REMEDY_NEW_CODE;
    }
    return rc;
}

enum oc_code oc_setup_code_from_json(
        const char *text, size_t len, struct oc_setup_code *ret, struct oc_error *err) {
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error why = { 0 };
    if (oc_json_parse(text, len, &o, &why) != OC_OK || !cJSON_IsObject(o)) {
        return setup_code_invalid("its content is damaged", err);
    }
    const char *url = oc_json_get_str(o, "url"), *token = oc_json_get_str(o, "bootstrapToken");
    if (!oc_setup_url_ok(url)) {
        return setup_code_invalid("it names no gateway", err);
    }
    if (oc_str_blank(token) || strlen(token) > OC_MAX_SETUP_TOKEN_BYTES) {
        return setup_code_invalid("it has no token", err);
    }
    const cJSON *pin = oc_json_get(o, "tlsFingerprint");
    if (pin && !cJSON_IsString(pin)) {
        return setup_code_invalid(
                "its TLS fingerprint is damaged", err); /* never: connect without the pin */
    }
    *ret = (struct oc_setup_code){
        .url = oc_strdup(url),
        .token = oc_strdup(token),
        .tls_fingerprint = pin ? oc_strdup(pin->valuestring) : NULL,
        .expires_at_ms = oc_json_get_ms(o, "expiresAtMs", 0),
    };
    return OC_OK;
}

enum oc_code oc_setup_code_decode(
        const char *text, struct oc_setup_code *ret, struct oc_error *err) {
    if (!text || strlen(text) > OC_MAX_SETUP_CODE_BYTES) {
        return setup_code_invalid(text ? "it is too long" : "it is empty", err);
    }
    OC_AUTO_SECRET char *copy = oc_strdup(text);
    const char *code = oc_trim(copy);
    if (strncasecmp(code, PREFIX, strlen(PREFIX)) == 0) {
        code += strlen(PREFIX);
    }
    size_t len = strlen(code), json_len = 0;
    if (len == 0) {
        return setup_code_invalid("it is empty", err);
    }
    OC_AUTO_SECRET char *json = oc_alloc(len + 1);
    if (!oc_base64_decode(code, len, (uint8_t *)json, len, &json_len)) {
        return setup_code_invalid("it has characters that do not belong into one", err);
    }
    json[json_len] = '\0';
    enum oc_code rc = oc_setup_code_from_json(json, json_len, ret, err);
    explicit_bzero(json, json_len); /* oc_free_secret stops at the first NUL */
    return rc;
}

void oc_setup_code_finish(struct oc_setup_code *c) {
    oc_free(c->url);
    oc_free_secret(c->token);
    oc_free(c->tls_fingerprint);
    *c = (struct oc_setup_code){ 0 };
}
