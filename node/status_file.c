#include "node/status_file.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "lib/log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define NAME "node-status.json"
#define MAX_FILE ((size_t)16 * 1024)

struct nd_status_file {
    const struct oc_clock *clock;
    char *path;
    int fd;
    struct nd_status_log said;
};

static const char *const state_names[] = {
    [ND_CONNECTING] = "connecting",
    [ND_WAITING_DEVICE] = "waiting-pairing",
    [ND_WAITING_SURFACE] = "waiting-approval",
    [ND_CONNECTED] = "connected",
    [ND_RETRYING] = "retrying",
    [ND_FAILED] = "failed",
    [ND_STOPPED] = "stopped",
};

struct nd_status_file *nd_status_file_create(const char *state_dir, const struct oc_clock *clock) {
    struct nd_status_file *f = oc_new(struct nd_status_file);
    f->clock = clock;
    f->path = oc_path_join(state_dir, NAME);
    f->fd = open(f->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    /* Nobody but us keeps this lock (the key file's says so); whoever reads has it for a moment. */
    if (f->fd < 0 || flock(f->fd, LOCK_EX) != 0) {
        oc_log(OC_LOG_WARN, "node", "%s: %s; openclaw node status will not know of this node",
                f->path, strerror(errno));
        nd_status_file_destroy(f);
        return NULL;
    }
    return f;
}

void nd_status_file_destroy(struct nd_status_file *f) {
    if (!f) {
        return;
    }
    if (f->fd >= 0) {
        (void)unlink(f->path);
        close(f->fd);
    }
    nd_status_log_finish(&f->said);
    oc_free(f->path);
    oc_free(f);
}

void nd_status_file_put(struct nd_status_file *f, const struct nd_status *s) {
    if (!f || !nd_status_is_news(&f->said, s)) {
        return;
    }
    OC_AUTO_FREE char *line = nd_status_line(s);
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "pid", getpid());
    oc_json_set_str(o, "state", state_names[s->state]);
    oc_json_set_str(o, "text", line);
    oc_json_set_str(o, "fix", s->fix);
    oc_json_set_str(o, "gateway", s->gateway);
    oc_json_set_str(o, "name", s->name);
    oc_json_set_int(o, "sinceMs", oc_wall_ms(f->clock));
    OC_AUTO_FREE char *text = oc_json_print(o, false);
    size_t len = strlen(text);
    /* In place, as the lock hangs on the file; a reader who meets half of it says that it does not
     * know. */
    if (ftruncate(f->fd, 0) != 0 || pwrite(f->fd, text, len, 0) != (ssize_t)len) {
        oc_log(OC_LOG_WARN, "node", "%s: %s", f->path, strerror(errno));
    }
}

enum oc_code nd_status_file_read(const char *state_dir, cJSON **ret, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_path_join(state_dir, NAME);
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0) {
        return oc_fail(err, OC_E_NOT_FOUND, "no node runs with the state in %s", state_dir);
    }
    OC_AUTO_BUF struct oc_buf text = { 0 };
    enum oc_code rc = oc_file_read(path, MAX_FILE, &text, err);
    return rc == OC_OK ? oc_json_parse(text.data, text.len, ret, err) : rc;
}
