#include "lib/state/identity_dir.h"

#include "lib/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/file.h>

char *oc_identity_dir_path(const char *state_dir, const char *name) {
    OC_AUTO_FREE char *dir = oc_path_join(state_dir, "identity");
    return oc_path_join(dir, name);
}

enum oc_code oc_identity_dir_lock(const char *state_dir, int *ret_fd, struct oc_error *err) {
    OC_AUTO_FREE char *dir = oc_path_join(state_dir, "identity");
    enum oc_code rc = oc_dir_ensure_private(dir, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_FD int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return oc_fail(err, OC_E_IO, "cannot open '%s': %s", dir, strerror(errno));
    }
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
        /* a file system without locks is used without */
    }
    *ret_fd = oc_take_fd(&fd);
    return OC_OK;
}

enum oc_code oc_identity_dir_write(const char *path, const cJSON *doc, struct oc_error *err) {
    OC_AUTO_SECRET char *text = oc_json_print(doc, true);
    OC_AUTO_SECRET char *line = oc_strfmt("%s\n", text);
    return oc_file_write_private(path, line, strlen(line), err);
}

void oc_json_wipe(cJSON *v) {
    cJSON *child;
    if (!v) {
        return;
    }
    if (v->valuestring) {
        OPENSSL_cleanse(v->valuestring, strlen(v->valuestring));
    }
    cJSON_ArrayForEach(child, v) {
        oc_json_wipe(child);
    }
}
