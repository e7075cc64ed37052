/* One command's sandbox: where it runs, what it gets from our environment, and its temporary
 * directory. */
#include "node/sandbox/sandbox.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/log/log.h"
#include "node/argv/paths/exec_path.h"
#include "node/sandbox/dir_unlock.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

#define TAG "node.sandbox"

enum { MAX_SWEPT = 256 }; /* the rest goes the next time */

/* A trailing '*' stands for any ending. */
static const char *const plain_names[] = { "COLORTERM", "FORCE_COLOR", "LANG", "LANGUAGE", "LC_*",
    "LOGNAME", "NO_COLOR", "PATH", "TERM", "TZ", "USER" };

static const char *const run_parts[] = { "tmp", "shm", "home" };

static const char *sandbox_covering(const struct oc_strv *dirs, const char *path) {
    for (size_t i = 0; i < dirs->count; i++) {
        if (oc_path_covers(dirs->items[i], path)) {
            return dirs->items[i];
        }
    }
    return NULL;
}

static void set_grounds(
        struct oc_grounds *ret, enum oc_gate gate, enum oc_remedy remedy, const char *subject) {
    if (ret) {
        *ret = (struct oc_grounds){
            .cause = OC_CAUSE_NOT_SANDBOXED, .gate = gate, .remedy = remedy
        };
        oc_grounds_set_subject(ret, subject);
    }
}

char *nd_sandbox_refusal(
        const struct nd_sandbox *s, const char *why, struct oc_grounds *ret_grounds) {
    const char *mode = nd_sandbox_mode_name(s->mode);
    set_grounds(ret_grounds, OC_GATE_SANDBOX,
            s->mode == ND_SANDBOX_STRICT ? OC_REMEDY_NONE : OC_REMEDY_ALLOW_UNSANDBOXED, mode);
    return oc_strfmt("SYSTEM_RUN_DENIED: sandbox not available (%s; node.exec.sandbox is %s in "
                     "openclaw.json of the node)",
            why, mode);
}

/* The sandbox in use may be weaker than the one the owner wants by now, and has misspelt. */
static char *refuse_if_wrong(const struct nd_sandbox *s, struct oc_grounds *ret) {
    if (!s || !s->wrong) {
        return NULL;
    }
    set_grounds(ret, OC_GATE_SETTINGS, OC_REMEDY_CORRECT_SETTINGS, NULL);
    return oc_strfmt(
            "SYSTEM_RUN_DENIED: the settings of the node have changed and cannot be used (%s)",
            s->wrong);
}

bool nd_sandbox_places(const struct nd_sandbox *s) {
    return s && (s->mode != ND_SANDBOX_OFF || s->wrong);
}

char *nd_sandbox_place(const struct nd_sandbox *s, char **cwd, struct oc_grounds *ret_grounds) {
    char *refusal = refuse_if_wrong(s, ret_grounds);
    if (refusal) {
        return refusal;
    }
    if (!nd_sandbox_places(s)) {
        return NULL;
    }
    const char *first = s->workspaces.items[0];
    OC_AUTO_FREE char *asked = !*cwd          ? oc_strdup(first)
                               : **cwd == '/' ? oc_strdup(*cwd)
                                              : oc_path_join(first, *cwd);
    OC_AUTO_FREE char *real = nd_exec_real(asked);
    if (real && sandbox_covering(&s->workspaces, real)) {
        oc_free(*cwd);
        *cwd = oc_take(&real);
        return NULL;
    }
    OC_AUTO_FREE char *where = oc_strv_join(&s->workspaces, ", ");
    OC_AUTO_FREE char *shown = oc_printable(asked, strlen(asked), 200);
    set_grounds(ret_grounds, OC_GATE_SANDBOX, OC_REMEDY_ADD_WORKSPACE, asked);
    return oc_strfmt("SYSTEM_RUN_DENIED: '%s' is no directory of the workspace, which is %s "
                     "(node.exec.sandbox is %s)",
            shown, where, nd_sandbox_mode_name(s->mode));
}

static void add_readable(const struct nd_sandbox *s, struct oc_strv *ret) {
    nd_sandbox_system(ret);
    for (size_t i = 0; i < s->readable.count; i++) {
        oc_strv_add(ret, s->readable.items[i]);
    }
}

