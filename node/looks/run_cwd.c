#include "node/looks/run_cwd.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/protocol/errors.h"
#include "node/argv/paths/exec_path.h"
#include "node/looks/exec_read.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum oc_code nd_run_refuse_path(
        struct oc_error *err, const struct oc_grounds *grounds, const char *text) {
    enum oc_code rc = oc_fail_wire(
            err, OC_E_INVALID, OC_WIRE_INVALID, "SYSTEM_RUN_DENIED: approval requires %s", text);
    if (err) {
        err->grounds = *grounds;
    }
    return rc;
}

static enum oc_code run_cwd_refuse(struct oc_error *err, const char *cwd, const char *text) {
    struct oc_grounds grounds = {
        .cause = OC_CAUSE_BAD_DIRECTORY, .gate = OC_GATE_LOCAL, .remedy = OC_REMEDY_REAL_PATHS
    };
    oc_grounds_set_subject(&grounds, cwd);
    return nd_run_refuse_path(err, &grounds, text);
}

/* True if a component of the path is a link that we, and so a command of ours, could point
 * elsewhere. */
static bool has_movable_link(const char *path) {
    char part[PATH_MAX], parent[PATH_MAX];
    size_t len = strlen(path);
    if (len >= sizeof(part)) {
        return true;
    }
    for (size_t end = 1; end <= len; end++) {
        if (end < len && path[end] != '/') {
            continue;
        }
        memcpy(part, path, end);
        part[end] = '\0';
        struct stat st;
        if (lstat(part, &st) != 0 || !S_ISLNK(st.st_mode)) {
            continue;
        }
        size_t up = (size_t)(strrchr(part, '/') - part);
        memcpy(parent, part, up ? up : 1);
        parent[up ? up : 1] = '\0';
        if (access(parent, W_OK) == 0) {
            return true;
        }
    }
    return false;
}

char *nd_run_own_dir(void) {
    char here[PATH_MAX];
    return getcwd(here, sizeof(here)) ? oc_strdup(here) : NULL;
}

char *nd_run_absolute(const char *path) {
    char here[PATH_MAX];
    if (path[0] == '/' || !getcwd(here, sizeof(here))) {
        return oc_strdup(path);
    }
    return oc_strfmt("%s/%s", here, path);
}

enum oc_code nd_run_check_text(const char *path, struct oc_error *err) {
    if (oc_utf8_valid(path, strlen(path))) {
        return OC_OK;
    }
    struct oc_grounds grounds = {
        .cause = OC_CAUSE_UNNAMEABLE_PATH, .gate = OC_GATE_LOCAL, .remedy = OC_REMEDY_RENAME_FILE
    };
    OC_AUTO_FREE char *shown = oc_printable(path, strlen(path), 200);
    OC_AUTO_FREE char *text = oc_strfmt("a path that is UTF-8 text, unlike %s", shown);
    return nd_run_refuse_path(err, &grounds, text);
}

enum oc_code nd_run_harden_cwd(char **cwd, const char *state_dir, struct oc_error *err) {
    OC_AUTO_FREE char *given = nd_run_absolute(*cwd);
    size_t len = strlen(given);
    while (len > 1 && given[len - 1] == '/') {
        given[--len] = '\0'; /* lstat follows a link with a slash behind it */
    }
    struct stat st, link;
    OC_AUTO_FREE char *real =
            state_dir && nd_exec_is_private(given, state_dir) ? NULL : nd_exec_real(given);
    if (!real || stat(given, &st) != 0 || lstat(given, &link) != 0) {
        return run_cwd_refuse(err, *cwd, "an existing canonical cwd");
    }
    if (!S_ISDIR(st.st_mode)) {
        return run_cwd_refuse(err, *cwd, "cwd to be a directory");
    }
    if (S_ISLNK(link.st_mode)) {
        return run_cwd_refuse(err, *cwd, "canonical cwd (no symlink cwd)");
    }
    if (has_movable_link(given)) {
        return run_cwd_refuse(err, *cwd, "canonical cwd (no symlink path components)");
    }
    struct stat at_real;
    if (stat(real, &at_real) != 0 || at_real.st_dev != st.st_dev || at_real.st_ino != st.st_ino ||
            link.st_dev != st.st_dev || link.st_ino != st.st_ino) {
        return oc_fail_wire(err, OC_E_INVALID, OC_WIRE_INVALID,
                "SYSTEM_RUN_DENIED: approval cwd identity mismatch"); /* it changed while we looked
                                                                       */
    }
    enum oc_code rc = nd_run_check_text(real, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc_free(*cwd);
    *cwd = oc_take(&real);
    return OC_OK;
}
