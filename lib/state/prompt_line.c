#include "lib/state/prompt_line.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/protocol/limits.h"
#include "lib/state/identity_dir.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

void oc_prompt_line_finish(struct oc_prompt_line *l) {
    oc_free(l->id);
    cJSON_Delete(l->request);
    *l = (struct oc_prompt_line){ 0 };
}

static void hmac_hex(const char *token, const char *text, char ret[65]) {
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    if (!HMAC(EVP_sha256(), token, (int)strlen(token), (const unsigned char *)text, strlen(text),
                mac, &len)) {
        len = 0; /* matches nothing */
    }
    ret[0] = '\0';
    for (unsigned i = 0; i < len && i < 32; i++) {
        snprintf(ret + (size_t)i * 2, 3, "%02x", mac[i]);
    }
}

/* Young nonces are never forgotten: when there is no room, nothing is believed until some have
 * aged. */
static bool take_nonce(struct oc_prompt_guard *g, const char *nonce, int64_t ts, int64_t now_ms) {
    size_t at = OC_PROMPT_NONCES;
    for (size_t i = 0; i < OC_PROMPT_NONCES; i++) {
        bool is_young = g->seen[i].ts && g->seen[i].ts + (int64_t)2 * OC_PROMPT_SKEW_MS >= now_ms;
        if (is_young && strcmp(g->seen[i].nonce, nonce) == 0) {
            return false;
        }
        at = is_young ? at : i;
    }
    if (at == OC_PROMPT_NONCES) {
        return false;
    }
    g->seen[at].ts = ts;
    snprintf(g->seen[at].nonce, sizeof(g->seen[at].nonce), "%s", nonce);
    return true;
}

static enum oc_code read_exec(const cJSON *o, const char *token, struct oc_prompt_guard *guard,
        int64_t now_ms, struct oc_prompt_line *ret, struct oc_error *err) {
    const char *nonce = oc_json_get_str(o, "nonce"), *hmac = oc_json_get_str(o, "hmac");
    const char *text = oc_json_get_str(o, "requestJson");
    int64_t ts = oc_json_get_ms(o, "ts", 0);
    if (!nonce || !*nonce || strlen(nonce) > OC_PROMPT_NONCE || !hmac || !text || ts <= 0) {
        return oc_fail(err, OC_E_INVALID, "not an exec line");
    }
    OC_AUTO_FREE char *message = oc_strfmt("%s:%" PRId64 ":%s", nonce, ts, text);
    char wanted[65];
    hmac_hex(token, message, wanted);
    if (!*wanted || !oc_secret_equal(wanted, hmac)) {
        return oc_fail(err, OC_E_AUTH, "wrong hmac");
    }
    if (ts < now_ms - OC_PROMPT_SKEW_MS || ts > now_ms + OC_PROMPT_SKEW_MS) {
        return oc_fail(err, OC_E_AUTH, "too old, or from the future");
    }
    if (!take_nonce(guard, nonce, ts, now_ms)) {
        return oc_fail(err, OC_E_AUTH, "this line was there before");
    }
    ret->kind = OC_PROMPT_EXEC;
    return oc_json_parse(text, strlen(text), &ret->request, err);
}

static enum oc_code read_request(
        const cJSON *o, const char *token, struct oc_prompt_line *ret, struct oc_error *err) {
    const char *given = oc_json_get_str(o, "token");
    if (!given || !oc_secret_equal(given, token)) {
        return oc_fail(err, OC_E_AUTH, "wrong token");
    }
    ret->kind = OC_PROMPT_REQUEST;
    ret->request = cJSON_Duplicate(oc_json_get(o, "request"), true);
    return OC_OK;
}

enum oc_code oc_prompt_line_read(struct oc_slice line, const char *token,
        struct oc_prompt_guard *guard, int64_t now_ms, struct oc_prompt_line *ret,
        struct oc_error *err) {
    struct oc_prompt_line got = { 0 };
    OC_AUTO_JSON cJSON *o = NULL;
    enum oc_code rc = oc_json_parse(line.ptr, line.len, &o, err);
    if (rc != OC_OK) {
        return oc_fail(err, OC_E_INVALID, "not JSON");
    }
    const char *type = oc_json_get_str(o, "type"), *id = oc_json_get_str(o, "id");
    if (oc_str_blank(token) || (id && strlen(id) > OC_MAX_ID_BYTES)) {
        return oc_fail(err, OC_E_INVALID, "id is too long, or there is no token");
    }
    if (oc_streq(type, "request")) {
        rc = read_request(o, token, &got, err);
    } else if (oc_streq(type, "exec")) {
        rc = read_exec(o, token, guard, now_ms, &got, err);
    } else {
        rc = oc_fail(err, OC_E_INVALID, "unknown type");
    }
    if (rc == OC_OK && !cJSON_IsObject(got.request)) {
        rc = oc_fail(err, OC_E_INVALID, "request must be object");
    }
    if (rc != OC_OK) {
        oc_prompt_line_finish(&got);
        return rc;
    }
    got.id = oc_strdup(id);
    *ret = got;
    return OC_OK;
}

static char *line_of(cJSON *take_o) {
    OC_AUTO_JSON cJSON *o = take_o;
    OC_AUTO_SECRET char *text = oc_json_print(o, false);
    oc_json_wipe(o);
    return oc_strfmt("%s\n", text);
}

char *oc_prompt_request_line(const char *token, const char *id, const cJSON *request) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "type", "request");
    oc_json_set_str(o, "token", token);
    oc_json_set_str(o, "id", id);
    oc_json_set(o, "request", cJSON_Duplicate(request, true));
    return line_of(o);
}

char *oc_prompt_decision_line(const char *id, enum oc_decision decision) {
    cJSON *o = cJSON_CreateObject();
    oc_json_set_str(o, "type", "decision");
    oc_json_set_str(o, "id", id);
    oc_json_set_str(o, "decision", oc_decision_name(decision));
    return line_of(o);
}

char *oc_prompt_exec_refusal_line(const char *id, const char *code, const char *message) {
    cJSON *o = cJSON_CreateObject(), *error = cJSON_CreateObject();
    oc_json_set_str(o, "type", "exec-res");
    oc_json_set_str(o, "id", id);
    oc_json_set_bool(o, "ok", false);
    oc_json_set_str(error, "code", code);
    oc_json_set_str(error, "message", message);
    oc_json_set(o, "error", error);
    return line_of(o);
}

enum oc_code oc_prompt_socket_of(
        const char *approvals_path, char **ret_path, char **ret_token, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    OC_AUTO_JSON cJSON *file = NULL;
    enum oc_code rc = oc_file_read(approvals_path, OC_MAX_STATE_FILE_BYTES, &text, err);
    if (rc == OC_OK) {
        rc = oc_json_parse(text.data ? text.data : "", text.len, &file, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    const cJSON *socket = oc_json_get(file, "socket");
    const char *path = oc_json_get_str(socket, "path"), *token = oc_json_get_str(socket, "token");
    if (oc_str_blank(path) || oc_str_blank(token)) {
        rc = oc_fail(err, OC_E_NOT_FOUND, "'%s' names no socket", approvals_path);
    } else {
        *ret_path = oc_path_user(path);
        *ret_token = oc_strdup(token);
    }
    oc_json_wipe(file);
    return rc;
}