/* Without this the caller would only see "permission denied". */
static char *check_program(const struct nd_sandbox *s, const struct oc_strv *readable,
        const struct oc_strv *writable, const char *path, struct oc_grounds *grounds) {
    OC_AUTO_FREE char *real = realpath(path, NULL);
    if (!real || sandbox_covering(readable, real) || sandbox_covering(writable, real)) {
        return NULL;
    }
    OC_AUTO_FREE char *shown = oc_printable(real, strlen(real), 200);
    set_grounds(grounds, OC_GATE_SANDBOX, OC_REMEDY_ADD_READABLE, real);
    return oc_strfmt("SYSTEM_RUN_DENIED: '%s' is outside of what commands may read "
                     "(node.exec.sandbox is %s)",
            shown, nd_sandbox_mode_name(s->mode));
}

static bool sandbox_matches(const char *pattern, const char *name, size_t len) {
    size_t n = strlen(pattern);
    bool is_prefix = n > 0 && pattern[n - 1] == '*';
    n -= is_prefix;
    return (is_prefix ? len >= n : len == n) && strncmp(pattern, name, n) == 0;
}

static bool is_passed_on(const struct nd_sandbox *s, const char *name, size_t len) {
    for (size_t i = 0; i < OC_COUNT(plain_names); i++) {
        if (sandbox_matches(plain_names[i], name, len)) {
            return true;
        }
    }
    for (size_t i = 0; i < s->env.count; i++) {
        if (sandbox_matches(s->env.items[i], name, len)) {
            return true;
        }
    }
    return false;
}

static bool is_ours(const char *entry) {
    for (char **e = environ; *e; e++) {
        if (strcmp(*e, entry) == 0) {
            return true;
        }
    }
    return false;
}

/* Keys and tokens are in our variables, and what points to the owner's files leads nowhere. What is
 * not ours came from the caller, who knows it. */
static void build_env(
        const struct nd_sandbox *s, const struct oc_strv *env, struct nd_sandboxed *ret) {
    OC_AUTO_FREE char *home = oc_strfmt("HOME=%s/home", ret->run_dir);
    OC_AUTO_FREE char *tmp = oc_strfmt("TMPDIR=%s/tmp", ret->run_dir);
    for (size_t i = 0; i < env->count; i++) {
        const char *entry = env->items[i];
        size_t len = strcspn(entry, "=");
        if (sandbox_matches("HOME", entry, len) || sandbox_matches("TMPDIR", entry, len)) {
            continue;
        }
        if (!is_ours(entry) || is_passed_on(s, entry, len)) {
            oc_strv_add(&ret->env, entry);
        }
    }
    oc_strv_add(&ret->env, home);
    oc_strv_add(&ret->env, tmp);
    ret->has_env = true;
}

