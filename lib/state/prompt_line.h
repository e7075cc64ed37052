/* The lines on the local approvals socket, in the reference's format (socket.path and socket.token
 * of exec-approvals.json). Whoever can ask the person at this machine serves the socket; whoever
 * wants to know connects:
 *
 *   → {"type":"request","token",…,"id","request":{command, cwd, agentId, …}}
 *   ← {"type":"decision","id","decision":"allow-once"|"allow-always"|"deny"}
 *   → {"type":"exec","id","nonce","ts","hmac","requestJson"}        hmac: SHA-256 of
 *                                                                   "nonce:ts:requestJson", key:
 *                                                                   the token
 *   ← {"type":"exec-res","id","ok":false,"error":{"code","message"}}
 *
 * Pure: no sockets here. */
#ifndef LIB_STATE_PROMPT_LINE_H
#define LIB_STATE_PROMPT_LINE_H

#include "lib/base/error.h"
#include "lib/json/json.h"
#include "lib/protocol/run_words.h"

#include <stdint.h>

#define OC_PROMPT_NONCE 64
#define OC_PROMPT_NONCES 256    /* remembered; when all are young nothing more is believed */
#define OC_PROMPT_SKEW_MS 10000 /* how far ts may be off */

/* The nonces that were used, so that no line counts twice. */
struct oc_prompt_guard {
    struct {
        int64_t ts;
        char nonce[OC_PROMPT_NONCE + 1];
    } seen[OC_PROMPT_NONCES];
};

enum oc_prompt_kind { OC_PROMPT_REQUEST, OC_PROMPT_EXEC };
struct oc_prompt_line {
    enum oc_prompt_kind kind;
    char *id;       /* owned; may be NULL */
    cJSON *request; /* owned; an object */
};
void oc_prompt_line_finish(struct oc_prompt_line *l);

/* OC_E_AUTH: wrong token or hmac, or a line that was there before. OC_E_INVALID: no such line. */
enum oc_code oc_prompt_line_read(struct oc_slice line, const char *token,
        struct oc_prompt_guard *guard, int64_t now_ms, struct oc_prompt_line *ret,
        struct oc_error *err) OC_MUST_USE;

/* Lines with their newline; caller frees. */
char *oc_prompt_request_line(const char *token, const char *id, const cJSON *request);
char *oc_prompt_decision_line(const char *id, enum oc_decision decision);
char *oc_prompt_exec_refusal_line(const char *id, const char *code, const char *message);

/* path and token of the socket, as the file has them. OC_E_NOT_FOUND when it has none. Caller frees
 * both. */
enum oc_code oc_prompt_socket_of(const char *approvals_path, char **ret_path, char **ret_token,
        struct oc_error *err) OC_MUST_USE;

#endif
