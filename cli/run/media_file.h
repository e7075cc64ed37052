/* Files that captures go to (docs/PROTOCOL.md#files): where, by which name, and how they get
 * there. */
#ifndef CLI_RUN_MEDIA_FILE_H
#define CLI_RUN_MEDIA_FILE_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

#include <stdint.h>

/* /tmp/openclaw when it is a directory of ours alone or can be made, else <TMPDIR>/openclaw-<uid>;
 * caller frees. */
enum oc_code cli_media_dir(char **ret, struct oc_error *err) OC_MUST_USE;
/* The same for a given place instead of /tmp/openclaw. */
enum oc_code cli_media_dir_at(const char *preferred, char **ret, struct oc_error *err) OC_MUST_USE;
/* <dir>/<stem>-<uuid>.<ext>, e.g. stem "openclaw-camera-snap-front"; caller frees. */
enum oc_code cli_media_temp_path(
        const char *stem, const char *ext, char **ret, struct oc_error *err) OC_MUST_USE;

/* Decodes the base64 text (a JSON string's body, still escaped) into the file, mode 0600. The file
 * appears when it is complete; one that was there is replaced, unless it is something else than a
 * file. */
enum oc_code cli_media_save(const char *path, struct oc_slice body, uint64_t *ret_bytes,
        struct oc_error *err) OC_MUST_USE;

/* Whether cli_media_save could write there, before anything is captured for it. */
enum oc_code cli_media_check(const char *path, struct oc_error *err) OC_MUST_USE;
/* As cli_media_save, to a descriptor. */
enum oc_code cli_media_write(
        int fd, struct oc_slice body, uint64_t *ret_bytes, struct oc_error *err) OC_MUST_USE;

/* The path as people see it: "~" for the home (or $OPENCLAW_HOME when that is set, as the reference
 * has it). Caller frees. */
char *cli_media_shown_path(const char *path);

#endif
