/* node.exec.* of openclaw.json: checked when the node reads them, so that a mistake is found by the
 * owner and not by the first command. */
#include "node/sandbox/sandbox.h"

#include "lib/base/mem.h"
#include "lib/config/config_schema.h"
#include "lib/config/size.h"
#include "lib/files/file.h"
#include "lib/log/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum oc_code read_size(
        const cJSON *limits, const char *key, int64_t *ret, struct oc_error *err) {
    const cJSON *v = oc_json_get(limits, key);
    if (!v || cJSON_IsNull(v) || oc_json_as_size(v, ret)) {
        return OC_OK;
    }
    OC_AUTO_FREE char *path = oc_strfmt("node.exec.limits.%s", key);
    return oc_fail_setting(err, OC_E_INVALID, path, "must be %s", OC_SIZE_FORMS);
}

static enum oc_code read_limits(const cJSON *exec, struct os_limits *ret, struct oc_error *err) {
    const cJSON *limits = oc_json_get(exec, "limits");
    ret->cpu_seconds = oc_json_clamp_int(limits, "cpuSeconds", 0, 31536000, 0);
    ret->processes = oc_json_clamp_int(limits, "processes", 0, 4194304, 0);
    ret->open_files = oc_json_clamp_int(limits, "openFiles", 0, 1048576, 0);
    enum oc_code rc = read_size(limits, "memory", &ret->memory_bytes, err);
    return rc == OC_OK ? read_size(limits, "fileSize", &ret->file_bytes, err) : rc;
}

/* Unknown keys among them: a mistyped key must not open the sandbox. */
static enum oc_code check_keys(const cJSON *config, struct oc_error *err) {
    OC_AUTO_JSON cJSON *problems = cJSON_CreateArray();
    oc_config_check(config, problems, NULL);
    const cJSON *p;
    cJSON_ArrayForEach(p, problems) {
        const char *path = oc_json_get_str(p, "path");
        if (oc_streq(path, "node") || oc_starts_with(path, "node.")) {
            return oc_fail_setting(err, OC_E_INVALID, path, "%s", oc_json_get_str(p, "message"));
        }
    }
    return OC_OK;
}

static enum oc_code read_mode(const char *text, enum nd_sandbox_mode *ret, struct oc_error *err) {
    for (enum nd_sandbox_mode m = ND_SANDBOX_OFF; m <= ND_SANDBOX_STRICT; m++) {
        if (!text || strcmp(text, nd_sandbox_mode_name(m)) == 0) {
            *ret = m;
            return OC_OK;
        }
    }
    return oc_fail(err, OC_E_INVALID,
            "'%s' is no kind of sandbox; use off, workspace or strict (node.exec.sandbox, "
            "--sandbox)",
            text);
}

/* Where a file is, and where the link leads that it may be: whoever changes either changes what we
 * read. One that is not there yet counts, too: it could be made. */
static enum oc_code check_secret_file(
        const char *key, const char *dir, const char *file, struct oc_error *err) {
    if (oc_str_blank(file) || strcmp(file, "-") == 0) {
        return OC_OK;
    }
    OC_AUTO_FREE char *full = oc_path_user(file), *real = realpath(full, NULL);
    char *slash = strrchr(full, '/');
    OC_AUTO_FREE char *folder = oc_strndup(full, slash == full ? 1 : (size_t)(slash - full));
    OC_AUTO_FREE char *real_folder = realpath(folder, NULL);
    OC_AUTO_FREE char *place = real_folder ? oc_path_join(real_folder, slash + 1) : NULL;
    const char *hit = place && oc_path_covers(dir, place) ? place
                      : real && oc_path_covers(dir, real) ? real
                                                          : NULL;
    if (hit) {
        return oc_fail_setting(err, OC_E_INVALID, key,
                "'%s' would open '%s', which holds settings or secrets of this node; keep that "
                "file elsewhere, or name another directory",
                dir, hit);
    }
    return OC_OK;
}

static enum oc_code check_secret_files(const struct nd_sandbox_opts *opts, const char *key,
        const char *dir, struct oc_error *err) {
    enum oc_code rc = check_secret_file(key, dir, opts->approvals_path, err);
    rc = rc == OC_OK ? check_secret_file(key, dir, opts->token_file, err) : rc;
    for (size_t i = 0; opts->config_files && i < opts->config_files->count && rc == OC_OK; i++) {
        rc = check_secret_file(key, dir, opts->config_files->items[i], err);
    }
    return rc;
}

