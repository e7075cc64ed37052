/* openclaw purge: what this program keeps about the user who runs it, shown, and removed after a
 * clear yes. Packages remove programs; nobody but their owner removes these.
 *
 * Only names of the table go. The state directory may be the reference's, too: where something else
 * is in it, what both use stays unless --shared says otherwise. */
#include "cli/command.h"

#include "cli/output.h"
#include "cli/service/service.h"
#include "cli/service/service_remove.h"
#include "cli/service/unit_text.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODE_LOCK_NAME "node-runs.log" /* node/call/key_file.c */
#define MAX_DEPTH 64

/* docs/ARCHITECTURE.md#state. A file stands also for those that have its name in front:
 * "gateway.sqlite-wal", "node.json.<uuid>.tmp". */
static const struct known {
    const char *name, *what;
    bool is_dir, is_shared; /* the reference uses it, too */
} known[] = {
    { "canvas", "canvas files", .is_dir = true, .is_shared = true },
    { "canvas-window.json", "place of the canvas window" },
    { "consent.json", "switches of the owner" },
    { "exec-approvals.json", "which programs may run", .is_shared = true },
    { "exec-log", "log of runs" },
    { "exec-refused", "log of refusals" },
    { "gateway", "certificate of the gateway", .is_dir = true, .is_shared = true },
    { "gateway.sqlite", "pairings, audit" },
    { "identity", "keys and tokens of this device", .is_dir = true, .is_shared = true },
    { "node-runs.log", "keys of commands that ran" },
    { "node-sandbox.json", "sandbox of the node" },
    { "node-status.json", "state of the node" },
    { "node.json", "settings of the node", .is_shared = true },
    { "openclaw.json", "settings", .is_shared = true },
    { "sandbox", "folders of commands in a sandbox", .is_dir = true },
    { "screen-token.json", "what the desktop remembers of the screen" },
    { "service-gateway.env", "secrets of the gateway's service" },
    { "service-node.env", "secrets of the node's service" },
    { "workspace", "files that commands made", .is_dir = true, .is_shared = true },
};

struct purge {
    char *state_dir;
    int dir; /* of it; -1 when there is none */
    dev_t device;
    struct cli_service services[2];
    bool has_service[2];
    struct oc_strv names;        /* in the state directory, that go */
    struct oc_strv kept;         /* paths */
    bool is_foreign;             /* something of somebody else's is in it */
    int gateway_lock, node_lock; /* held, so that nothing starts meanwhile; -1 */
};

static void purge_finish(struct purge *p) {
    oc_strv_finish(&p->names);
    oc_strv_finish(&p->kept);
    oc_free(p->state_dir);
    for (size_t i = 0; i < OC_COUNT(p->services); i++) {
        cli_service_finish(&p->services[i]);
    }
    const int fds[] = { p->dir, p->gateway_lock, p->node_lock };
    for (size_t i = 0; i < OC_COUNT(fds); i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}
#define AUTO_PURGE __attribute__((cleanup(purge_finish)))

static const struct known *known_find(const char *name) {
    for (size_t i = 0; i < OC_COUNT(known); i++) {
        size_t len = strlen(known[i].name);
        int next = strncmp(name, known[i].name, len) == 0 ? name[len] : 'x';
        if (!next || (!known[i].is_dir && (next == '.' || next == '-'))) {
            return &known[i];
        }
    }
    return NULL;
}

/* Names of a directory; the caller's fd stays open. */
static enum oc_code list_names(int dir, struct oc_strv *ret, struct oc_error *err) {
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    if (!d) {
        enum oc_code rc = oc_fail(err, OC_E_IO, "read a directory: %s", strerror(errno));
        if (copy >= 0) {
            close(copy);
        }
        return rc;
    }
    for (const struct dirent *e; (e = readdir(d));) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            oc_strv_add(ret, e->d_name);
        }
    }
    closedir(d);
    return OC_OK;
}

