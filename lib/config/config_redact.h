/* Secrets of a config are never shown: a fixed word stands in their place, the reference's own.
 * When a client sends the config back, the word stands for what was there before. */
#ifndef LIB_CONFIG_CONFIG_REDACT_H
#define LIB_CONFIG_CONFIG_REDACT_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

#define OC_CONFIG_REDACTED "__OPENCLAW_REDACTED__"

/* By its name: tokens, passwords, secrets, keys, addresses of web hooks, and everything in an env
 * or headers object. */
bool oc_config_is_secret(const char *path);
/* Replaces in the tree. ${NAME} alone is no secret and stays. */
void oc_config_redact(cJSON *config);
/* The same in a text that oc_json5_parse has accepted; the rest of it stays as it is. */
void oc_config_redact_text(struct oc_buf *text);
/* Puts back what the word stands for, from the text as it is on disk. OC_E_INVALID names a path
 * where nothing was before. */
enum oc_code oc_config_restore_text(
        struct oc_buf *text, struct oc_slice before, struct oc_error *err) OC_MUST_USE;

#endif