/* The node's keys, tokens and rules, with which a command could speak as this machine or allow
 * itself anything. Landlock cannot leave something out of what it opens. */
static enum oc_code check_secrets(const struct nd_sandbox_opts *opts, const char *key,
        const char *dir, struct oc_error *err) {
    OC_AUTO_FREE char *rules_dir = oc_strdup(opts->approvals_path);
    char *slash = strrchr(rules_dir, '/');
    if (slash) {
        *slash = '\0';
    }
    const char *const secret[] = { opts->state_dir, rules_dir };
    for (size_t i = 0; i < OC_COUNT(secret); i++) {
        OC_AUTO_FREE char *ours = realpath(secret[i], NULL);
        OC_AUTO_FREE char *allowed = ours ? oc_path_join(ours, "workspace") : NULL;
        if (ours && (oc_path_covers(dir, ours) ||
                            (oc_path_covers(ours, dir) && !oc_path_covers(allowed, dir)))) {
            return oc_fail_setting(err, OC_E_INVALID, key,
                    "'%s' would open '%s', which holds the keys and rules of this node; name a "
                    "directory beside it, or '%s'",
                    dir, ours, allowed);
        }
    }
    return check_secret_files(opts, key, dir, err);
}

/* Nobody chose those directories, so it is the secret that has to move. */
static enum oc_code check_system(const struct nd_sandbox_opts *opts, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv opened = { 0 };
    nd_sandbox_system(&opened);
    for (size_t i = 0; i < opened.count; i++) {
        OC_AUTO_FREE char *real = realpath(opened.items[i], NULL);
        if (real && check_secrets(opts, "", real, NULL) != OC_OK) {
            return oc_fail_setting(err, OC_E_INVALID, "node.exec.sandbox",
                    "keys, rules or settings of this node lie in '%s', which "
                    "every command reads; move them (OPENCLAW_STATE_DIR, OPENCLAW_CONFIG_PATH, "
                    "--token-file)",
                    real);
        }
    }
    return OC_OK;
}

static enum oc_code add_dir(const struct nd_sandbox_opts *opts, const char *key, const char *given,
        struct oc_strv *ret, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_path_user(given);
    OC_AUTO_FREE char *real = realpath(path, NULL);
    if (!real) {
        return oc_fail_setting(err, OC_E_INVALID, key, "'%s': %s", path, strerror(errno));
    }
    enum oc_code rc = check_secrets(opts, key, real, err);
    if (rc == OC_OK) {
        oc_strv_add_unique(ret, real);
    }
    return rc;
}

/* What lies in a workspace is open already, and a command could turn it into a link to
 * elsewhere. */
static bool is_in_workspace(const struct nd_sandbox *s, const char *path) {
    for (size_t i = 0; i < s->workspaces.count; i++) {
        if (oc_path_covers(s->workspaces.items[i], path)) {
            return true;
        }
    }
    return false;
}