/* A directory that is a home or the root is nobody's to empty, whatever the names in it. */
static enum oc_code open_state_dir(struct purge *p, struct oc_error *err) {
    OC_AUTO_FREE char *home = oc_dir_home();
    struct stat st, other;
    p->dir = open(p->state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->dir < 0) {
        return errno == ENOENT
                       ? OC_OK
                       : oc_fail(err, OC_E_IO, "open '%s': %s", p->state_dir, strerror(errno));
    }
    if (fstat(p->dir, &st) != 0) {
        return oc_fail(err, OC_E_IO, "look at '%s': %s", p->state_dir, strerror(errno));
    }
    if (st.st_uid != geteuid()) {
        return oc_fail(err, OC_E_DENIED, "%s belongs to another user", p->state_dir);
    }
    const char *const not_these[] = { home, "/" };
    for (size_t i = 0; i < OC_COUNT(not_these); i++) {
        if (stat(not_these[i], &other) == 0 && other.st_ino == st.st_ino &&
                other.st_dev == st.st_dev) {
            return oc_fail(err, OC_E_DENIED,
                    "the state directory is %s itself: remove by hand what you do not need there",
                    not_these[i]);
        }
    }
    p->device = st.st_dev;
    return OC_OK;
}

static enum oc_code find_names(struct purge *p, bool with_shared, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv all = { 0 };
    if (p->dir < 0) {
        return OC_OK;
    }
    enum oc_code rc = list_names(p->dir, &all, err);
    oc_strv_sort_unique(&all);
    for (size_t i = 0; i < all.count; i++) {
        p->is_foreign = p->is_foreign || !known_find(all.items[i]);
    }
    for (size_t i = 0; i < all.count; i++) {
        const struct known *k = known_find(all.items[i]);
        if (k && (!k->is_shared || !p->is_foreign || with_shared)) {
            oc_strv_add(&p->names, all.items[i]);
        } else {
            OC_AUTO_FREE char *path = oc_path_join(p->state_dir, all.items[i]);
            oc_strv_add(&p->kept, path);
        }
    }
    return rc;
}

/* What this program uses beside the state directory is other installations', too. */
static void find_elsewhere(struct purge *p) {
    OC_AUTO_FREE char *home = oc_dir_home(), *config = oc_path_config();
    OC_AUTO_FREE char *approvals = oc_strfmt("%s/.openclaw/exec-approvals.json", home);
    const char *const paths[] = { approvals, config };
    for (size_t i = 0; i < OC_COUNT(paths); i++) {
        if (!oc_path_covers(p->state_dir, paths[i]) && oc_file_exists(paths[i])) {
            oc_strv_add(&p->kept, paths[i]);
        }
    }
}

static enum oc_code find_services(struct cli_cli *cli, struct purge *p, struct oc_error *err) {
    for (size_t i = 0; i < OC_COUNT(p->services); i++) {
        const struct cli_service *s = &p->services[i];
        OC_AUTO_FREE char *text = cli_service_read(s);
        p->has_service[i] = text && cli_unit_is_ours(text);
        if (text && !p->has_service[i]) {
            cli_set_fix(cli, "openclaw %s uninstall --force", s->group);
            return oc_fail(err, OC_E_DENIED, "%s is not from this program", s->unit_path);
        }
    }
    return OC_OK;
}

