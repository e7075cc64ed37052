#include "node/sandbox/sandbox_now.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "node/sandbox/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#define TAG "node.sandbox"
#define MAX_NOTE 16384

struct nd_sandbox_now {
    struct nd_machine *machine;
    char *mode, *workspace, *token_file; /* of the command line; NULL: not given */
    struct nd_sandbox *sandbox;
    char *summary;
};

static char *note_path(const char *state_dir) {
    return oc_path_join(state_dir, "node-sandbox.json");
}

/* For the owner's information only: nothing depends on it. */
static void write_note(const struct nd_sandbox_now *w) {
    OC_AUTO_FREE char *path = note_path(w->machine->state_dir);
    OC_AUTO_JSON cJSON *o = cJSON_CreateObject();
    oc_json_set_int(o, "pid", getpid());
    oc_json_set_str(o, "sandbox", w->summary);
    oc_json_set_str(o, "wrong", w->sandbox->wrong);
    OC_AUTO_FREE char *text = oc_json_print(o, false);
    struct oc_error err;
    if (oc_file_write_private(path, text, strlen(text), &err) != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "ignoring: %s", err.text);
    }
}

enum oc_code nd_sandbox_now_rebuild(struct nd_sandbox_now *w, const cJSON *config,
        const struct oc_strv *config_files, struct oc_error *err) {
    struct nd_sandbox *fresh = NULL;
    enum oc_code rc = nd_sandbox_create(&(struct nd_sandbox_opts){ .platform = w->machine->platform,
                                                .config = config,
                                                .mode = w->mode,
                                                .workspace = w->workspace,
                                                .state_dir = w->machine->state_dir,
                                                .approvals_path = w->machine->approvals_path,
                                                .config_files = config_files,
                                                .token_file = w->token_file },
            &fresh, err);
    if (rc != OC_OK) {
        return rc;
    }
    nd_sandbox_destroy(w->sandbox);
    oc_free(w->summary);
    w->sandbox = fresh;
    w->summary = nd_sandbox_summary(fresh);
    w->machine->sandbox = fresh;
    write_note(w);
    return OC_OK;
}

void nd_sandbox_now_shut(struct nd_sandbox_now *w, const char *why) {
    if (oc_streq(w->sandbox->wrong, why)) {
        return;
    }
    oc_free(w->sandbox->wrong);
    w->sandbox->wrong = oc_strdup(why);
    write_note(w);
}

enum oc_code nd_sandbox_now_create(struct nd_machine *machine,
        const struct nd_sandbox_now_opts *opts, const struct oc_strv *config_files,
        struct nd_sandbox_now **ret, struct oc_error *err) {
    struct nd_sandbox_now *w = oc_new(struct nd_sandbox_now);
    w->machine = machine;
    w->mode = oc_strdup(opts->mode);
    w->workspace = oc_strdup(opts->workspace);
    w->token_file = oc_strdup(opts->token_file);
    enum oc_code rc = nd_sandbox_now_rebuild(w, machine->config, config_files, err);
    if (rc != OC_OK) {
        nd_sandbox_now_destroy(w);
        return rc;
    }
    nd_sandbox_sweep(w->sandbox);
    *ret = w;
    return OC_OK;
}

void nd_sandbox_now_destroy(struct nd_sandbox_now *w) {
    if (!w) {
        return;
    }
    if (w->sandbox) {
        OC_AUTO_FREE char *path = note_path(w->machine->state_dir);
        (void)unlink(path);
        w->machine->sandbox = NULL;
    }
    nd_sandbox_destroy(w->sandbox);
    oc_free(w->summary);
    oc_free(w->mode);
    oc_free(w->workspace);
    oc_free(w->token_file);
    oc_free(w);
}

const char *nd_sandbox_now_summary(const struct nd_sandbox_now *w) {
    return w->summary;
}

cJSON *nd_sandbox_now_of_running(const char *state_dir) {
    OC_AUTO_FREE char *path = note_path(state_dir);
    OC_AUTO_BUF struct oc_buf text = { 0 };
    OC_AUTO_JSON cJSON *o = NULL;
    struct oc_error ignored;
    if (oc_file_read(path, MAX_NOTE, &text, &ignored) != OC_OK ||
            oc_json_parse(text.data ? text.data : "", text.len, &o, &ignored) != OC_OK) {
        return NULL;
    }
    /* A node that was killed leaves its note behind. */
    int64_t pid = oc_json_get_int(o, "pid", 1, INT32_MAX, 0);
    bool is_alive = pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
    return is_alive && oc_json_get_str(o, "sandbox") ? oc_take(&o) : NULL;
}