static enum oc_code read_dirs(const struct nd_sandbox_opts *opts, const cJSON *exec,
        const char *key, const struct nd_sandbox *s, struct oc_strv *ret, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv given = { 0 }, real = { 0 };
    OC_AUTO_FREE char *full = oc_strfmt("node.exec.%s", key);
    oc_json_get_strv(exec, key, &given);
    for (size_t i = 0; i < given.count; i++) {
        enum oc_code rc = add_dir(opts, full, given.items[i], &real, err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    for (size_t i = 0; i < real.count; i++) {
        if (!is_in_workspace(s, real.items[i])) {
            oc_strv_add(ret, real.items[i]);
        }
    }
    return OC_OK;
}

static enum oc_code check_workspaces(const struct nd_sandbox *s, struct oc_error *err) {
    struct stat st;
    for (size_t i = 0; i < s->workspaces.count; i++) {
        const char *path = s->workspaces.items[i];
        if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
            return oc_fail_setting(
                    err, OC_E_INVALID, "node.exec.workspace", "'%s' is no directory", path);
        }
        for (size_t k = 0; k < s->workspaces.count; k++) {
            if (k != i && oc_path_covers(s->workspaces.items[k], path)) {
                return oc_fail_setting(err, OC_E_INVALID, "node.exec.workspace",
                        "'%s' lies in '%s'; keep one of them", path, s->workspaces.items[k]);
            }
        }
    }
    return OC_OK;
}

static enum oc_code read_workspaces(const struct nd_sandbox_opts *opts, const cJSON *exec,
        struct nd_sandbox *s, struct oc_error *err) {
    static const struct nd_sandbox no_workspaces;
    if (opts->workspace) {
        enum oc_code rc =
                add_dir(opts, "--sandbox-workspace", opts->workspace, &s->workspaces, err);
        return rc == OC_OK ? check_workspaces(s, err) : rc;
    }
    struct oc_strv found = { 0 };
    enum oc_code rc = read_dirs(opts, exec, "workspace", &no_workspaces, &found, err);
    s->workspaces = found;
    if (rc != OC_OK || found.count > 0) {
        return rc == OC_OK ? check_workspaces(s, err) : rc;
    }
    OC_AUTO_FREE char *usual = oc_path_join(opts->state_dir, "workspace");
    if (opts->is_only_asking && !oc_file_exists(usual)) {
        oc_strv_add(&s->workspaces, usual);
        return OC_OK;
    }
    rc = oc_dir_ensure_private(usual, err);
    return rc == OC_OK ? add_dir(opts, "node.exec.workspace", usual, &s->workspaces, err) : rc;
}

/* A directory in which commands change things could have its parts replaced by links to elsewhere,
 * and a rule about such a part would then open that. So parts get no rules of their own. */
static void drop_parts(const struct oc_strv *of, struct oc_strv *dirs) {
    struct oc_strv kept = { 0 };
    for (size_t i = 0; i < dirs->count; i++) {
        bool is_part = false;
        for (size_t k = 0; k < of->count && !is_part; k++) {
            is_part = (of != dirs || k != i) && oc_path_covers(of->items[k], dirs->items[i]);
        }
        if (!is_part) {
            oc_strv_add(&kept, dirs->items[i]);
        }
    }
    oc_strv_finish(dirs);
    *dirs = kept;
}

static enum oc_code check_writable(struct nd_sandbox *s, struct oc_error *err) {
    for (size_t i = 0; i < s->writable.count; i++) {
        for (size_t k = 0; k < s->workspaces.count; k++) {
            if (oc_path_covers(s->writable.items[i], s->workspaces.items[k])) {
                return oc_fail_setting(err, OC_E_INVALID, "node.exec.writable",
                        "'%s' holds the workspace '%s', which commands could "
                        "then replace; make it the workspace instead",
                        s->writable.items[i], s->workspaces.items[k]);
            }
        }
    }
    drop_parts(&s->writable, &s->writable);
    drop_parts(&s->writable, &s->readable);
    return OC_OK;
}

static enum oc_code read_sandbox(const struct nd_sandbox_opts *opts, const cJSON *exec,
        struct nd_sandbox *s, struct oc_error *err) {
    /* Nothing in the kernel closes this machine's own services to a command and leaves the rest of
     * the network open. So it is the owner who opens both. */
    s->no_network =
            s->mode == ND_SANDBOX_STRICT || !oc_streq(oc_json_get_str(exec, "network"), "on");
    s->unix_sockets =
            s->mode == ND_SANDBOX_WORKSPACE && oc_json_get_bool(exec, "unixSockets", false);
    s->may_fall_back = s->mode == ND_SANDBOX_WORKSPACE &&
                       oc_streq(oc_json_get_str(exec, "sandboxFallback"), "allow");
    oc_json_get_strv(oc_json_get(exec, "env"), "inherit", &s->env);
    enum oc_code rc = check_system(opts, err);
    rc = rc == OC_OK ? read_workspaces(opts, exec, s, err) : rc;
    rc = rc == OC_OK ? read_dirs(opts, exec, "readable", s, &s->readable, err) : rc;
    rc = rc == OC_OK ? read_dirs(opts, exec, "writable", s, &s->writable, err) : rc;
    return rc == OC_OK ? check_writable(s, err) : rc;
}

static void ask_kernel(const struct nd_sandbox_opts *opts, struct nd_sandbox *s) {
    const struct os_sandbox_ops *ops = s->platform->sandbox;
    if (opts->features) {
        s->features = *opts->features;
    } else if (ops && s->mode != ND_SANDBOX_OFF) {
        ops->probe(&s->features);
    }
    if (ops && ops->claim && !opts->features && !opts->is_only_asking &&
            (s->limits.memory_bytes || s->limits.processes)) {
        ops->claim(&s->features);
        if (s->features.cgroup_memory || s->features.cgroup_processes) {
            oc_log(OC_LOG_INFO, "node.sandbox",
                    "the kernel counts all of a command's processes together (cgroup)");
        }
    }
    nd_sandbox_gaps(s->mode, ops ? &s->features : NULL, &s->missing);
}

bool nd_limits_any(const struct os_limits *l) {
    return l->memory_bytes || l->cpu_seconds || l->processes || l->file_bytes || l->open_files;
}

/* A ceiling that would not hold is worse than none. Who only asks does not know what the node will
 * be given. */
static enum oc_code check_limits(
        const struct nd_sandbox *s, bool is_only_asking, struct oc_error *err) {
    if (nd_limits_any(&s->limits) && !s->platform->sandbox) {
        return oc_fail_setting(err, OC_E_INVALID, "node.exec.limits",
                "this system has no ceilings for commands; remove the setting");
    }
    if (s->limits.processes && (s->features.cgroup_processes || is_only_asking)) {
        return OC_OK;
    }
    if (s->limits.processes && geteuid() == 0) {
        return oc_fail_setting(err, OC_E_INVALID, "node.exec.limits.processes",
                "the kernel does not count root's processes; run the "
                "node as an ordinary user or as a service with Delegate=yes, or remove it");
    }
    if (s->limits.processes && (s->mode == ND_SANDBOX_OFF || !s->features.namespaces)) {
        return oc_fail_setting(err, OC_E_INVALID, "node.exec.limits.processes",
                "processes are counted per command only in a sandbox "
                "with user namespaces; set node.exec.sandbox to workspace or strict, run the node "
                "as a service with Delegate=yes, or remove it");
    }
    return OC_OK;
}

enum oc_code nd_sandbox_create(
        const struct nd_sandbox_opts *opts, struct nd_sandbox **ret, struct oc_error *err) {
    struct nd_sandbox *s = oc_new(struct nd_sandbox);
    const cJSON *exec = oc_json_path(opts->config, "node.exec");
    s->platform = opts->platform;
    s->runs_dir = oc_path_join(opts->state_dir, "sandbox");
    const char *mode = opts->mode ? opts->mode : oc_json_get_str(exec, "sandbox");
    enum oc_code rc = check_keys(opts->config, err);
    rc = rc == OC_OK ? read_mode(mode, &s->mode, err) : rc;
    rc = rc == OC_OK ? read_limits(exec, &s->limits, err) : rc;
    if (rc == OC_OK && s->mode != ND_SANDBOX_OFF) {
        rc = read_sandbox(opts, exec, s, err);
    }
    if (rc == OC_OK) {
        ask_kernel(opts, s);
        rc = check_limits(s, opts->is_only_asking, err);
    }
    if (rc != OC_OK) {
        nd_sandbox_destroy(s);
        return rc;
    }
    if (s->mode != ND_SANDBOX_OFF) {
        OC_AUTO_FREE char *gaps = oc_strv_join(&s->missing, "; ");
        s->label = oc_strfmt("%s%s%s", nd_sandbox_mode_name(s->mode),
                s->missing.count > 0 ? "; this machine has " : "", gaps);
    }
    *ret = s;
    return OC_OK;
}

void nd_sandbox_destroy(struct nd_sandbox *s) {
    if (!s) {
        return;
    }
    oc_strv_finish(&s->workspaces);
    oc_strv_finish(&s->readable);
    oc_strv_finish(&s->writable);
    oc_strv_finish(&s->env);
    oc_strv_finish(&s->missing);
    oc_free(s->label);
    oc_free(s->wrong);
    oc_free(s->runs_dir);
    oc_free(s);
}