/* Takes a lock that a running gateway or node holds; that of nobody is not there. */
static enum oc_code take_lock(struct cli_cli *cli, const struct purge *p, const char *name, int *fd,
        struct oc_error *err) {
    const char *group = strcmp(name, NODE_LOCK_NAME) == 0 ? "node" : "gateway";
    if (p->dir < 0 || *fd >= 0) {
        return OC_OK;
    }
    *fd = openat(p->dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (*fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        close(*fd);
        *fd = -1;
        cli_set_fix(cli, "stop it with Ctrl-C where it runs, then: openclaw purge");
        return oc_fail(err, OC_E_UNAVAILABLE, "a %s runs with %s", group, p->state_dir);
    }
    return OC_OK;
}

/* Of the services that run the locks can be had only later. */
static enum oc_code take_locks(
        struct cli_cli *cli, struct purge *p, bool before, struct oc_error *err) {
    enum oc_code rc = OC_OK;
    if (!before || !p->has_service[0]) {
        rc = take_lock(cli, p, OC_GATEWAY_LOCK_NAME, &p->gateway_lock, err);
    }
    if (rc == OC_OK && (!before || !p->has_service[1])) {
        rc = take_lock(cli, p, NODE_LOCK_NAME, &p->node_lock, err);
    }
    return rc;
}

static enum oc_code purge_find(struct cli_cli *cli, struct purge *p, struct oc_error *err) {
    enum oc_code rc = open_state_dir(p, err);
    rc = rc == OC_OK ? find_names(p, cli_args_has(&cli->args, "shared"), err) : rc;
    rc = rc == OC_OK ? find_services(cli, p, err) : rc;
    rc = rc == OC_OK ? take_locks(cli, p, true, err) : rc;
    find_elsewhere(p);
    return rc;
}

static bool is_anything(const struct purge *p) {
    return p->names.count > 0 || p->has_service[0] || p->has_service[1];
}

static void show_plan(const struct purge *p) {
    CLI_AUTO_TABLE struct cli_table *t =
            cli_table_create((const char *const[]){ "What", "Where" }, 2);
    for (size_t i = 0; i < OC_COUNT(p->services); i++) {
        if (p->has_service[i]) {
            OC_AUTO_JSON cJSON *state = cli_service_state(&p->services[i]);
            OC_AUTO_FREE char *summary = cli_service_summary(state);
            OC_AUTO_FREE char *what = oc_strfmt("service: %s", summary);
            OC_AUTO_FREE char *where = cli_shown(p->services[i].unit_path);
            cli_table_add(t, what);
            cli_table_add(t, where);
        }
    }
    for (size_t i = 0; i < p->names.count; i++) {
        OC_AUTO_FREE char *path = oc_path_join(p->state_dir, p->names.items[i]);
        OC_AUTO_FREE char *where = cli_shown(path);
        cli_table_add(t, known_find(p->names.items[i])->what);
        cli_table_add(t, where);
    }
    cli_out_heading("Goes:");
    cli_out_table(t);
}

static void show_kept(const struct purge *p) {
    for (size_t i = 0; i < p->kept.count; i++) {
        OC_AUTO_FREE char *path = cli_shown(p->kept.items[i]);
        cli_note("stays: %s", path);
    }
    if (p->is_foreign) {
        cli_note("Other programs keep files in this directory. --shared removes what they share "
                 "with "
                 "this one, too.");
    }
}

static enum oc_code purge_ask(struct cli_cli *cli, const struct purge *p, struct oc_error *err) {
    if (!cli->is_json) {
        show_plan(p);
        show_kept(p);
    }
    if (cli_args_has(&cli->args, "yes")) {
        return OC_OK;
    }
    cli_set_fix(cli, "openclaw purge --yes");
    if (cli->is_json || !cli_can_ask()) {
        return oc_fail(err, OC_E_DENIED, "nothing was removed: there is no terminal to ask on");
    }
    return cli_ask("Remove all of it? There is no way back.")
                   ? OC_OK
                   : oc_fail(err, OC_E_CANCELLED, "nothing was removed");
}

/* Links are removed, not followed, and nothing is removed of another file system. */
static enum oc_code remove_tree(
        const struct purge *p, int dir, const char *name, int depth, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv inside = { 0 };
    struct stat st;
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT) {
        return OC_OK;
    }
    if ((errno != EISDIR && errno != EPERM) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISDIR(st.st_mode)) {
        return oc_fail(err, OC_E_IO, "remove '%s': %s", name, strerror(errno));
    }
    if (st.st_dev != p->device || depth >= MAX_DEPTH) {
        return oc_fail(err, OC_E_UNSUPPORTED, "'%s' in %s is %s: remove it by hand", name,
                p->state_dir, depth < MAX_DEPTH ? "another file system" : "too deep");
    }
    (void)!fchmodat(dir, name, 0700, 0); /* a command may have shut it */
    OC_AUTO_FD int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    enum oc_code rc = fd < 0 ? oc_fail(err, OC_E_IO, "open '%s': %s", name, strerror(errno))
                             : list_names(fd, &inside, err);
    for (size_t i = 0; rc == OC_OK && i < inside.count; i++) {
        rc = remove_tree(p, fd, inside.items[i], depth + 1, err);
    }
    if (rc == OC_OK && unlinkat(dir, name, AT_REMOVEDIR) != 0) {
        rc = oc_fail(err, OC_E_IO, "remove '%s': %s", name, strerror(errno));
    }
    return rc;
}

