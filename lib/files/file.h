/* Files of ours: bounded reads, atomic private writes, directories. Error texts name the path. */
#ifndef LIB_FILES_FILE_H
#define LIB_FILES_FILE_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

#include <stdbool.h>

/* OC_E_NOT_FOUND when it does not exist, OC_E_IO otherwise. */
enum oc_code oc_file_read(
        const char *path, size_t max_bytes, struct oc_buf *ret, struct oc_error *err) OC_MUST_USE;
/* Syncs the directory that path is in: a name that was made or changed there survives a power
 * cut. */
enum oc_code oc_file_sync_dir(const char *path, struct oc_error *err) OC_MUST_USE;
/* Temp file in the same directory, mode 0600, fsync, rename, fsync of the directory. The old
 * content stays readable until the new one is complete. Parent directories must exist. */
enum oc_code oc_file_write_private(
        const char *path, const char *data, size_t len, struct oc_error *err) OC_MUST_USE;
/* The same, but what check says right before the new content would take the old one's place counts:
 * anything but OC_OK leaves the file as it is and is the result. check may be NULL. */
typedef enum oc_code oc_file_check(void *user, struct oc_error *err);
enum oc_code oc_file_replace_private(const char *path, const char *data, size_t len,
        oc_file_check *check, void *user, struct oc_error *err) OC_MUST_USE;
/* Takes the lock of everyone who changes something together, without waiting: OC_E_UNAVAILABLE when
 * somebody has it. Closing ret_fd gives it back; the file (0600, made when it is missing, never a
 * link) stays. */
enum oc_code oc_file_lock(const char *path, int *ret_fd, struct oc_error *err) OC_MUST_USE;
/* mkdir -p with mode 0700 for what is created. */
enum oc_code oc_dir_ensure_private(const char *path, struct oc_error *err) OC_MUST_USE;
bool oc_file_exists(const char *path);
char *oc_path_join(const char *a, const char *b); /* caller frees */
/* The directory is the path or above it. By their texts alone: both must be real paths. */
bool oc_path_covers(const char *dir, const char *path);

/* The directories of docs/PROTOCOL.md#files. All results are owned by the caller.
 * home: OPENCLAW_HOME, HOME, passwd. state: OPENCLAW_STATE_DIR, else <home>/.openclaw.
 * config: OPENCLAW_CONFIG_PATH, else <state>/openclaw.json. */
char *oc_dir_home(void);
char *oc_dir_state(void);
/* In the state directory; held by the gateway while it runs. Its pid and port are in it. */
#define OC_GATEWAY_LOCK_NAME "gateway.sqlite.lock"
char *oc_path_config(void);
/* The config of an earlier name of the product (moltbot.json, clawdbot.json …, also in ~/.moltbot,
 * ~/.clawdbot …) that is read when config_path is the default one and does not exist; NULL: none.
 * It is never written. Caller frees. */
char *oc_path_ancestor_config(const char *config_path);
/* A path as an owner writes it: "~" is the home, the result is absolute. */
char *oc_path_user(const char *path);

#endif
