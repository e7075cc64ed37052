/* <state>/identity: where it is, and one writer at a time. */
#ifndef LIB_STATE_IDENTITY_DIR_H
#define LIB_STATE_IDENTITY_DIR_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

/* Makes the directory if needed and waits for the lock, which lasts until *ret_fd is closed: a node
 * and a command line that start together must not make two keys. */
enum oc_code oc_identity_dir_lock(
        const char *state_dir, int *ret_fd, struct oc_error *err) OC_MUST_USE;
char *oc_identity_dir_path(const char *state_dir, const char *name); /* caller frees */
/* Pretty-printed with a final newline, as the reference writes its client files. */
enum oc_code oc_identity_dir_write(
        const char *path, const cJSON *doc, struct oc_error *err) OC_MUST_USE;
/* Overwrites the strings of a tree before it is freed. */
void oc_json_wipe(cJSON *v);

#endif