static enum oc_code purge_remove(struct cli_cli *cli, struct purge *p, struct oc_error *err) {
    enum oc_code rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < OC_COUNT(p->services); i++) {
        OC_AUTO_FREE char *note = NULL;
        bool was_there = false;
        rc = p->has_service[i] ? cli_service_remove(&p->services[i], &was_there, &note, err) : rc;
        if (note) {
            cli_note("note: %s: %s", p->services[i].unit, note);
        }
    }
    rc = rc == OC_OK ? take_locks(cli, p, false, err) : rc;
    for (size_t i = 0; rc == OC_OK && i < p->names.count; i++) {
        rc = remove_tree(p, p->dir, p->names.items[i], 0, err);
    }
    if (rc == OC_OK) {
        (void)!rmdir(p->state_dir); /* when it is empty */
    }
    return rc;
}

static void purge_report(const struct cli_cli *cli, const struct purge *p) {
    if (!cli->is_json) {
        cli_out_line("%s", is_anything(p) ? "Removed." : "There is nothing to remove.");
        return;
    }
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    oc_json_set_bool(doc, "ok", true);
    oc_json_set_str(doc, "stateDir", p->state_dir);
    cJSON *removed = cJSON_AddArrayToObject(doc, "removed");
    for (size_t i = 0; i < OC_COUNT(p->services); i++) {
        if (p->has_service[i]) {
            cJSON_AddItemToArray(removed, cJSON_CreateString(p->services[i].unit_path));
        }
    }
    for (size_t i = 0; i < p->names.count; i++) {
        OC_AUTO_FREE char *path = oc_path_join(p->state_dir, p->names.items[i]);
        cJSON_AddItemToArray(removed, cJSON_CreateString(path));
    }
    oc_json_set_strv(doc, "kept", &p->kept);
    cli_out_json(doc);
}

static int purge_run(struct cli_cli *cli) {
    AUTO_PURGE struct purge p = {
        .state_dir = oc_dir_state(), .dir = -1, .gateway_lock = -1, .node_lock = -1
    };
    struct oc_error err;
    cli_service_init(&p.services[0], "gateway");
    cli_service_init(&p.services[1], "node");
    enum oc_code rc = purge_find(cli, &p, &err);
    if (rc == OC_OK && is_anything(&p)) {
        rc = purge_ask(cli, &p, &err);
        rc = rc == OC_OK ? purge_remove(cli, &p, &err) : rc;
    } else if (rc == OC_OK && !cli->is_json) {
        show_kept(&p);
    }
    if (rc != OC_OK) {
        return cli_fail(cli, &err);
    }
    purge_report(cli, &p);
    return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
    { "yes", 'y', CLI_OPT_FLAG, NULL, "do not ask" },
    { "shared", 0, CLI_OPT_FLAG, NULL, "also what other programs in the state directory use" },
    { "json", 0, CLI_OPT_FLAG, NULL, "print one JSON document on stdout" },
    { 0 },
};

const struct cli_command cli_command_purge = {
    .path = "purge",
    .summary = "Remove settings, keys and services of this user",
    .details = "Shows what goes and what stays, and asks. Programs stay: they are the package's.\n"
               "Gateways and nodes that this one is paired with still know it; there, openclaw\n"
               "nodes remove and openclaw devices remove forget it.",
    .examples = "openclaw purge\nopenclaw purge --yes",
    .options = options,
    .run = purge_run,
};
