/* Changes one setting in the text of openclaw.json and leaves everything else, comments, order and
 * spacing, as the owner wrote it.
 *
 * text holds the file (empty: a new one is begun) and is changed only on success. resolved is the
 * config with its $include files merged in, or NULL: a value that comes from one of them cannot be
 * changed here, and the error names the file. */
#ifndef LIB_CONFIG_CONFIG_EDIT_H
#define LIB_CONFIG_CONFIG_EDIT_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

#define OC_CONFIG_MAX_BYTES 1048576u
/* Changed places in one patch. Each costs a look through the text, and a gateway does nothing else
 * meanwhile. An object that was not there before counts as one. */
#define OC_CONFIG_MAX_EDITS 256

/* Objects on the way are made as needed. The item behind the last one of an array may be set. */
enum oc_code oc_config_edit_set(struct oc_buf *text, const cJSON *resolved,
        const struct oc_strv *path, const cJSON *value, struct oc_error *err) OC_MUST_USE;
/* OC_E_NOT_FOUND when it is not set. */
enum oc_code oc_config_edit_unset(struct oc_buf *text, const cJSON *resolved,
        const struct oc_strv *path, struct oc_error *err) OC_MUST_USE;
/* RFC 7396: members of patch are set, null unsets, objects are merged. OC_E_TOO_LARGE
 * beyond OC_CONFIG_MAX_EDITS. */
enum oc_code oc_config_edit_merge(struct oc_buf *text, const cJSON *resolved, const cJSON *patch,
        struct oc_error *err) OC_MUST_USE;

#endif