static enum oc_code make_run_dir(
        const struct nd_sandbox *s, struct nd_sandboxed *ret, struct oc_error *err) {
    enum oc_code rc = oc_dir_ensure_private(s->runs_dir, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_FREE char *dir = oc_strfmt("%s/run-XXXXXX", s->runs_dir);
    if (!mkdtemp(dir)) {
        return oc_fail(err, OC_E_IO, "'%s': %s", dir, strerror(errno));
    }
    ret->run_dir = realpath(dir, NULL);
    for (size_t i = 0; i < OC_COUNT(run_parts); i++) {
        OC_AUTO_FREE char *part = oc_path_join(dir, run_parts[i]);
        if (!ret->run_dir || mkdir(part, 0700) != 0) {
            return oc_fail(err, OC_E_IO, "'%s': %s", part, strerror(errno));
        }
    }
    return OC_OK;
}

static char *sandbox_build(const struct nd_sandbox *s, const char *path, const char *cwd,
        const struct oc_strv *env, struct nd_sandboxed *ret, struct oc_grounds *grounds) {
    OC_AUTO_STRV struct oc_strv readable = { 0 }, writable = { 0 };
    add_readable(s, &readable);
    /* Only the workspace it runs in: the others are other projects. */
    const char *workspace = cwd ? sandbox_covering(&s->workspaces, cwd) : NULL;
    if (cwd && !workspace) { /* it was placed by settings that have changed since */
        OC_AUTO_FREE char *again = oc_strdup(cwd);
        char *misplaced = nd_sandbox_place(s, &again, grounds);
        return misplaced ? misplaced
                         : nd_sandbox_refusal(
                                   s, "its directory is not the one it was given", grounds);
    }
    oc_strv_add(&writable, workspace ? workspace : s->workspaces.items[0]);
    for (size_t i = 0; i < s->writable.count; i++) {
        oc_strv_add(&writable, s->writable.items[i]);
    }
    char *refusal = check_program(s, &readable, &writable, path, grounds);
    if (refusal) {
        return refusal;
    }
    struct oc_error err;
    if (make_run_dir(s, ret, &err) != OC_OK) {
        return nd_sandbox_refusal(s, err.text, grounds);
    }
    build_env(s, env, ret);
    OC_AUTO_FREE const char **read_list = oc_strv_vector(&readable, 0);
    OC_AUTO_FREE const char **write_list = oc_strv_vector(&writable, 0);
    ret->sandbox = s->platform->sandbox->prepare(&(struct os_sandbox_spec){
            .is_on = true,
            .features = &s->features,
            .readable = read_list,
            .writable = write_list,
            .program = path,
            .run_dir = ret->run_dir,
            .no_network = s->no_network,
            .unix_sockets = s->unix_sockets,
            .limits = s->limits,
    });
    return NULL;
}

char *nd_sandbox_open(const struct nd_sandbox *s, const char *path, const char *cwd,
        const struct oc_strv *env, struct nd_sandboxed *ret, struct oc_grounds *ret_grounds) {
    *ret = (struct nd_sandboxed){ .platform = s ? s->platform : NULL,
        .label = s && s->label ? oc_strdup(s->label) : NULL };
    char *refusal = refuse_if_wrong(s, ret_grounds); /* it may have waited for somebody's word */
    if (refusal) {
        return refusal;
    }
    if (!s || (s->mode == ND_SANDBOX_OFF && !nd_limits_any(&s->limits))) {
        return NULL;
    }
    if (s->mode == ND_SANDBOX_OFF) {
        ret->sandbox = s->platform->sandbox->prepare(
                &(struct os_sandbox_spec){ .limits = s->limits, .features = &s->features });
        return NULL;
    }
    if (s->missing.count > 0 && (!s->may_fall_back || !s->platform->sandbox)) {
        OC_AUTO_FREE char *gaps = oc_strv_join(&s->missing, "; ");
        return nd_sandbox_refusal(s, gaps, ret_grounds);
    }
    refusal = sandbox_build(s, path, cwd, env, ret, ret_grounds);
    return refusal || ret->sandbox ? refusal
                                   : nd_sandbox_refusal(s, "it could not be built", ret_grounds);
}

/* Without waiting: a command may have left a million files. rm does not follow links, however fast
 * they come, but it cannot look into directories that the command has closed to itself. */
static void remove_trees(const struct os_platform *platform, const struct oc_strv *dirs) {
    OC_AUTO_STRV struct oc_strv words = { 0 };
    oc_strv_add(&words, "rm");
    oc_strv_add(&words, "-rf");
    oc_strv_add(&words, "--");
    size_t entries = ND_MAX_UNLOCKED;
    for (size_t i = 0; i < dirs->count; i++) {
        nd_dir_unlock(dirs->items[i], &entries);
        oc_strv_add(&words, dirs->items[i]);
    }
    OC_AUTO_FREE const char **argv = oc_strv_vector(&words, 0);
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct os_child child;
    struct oc_error err;
    int errnum;
    if (platform->exec->spawn(
                &(struct os_spawn_opts){ .path = "/bin/rm", .argv = argv, .env = env }, &child,
                &errnum, &err) != OC_OK) {
        oc_log(OC_LOG_WARN, TAG, "cannot remove %s, ignoring: %s", dirs->items[0], err.text);
        return;
    }
    platform->exec->release(&child);
}

void nd_sandbox_close(struct nd_sandboxed *b) {
    if (b->sandbox) {
        b->platform->sandbox->release(b->sandbox);
    }
    oc_strv_finish(&b->env);
    oc_free(b->label);
    if (b->run_dir) {
        for (size_t i = 0; i < OC_COUNT(run_parts); i++) {
            OC_AUTO_FREE char *part = oc_path_join(b->run_dir, run_parts[i]);
            rmdir(part); /* most are empty */
        }
        if (rmdir(b->run_dir) != 0) {
            remove_trees(b->platform, &(struct oc_strv){ .items = &b->run_dir, .count = 1 });
        }
        oc_free(b->run_dir);
    }
    *b = (struct nd_sandboxed){ 0 };
}

void nd_sandbox_sweep(const struct nd_sandbox *s) {
    OC_AUTO_STRV struct oc_strv found = { 0 };
    DIR *dir = opendir(s->runs_dir);
    const struct dirent *entry;
    while (dir && found.count < MAX_SWEPT && (entry = readdir(dir)) != NULL) {
        if (oc_starts_with(entry->d_name, "run-")) {
            OC_AUTO_FREE char *path = oc_path_join(s->runs_dir, entry->d_name);
            oc_strv_add(&found, path);
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (found.count > 0) {
        remove_trees(s->platform, &found);
    }
}
