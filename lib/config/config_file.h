/* openclaw.json with everything that is known about it: the text, what it means, and what is wrong
 * with it. For whoever shows, checks, changes or watches it; others use oc_config_load. */
#ifndef LIB_CONFIG_CONFIG_FILE_H
#define LIB_CONFIG_CONFIG_FILE_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

struct oc_config_file {
    char *path; /* where it was read: of an earlier name of the product when there is none of ours.
                 * Who writes writes to the path that was asked for. */
    bool exists;
    bool is_ancestor; /* path is not the one that was asked for */
    bool is_readable; /* config is what the file says, right or wrong; also when there is none */
    struct oc_buf raw;
    cJSON *parsed;        /* the text as a tree; an empty object when it cannot be read */
    cJSON *resolved;      /* with $include files merged in */
    cJSON *config;        /* and ${NAME} replaced: what the programs act on */
    cJSON *issues;        /* [{"path","message","line"?,"column"?,"file"?}]; file only when it is an
                           * included one; the config is valid when empty */
    cJSON *warnings;      /* the same shape: unknown keys */
    struct oc_strv files; /* the one asked for, the one read and what it includes */
};

/* Always fills ret, which needs oc_config_file_finish. A missing file is valid and empty. */
void oc_config_file_read(const char *path, struct oc_config_file *ret);
/* The same for a text that is to become the file. */
void oc_config_file_from_text(const char *path, struct oc_slice text, struct oc_config_file *ret);
void oc_config_file_finish(struct oc_config_file *f);
/* OC_E_INVALID with the first issue: "config '/…/openclaw.json': line 3, column 9: gateway.port
 * must be …". */
enum oc_code oc_config_file_verdict(
        const struct oc_config_file *f, struct oc_error *err) OC_MUST_USE;
/* "line 3, column 9: gateway.port must be …"; without the position when it is not known. Caller
 * frees. */
char *oc_config_issue_text(const cJSON *issue);
/* Which file it stands in: this one, or one it includes. */
const char *oc_config_issue_file(const struct oc_config_file *f, const cJSON *issue);
/* One more, where its setting stands; to: f's issues or warnings. path may be "". */
void oc_config_file_add(
        const struct oc_config_file *f, cJSON *to, const char *path, const char *message);
/* Private, atomic, directory included. A path that is a symbolic link stays one: what it points to
 * is replaced. */
enum oc_code oc_config_file_write(
        const char *path, const struct oc_buf *text, struct oc_error *err) OC_MUST_USE;

static inline void oc_auto_config_file(struct oc_config_file *f) {
    oc_config_file_finish(f);
}
#define OC_AUTO_CONFIG_FILE __attribute__((cleanup(oc_auto_config_file)))

#endif
